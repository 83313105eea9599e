"""What is read from strace, gdb and dumps of stacks."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from tests.fast.book.spinning_loop.example import GDB, fresh, programs, watching

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
    with pytest.raises(programs.CaptureError, match="no table of calls"):
        watching.strace_rows("strace: hm\n")


def test_the_innermost_functions_of_a_dump() -> None:
    text = (
        "Timeout (0:00:00.010000)!\n"
        'Thread 0x00007f01 (most recent call first):\n  File "a.py", line 3 in sleep\n'
        '  File "b.py", line 4 in poll\n\n'
        "Thread 0x00007f02 (most recent call first):\n  <no Python frame>\n\n"
        'Current thread 0x00007f03 (most recent call first):\n  File "c" in wait'
    )
    assert watching.innermost(text) == ["sleep", "no Python frame", "wait"]
    assert watching.innermost("") == []


def test_what_gdb_says_of_the_threads() -> None:
    assert watching.waiting(GDB) == {"2": True, "1": False}
    assert watching.waiting("ptrace: No such process.") == {}


def test_a_debugger_without_the_helper(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "base_prefix", "/nowhere")
    monkeypatch.setattr(sys, "executable", "/nowhere/bin/python3.99")
    version = SimpleNamespace(major=3, minor=99)
    monkeypatch.setattr(sys, "version_info", version)
    with pytest.raises(programs.SkippedError, match=r"python3\.99-gdb\.py"):
        watching.gdb_script()


FRAMES = """\
Thread 2 (Thread 0x7fe2 (LWP 21)):
#0  0x00007fe2c5f14ff0 in Py_INCREF (op=0x7f) at ./Include/object.h:644

Thread 1 (Thread 0x7fe3 (LWP 20)):
#0  __futex_abstimed_wait_common64 (private=0) at ./nptl/futex-internal.c:57
#1  0x00007fe2c60aeaa5 in PyCOND_TIMEDWAIT (us=<optimized out>) at Python/a.h:73
#2  take_gil (tstate=tstate@entry=0x56) at Python/ceval_gil.c:376
#3  0x00007fe2c60af0de in PyEval_RestoreThread (tstate=0x56) at Python/b.c:1
"""


def test_the_functions_of_the_main_thread() -> None:
    called = watching.called_by(watching.part_of(FRAMES, 20))
    assert called == [
        "__futex_abstimed_wait_common64",
        "PyCOND_TIMEDWAIT",
        "take_gil",
        "PyEval_RestoreThread",
    ]
    assert watching.called_by(watching.part_of(FRAMES, 21)) == ["Py_INCREF"]
    assert watching.part_of(FRAMES, 22) == ""
    text = fresh.shown_core("Thread 1 (LWP 20):\n  Waiting for the GIL\n", called)
    assert "  take_gil\n  PyEval_RestoreThread\n" in text
