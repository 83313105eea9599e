"""How a function reaches the clean interpreter: by a name, or as bytes."""

from __future__ import annotations

import functools
import importlib
import inspect
import reprlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ontime.measuring.sending import pack, unpack

__all__ = ["Reference", "refer"]


@dataclass(frozen=True, slots=True)
class Reference:
    """A function for another process.

    Attributes:
        name: what it is called, for tables and messages.
        module: the module that has it, if it was given by name.
        packed: the function, if it was given itself.
        is_async: whether it must be a coroutine function, or else must not be one.
    """

    name: str
    module: str = ""
    packed: bytes = b""
    is_async: bool = True

    def resolve(self) -> Callable[..., Any]:
        """The function, in the process that is to call it.

        Raises:
            Exception: whatever its import raises.
            AttributeError: the module has no such name.
            TypeError: it is not a function of that kind.
        """
        if self.packed:
            return unpack(self.packed)  # type: ignore[no-any-return]
        found: Any = importlib.import_module(self.module)
        for part in self.name.split("."):
            found = getattr(found, part, None)
        if found is None:
            raise AttributeError(f"{self.module} has no {self.name}")
        if not callable(found) or (
            inspect.iscoroutinefunction(found) is not self.is_async
        ):
            raise TypeError(f"{self.name} is not a {_kind(self.is_async)}")
        return found  # type: ignore[no-any-return]


def refer(
    function: Callable[..., Any] | str, *, what: str = "coro_fn", is_async: bool = True
) -> Reference:
    """A reference to *function*.

    Args:
        function: the function, or ``"module:name"``.
        what: the name of the argument, for messages.
        is_async: whether it must be a coroutine function, or else must not be one.

    Raises:
        TypeError: it is not a function of that kind.
        ValueError: it is a string of another form.
        UnsendableError: it cannot be sent.
    """
    if isinstance(function, str):
        module, colon, name = function.partition(":")
        words = [*module.split("."), *name.split(".")]
        if not colon or not all(word.isidentifier() for word in words):
            raise ValueError(
                f"{what} is {function!r}: write module:function, such as "
                "'mypackage.service:handle'"
            )
        return Reference(name, module, is_async=is_async)
    _need_function(function, what, is_async)
    name = function.__qualname__.rpartition("<locals>.")[2]
    return Reference(name, packed=pack(function, f"{what} {name}"), is_async=is_async)


def _need_function(function: object, what: str, is_async: bool) -> None:
    if inspect.iscoroutine(function):
        function.close()
        raise TypeError(
            f"{what} is a coroutine, which can run only once: hand over the function, "
            "without calling it"
        )
    if isinstance(function, functools.partial):
        raise TypeError(
            f"{what} is a functools.partial: hand over the function, and its arguments "
            "as args=(...)"
        )
    if inspect.isasyncgenfunction(function):
        raise TypeError(
            f"{what} {function.__name__} is an async generator function: write an "
            "async function that iterates over it"
        )
    if not (inspect.isfunction(function) or inspect.ismethod(function)):
        raise TypeError(f"{what} must be a function, not {reprlib.repr(function)}")
    if is_async and not inspect.iscoroutinefunction(function):
        raise TypeError(
            f"{what} {function.__name__} is a plain function: a coroutine function is "
            "made with async def"
        )
    if not is_async and inspect.iscoroutinefunction(function):
        raise TypeError(f"{what} {function.__name__} must be a plain function")


def _kind(is_async: bool) -> str:
    return "coroutine function (async def)" if is_async else "plain function"
