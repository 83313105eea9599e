"""The published test in fresh processes: its figures."""

from __future__ import annotations

from tests.fast.book.spinning_loop.example import GDB, fresh, watching


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
    nothing = fresh.added([{"read": {"percent": 0.0, "seconds": 0.0, "calls": 1}}])
    assert (nothing["futex_percent"], nothing["epoll_wait_calls"]) == (0.0, 0.0)


def test_the_python_stack_of_one_thread() -> None:
    assert "Waiting for the GIL" in watching.part_of(GDB, 26238)
    assert "in wait" in watching.part_of(GDB, 26150)
    assert watching.part_of(GDB, 1) == ""


def test_two_dumps_that_are_alike() -> None:
    assert fresh.alike("select; sleep; wait", "select; select; wait") == 2
