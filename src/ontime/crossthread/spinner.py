"""A thread that never lets go of the interpreter by itself."""

from __future__ import annotations

import queue
import threading

from .session import TIMEOUT

__all__ = ["Spinner"]


class Spinner:
    """A thread that waits for a queue and never lets go of the interpreter by itself.

    ``while queue.empty(): pass``: the program that the wrong hypothesis of chapter 6
    describes.  A context manager, like :class:`Session`; when its block begins, it
    spins.
    """

    def __init__(self, *, name: str = "spinner") -> None:
        self._queue: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._spinning = threading.Event()
        self._name = name
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Spinner:
        if self._thread is not None:
            raise RuntimeError("the spinner spins already: make a second Spinner()")
        thread = threading.Thread(target=self._spin, name=self._name, daemon=True)
        thread.start()
        self._thread = thread
        try:
            self._spinning.wait(TIMEOUT)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._queue.put(None)
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _spin(self) -> None:
        empty = self._queue.empty
        self._spinning.set()
        while empty():
            pass
        self._queue.get()
