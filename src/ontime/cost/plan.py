"""What is to be measured, how much, and whether it can be measured here."""

from __future__ import annotations

import importlib.util
import os
import reprlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ontime.measuring.sending import pack

from .clean import SPEC
from .reference import Reference
from .variants import VARIANTS

__all__ = ["LOOPS", "Job", "MissingPackageError", "Order", "Plan", "need"]

LOOPS = ("asyncio", "uvloop")


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
            raise TypeError(
                f"args must be a tuple, not {reprlib.repr(self.args)}: "
                "write args=(x,) for one argument"
            )
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
        # Here, since a clean interpreter imports this module and is to stay small.
        from looplab._numbers import count_of, seconds_of

        if self.calls is not None:
            count_of(self.calls, "calls", none="as many as fill a value")
        count_of(self.values, "values")
        count_of(self.processes, "processes")
        seconds_of(self.timeout, "timeout", above=True)


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
