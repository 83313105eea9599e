"""The published test in fresh processes: its figures."""

from __future__ import annotations

import json

from tests.fast.book.spinning_loop.example import CAPTURES, GDB, fresh, realcase


def test_a_fresh_part_that_did_not_run_is_a_line_of_the_table() -> None:
    found = json.loads((CAPTURES / "fresh.json").read_text("utf-8"))
    found["D2"] = {"status": "skipped", "why": "strace is not installed"}
    found["D5"] = {"status": "failed", "why": "gdb showed no threads"}
    text = fresh.table(found)
    assert "D2 strace -c, main thread alone    skipped: strace is not installed" in text
    assert "D5 Waiting for the GIL, 3 clients  failed: gdb showed no threads" in text
    assert realcase.failed(found) == ["D5"]
    assert realcase.skipped(found) == ["D2"]


def test_the_calls_of_several_processes() -> None:
    rows = [
        {
            "futex": {"percent": 90.0, "seconds": 0.3, "calls": 30},
            "epoll_wait": {"percent": 10.0, "seconds": 0.1, "calls": 2},
        },
        {"futex": {"percent": 100.0, "seconds": 0.1, "calls": 10}},
    ]
    found = fresh.added(rows)
    assert found["futex_percent"] == 80.0
    assert found["epoll_wait_calls"] == 1.0
    assert found["calls"]["futex"] == {"percent": 80.0, "calls": 20.0}
    nothing = fresh.added([{"read": {"percent": 0.0, "seconds": 0.0, "calls": 1}}])
    assert (nothing["futex_percent"], nothing["epoll_wait_calls"]) == (0.0, 0.0)


def test_the_python_stack_of_one_thread() -> None:
    assert "Waiting for the GIL" in fresh.thread_of(GDB, 26238)
    assert "in wait" in fresh.thread_of(GDB, 26150)
    assert fresh.thread_of(GDB, 1) == ""


def test_two_dumps_that_are_alike() -> None:
    assert fresh.alike("select; sleep; wait", "select; select; wait") == 2
