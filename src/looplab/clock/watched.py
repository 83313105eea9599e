"""A coroutine whose first step and whose end are told."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

__all__ = ["WatchedCoroutine"]

T = TypeVar("T")


class WatchedCoroutine(Coroutine[Any, Any, T]):
    """A coroutine that stands for *main*.

    It is not a coroutine around the other one, so tracebacks, task labels and the
    errors of the virtual clock show the program as it is when nobody watches.

    Args:
        main: the coroutine.
        ended: called when it has returned, has raised, or is closed.
        begins: called before its first step.
    """

    def __init__(
        self,
        main: Coroutine[Any, Any, T],
        ended: Callable[[], object],
        *,
        begins: Callable[[], object] | None = None,
    ) -> None:
        self._main = main
        self._ended = ended
        self._begins = begins
        name = getattr(main, "__qualname__", None)
        self.__qualname__ = name if isinstance(name, str) else type(main).__qualname__

    def __getattr__(self, name: str) -> Any:
        return getattr(self._main, name)

    def __repr__(self) -> str:
        return repr(self._main)

    def _step(self, method: Callable[..., Any], *args: Any) -> Any:
        begins, self._begins = self._begins, None
        if begins is not None:
            begins()
        try:
            return method(*args)
        except BaseException:  # StopIteration, with the result, is one
            self._ended()
            raise

    def send(self, value: Any) -> Any:
        return self._step(self._main.send, value)

    def throw(self, *error: Any) -> Any:
        return self._step(self._main.throw, *error)

    def close(self) -> None:
        self._main.close()
        self._ended()

    def __await__(self) -> Any:
        raise RuntimeError("a watched coroutine runs as a task")
