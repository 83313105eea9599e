"""Jobs for the models to run: they fail, leave, wait and count."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time


def fail(text: str) -> None:
    raise ValueError(text)


class OddError(Exception):
    """An exception that pickle cannot make again."""

    def __init__(self, a: int, b: int) -> None:
        super().__init__(f"{a} and {b}")


def fail_oddly() -> None:
    raise OddError(1, 2)


def fail_once(path: str) -> str:
    """Fail in the first call only."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return "done"
    raise ValueError("the first one fails")


def leave() -> None:
    os._exit(3)


def leave_politely() -> None:
    sys.exit(4)


def stop_iteration() -> None:
    raise StopIteration(5)


def give_a_lock() -> object:
    return threading.Lock()


def start_a_child_and_wait(seconds: float) -> None:
    subprocess.run(
        [sys.executable, "-c", f"import time; time.sleep({seconds})"], check=True
    )


def count_up(path: str) -> None:
    """Add a byte to a file, in one step."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, b".")
    os.close(file)


def print_and_read() -> str:
    print("x" * 100_000)
    return sys.stdin.read()


def sleep_and_compute() -> None:
    time.sleep(0.2)


async def coroutine_work() -> None:
    pass
