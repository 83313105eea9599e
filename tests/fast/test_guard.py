"""No test below this folder can go through a door to the world; each one is tried."""

from __future__ import annotations

import _thread
import multiprocessing
import os
import pathlib
import queue
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import pytest

from tests.guard import CLOCKS, FAST, DoorError

HERE = pathlib.Path(__file__).parent


def read(clock: str) -> Callable[[], object]:
    """What reads a clock of ``time``; two of them ask which."""
    function = getattr(time, clock)
    return (lambda: function(0)) if clock.startswith("clock") else function


DOORS: dict[str, Callable[[], object]] = {
    **{clock: read(clock) for clock in CLOCKS if hasattr(time, clock)},
    "fork": getattr(os, "fork", lambda: subprocess.run(["true"], check=False)),
    "look-up": lambda: socket.getaddrinfo("localhost", 80),
    "pair": socket.socketpair,
    "pool": lambda: multiprocessing.get_context("spawn").Process().start(),
    "process": lambda: subprocess.run([sys.executable, "-V"], check=False),
    "sleep": lambda: time.sleep(0),
    "socket": socket.socket,
    "system": lambda: os.system("true"),
    "thread": lambda: threading.Thread(target=print).start(),
    "new thread": lambda: _thread.start_new_thread(print, ()),
    "times": os.times,
}


@pytest.mark.parametrize("door", DOORS)
def test_a_door_is_closed(door: str) -> None:
    with pytest.raises(DoorError, match="tests/contract"):
        DOORS[door]()


def test_code_that_forgives_every_error_is_stopped_too() -> None:
    def code() -> None:
        try:
            time.sleep(0)
        except Exception:
            pytest.fail("the door was taken for an error of the code")

    with pytest.raises(DoorError):
        code()


def test_a_wait_without_a_clock_is_free() -> None:
    assert queue.SimpleQueue[int]().empty()


def test_every_test_of_this_folder_is_guarded() -> None:
    assert HERE == FAST
    # A conftest deeper down could only switch the guard off by naming it.
    for file in HERE.rglob("*.py"):
        if file not in {HERE / "conftest.py", pathlib.Path(__file__)}:
            assert "closed_doors" not in file.read_text(encoding="utf-8"), file
