"""What is read from other programs, and the figures that are made of it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fast.book.spinning_loop.example import (
    fresh,
    programs,
    realcase,
    watching,
)


@pytest.mark.parametrize(
    ("printed", "cleaned"),
    [
        (
            'File "/x/old-3.12/lib/python3.12/site-packages/anyio/a.py", line 1',
            'File "anyio/a.py", line 1',
        ),
        ('File "/opt/py/lib/python3.13t/asyncio/b.py"', 'File "asyncio/b.py"'),
        ('File "/r/book/examples/spinning_loop/distilled.py"', 'File "distilled.py"'),
        ("wait (spinning_loop/distilled.py:50)", "wait (distilled.py:50)"),
        ("Thread 0x00007f6cdeafb6c0 (most", "Thread 0x… (most"),
        ("\x1b[1mbold\x1b[0m   ", "bold"),
        ("(/home/me/venv/bin/python3.12)", "(python3.12)"),
        ("Thread 4 (Thread 0x7fb741cd46c0 (LWP 99))", "Thread 4 (Thread 0x… (LWP …))"),
    ],
)
def test_what_is_cleaned(printed: str, cleaned: str) -> None:
    assert programs.clean(printed) == cleaned + "\n"


STRACE = """\
% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 92.79    1.244123          38     32490      3295 futex
  5.15    0.069111          12      5327           epoll_wait
------ ----------- ----------- --------- --------- ----------------
100.00    1.340000          30     37817      3295 total
"""


def test_the_table_of_strace() -> None:
    assert watching.strace_rows(STRACE) == {
        "futex": {"percent": 92.79, "seconds": 1.244123, "calls": 32490},
        "epoll_wait": {"percent": 5.15, "seconds": 0.069111, "calls": 5327},
    }


def test_the_calls_of_several_processes() -> None:
    rows = [
        {
            "futex": {"percent": 90.0, "seconds": 0.3, "calls": 30},
            "epoll_wait": {"percent": 10.0, "seconds": 0.1, "calls": 2},
        },
        {"futex": {"percent": 100.0, "seconds": 0.1, "calls": 10}},
    ]
    calls = fresh.added(rows)
    assert calls["futex_percent"] == 80.0
    assert calls["epoll_wait_calls"] == 1.0
    assert calls["calls"]["futex"] == {"percent": 80.0, "calls": 20.0}


DUMP = """\
Timeout (0:00:00.010000)!
Thread 0x00007f01 (most recent call first):
  File "a.py", line 3 in sleep
  File "b.py", line 4 in poll

Thread 0x00007f02 (most recent call first):
  <no Python frame>

Current thread 0x00007f03 (most recent call first):
  File "c" in wait"""


def test_dumps() -> None:
    assert watching.innermost(DUMP) == ["sleep", "no Python frame", "wait"]
    assert watching.innermost("") == []
    assert fresh.alike("select; sleep; wait", "select; select; wait") == 2


GDB = """\
[Thread debugging using libthread_db enabled]

Thread 2 (Thread 0x7fb7424d56c0 (LWP 26238) "python"):
Traceback (most recent call first):
  Waiting for the GIL
  File "/usr/lib/python3.12/selectors.py", line 468, in select

Thread 1 (Thread 0x7fb744d33b80 (LWP 26150)):
#0  __futex_abstimed_wait_common64 (private=0) at ./nptl/futex-internal.c:57
#1  0x00007fe2c60aeaa5 in PyCOND_TIMEDWAIT (us=<optimized out>) at Python/a.h:73
#2  take_gil (tstate=tstate@entry=0x56) at Python/ceval_gil.c:376
#3  0x00007fe2c60af0de in PyEval_RestoreThread (tstate=0x56) at Python/b.c:1
"""


def test_what_gdb_says_of_the_threads() -> None:
    assert watching.waiting(GDB) == {"2": True, "1": False}
    assert watching.waiting("ptrace: No such process.") == {}
    assert "Waiting for the GIL" in watching.part_of(GDB, 26238)
    assert watching.part_of(GDB, 1) == ""
    called = watching.called_by(watching.part_of(GDB, 26150))
    assert called == [
        "__futex_abstimed_wait_common64",
        "PyCOND_TIMEDWAIT",
        "take_gil",
        "PyEval_RestoreThread",
    ]
    text = fresh.shown_core("Thread 1 (LWP 20):\n  Waiting for the GIL\n", called)
    assert "  take_gil\n  PyEval_RestoreThread\n" in text


def test_the_spread_of_some_figures() -> None:
    assert realcase.spread([4.0, 1.0, 2.0, 3.0, 5.0]) == {
        "median": 3.0,
        "quartiles": [2.0, 4.0],
        "least": 1.0,
        "most": 5.0,
        "tests": 5,
    }


def block(others: float, *seconds: float) -> dict[str, Any]:
    return {"first": 1.0, "seconds": list(seconds), "others": others}


OTHERS = block(0.5, 9.0), block(0.6, 7.0), block(0.0, 1.0)


@pytest.mark.parametrize(
    ("blocks", "median", "kept", "quiet"),
    [
        ([block(0.5, 9.0), block(0.0, 1.0), block(0.1, 3.0)], 2.0, 2, True),
        (OTHERS, 7.0, 3, False),  # a single quiet block says nothing of the spread
        ((*OTHERS, *OTHERS, block(0.7, 8.0)), 7.0, 7, False),  # under a third
        ([block(0.0, 9.0, 9.0)], 9.0, 1, False),
    ],
)
def test_blocks_that_others_disturbed_are_left_out(
    blocks: list[dict[str, Any]], median: float, kept: int, quiet: bool
) -> None:
    figures = realcase.summary(list(blocks))
    assert figures["median"] == median
    assert (figures["blocks"], figures["quiet"]) == (kept, quiet)
