"""What is to be measured, how much, and how a function goes to the other process."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ontime.measuring.sending import pack, unpack

from .variants import VARIANTS

__all__ = [
    "LOOPS",
    "SPEC",
    "Job",
    "MissingPackageError",
    "Order",
    "Plan",
    "Reference",
    "need",
    "refer",
]

LOOPS = ("asyncio", "uvloop")
#: The variable that names the file in which the clean interpreter finds its orders.
SPEC = "ON_TIME_COST_SPEC"


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
        function: Any = importlib.import_module(self.module)
        for part in self.name.split("."):
            function = getattr(function, part, None)
        if function is None:
            raise AttributeError(f"{self.module} has no {self.name}")
        if not callable(function) or (
            inspect.iscoroutinefunction(function) is not self.is_async
        ):
            raise TypeError(f"{self.name} is not a {_kind(self.is_async)}")
        return function  # type: ignore[no-any-return]


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
    is_function = inspect.isfunction(function) or inspect.ismethod(function)
    if not is_function or inspect.iscoroutinefunction(function) is not is_async:
        raise TypeError(
            f"{what} is {function!r:.80}: give a {_kind(is_async)}, and its arguments "
            "as args=(...)"
        )


def _kind(is_async: bool) -> str:
    return "coroutine function (async def)" if is_async else "plain function"


class MissingPackageError(ImportError):
    """An optional package is not installed; the message says how to get it."""


@dataclass(frozen=True)
class Order:
    """What the clean interpreter is to call.

    Attributes:
        function: the function.
        args: its arguments, packed.
        loop: the loop that runs it.
        setup: a function that is called before anything else, or None.
        variant: the way to await it, or None for the function itself.
        times: how many awaits of a variant.
    """

    function: Reference
    args: bytes
    loop: str
    setup: Reference | None
    variant: str | None
    times: int


@dataclass(frozen=True)
class Job:
    """What a row of the table is to measure; see :class:`Order`."""

    name: str
    function: Reference
    args: tuple[Any, ...]
    loop: str
    setup: Reference | None
    variant: str | None = None
    times: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.args, tuple):
            raise TypeError(f"args is {self.args!r:.60}: write args=(x,) for one")
        if self.loop not in LOOPS:
            raise ValueError(f"loop is {self.loop!r}: there are {' and '.join(LOOPS)}")

    def order(self) -> Order:
        """The job for the other side.

        Raises:
            UnsendableError: its arguments cannot be sent.
        """
        return Order(
            self.function,
            pack(self.args, "args"),
            self.loop,
            self.setup,
            self.variant,
            self.times,
        )

    def lacks(self) -> str:
        """What is not there for this job, or an empty string."""
        if self.loop == "uvloop" and not _installed("uvloop"):
            return "uvloop is not installed: pip install uvloop"
        if self.variant is not None:
            variant = VARIANTS[self.variant]
            if sys.version_info < variant.needs:
                return "needs Python {}.{} or newer".format(*variant.needs)
            if variant.package and not _installed(variant.package):
                return (
                    f"{variant.package} is not installed: pip install {variant.package}"
                )
        return ""


@dataclass(frozen=True)
class Plan:
    """How much to measure."""

    calls: int | None
    values: int
    processes: int
    instructions: bool
    timeout: float

    def __post_init__(self) -> None:
        for what in ("calls", "values", "processes", "timeout"):
            value = getattr(self, what)
            if value is not None and not value > 0:
                raise ValueError(f"{what} is {value}: give a number above 0")


def need(jobs: Sequence[Job]) -> None:
    """Refuse to measure what cannot be measured here."""
    if os.environ.get(SPEC):
        raise RuntimeError(
            "the script measures while it is being imported for a measurement: put the "
            'call under if __name__ == "__main__":'
        )
    if not _installed("pyperf"):
        raise MissingPackageError(
            "ontime.cost measures with pyperf, which is not installed: "
            "pip install pyperf"
        )
    for job in jobs:
        if lacks := job.lacks():
            raise MissingPackageError(lacks)


def _installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None
