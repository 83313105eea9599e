"""The commands of the room, such as ``looplab trace`` and ``looplab who``.

A module a command; each has ``ABOUT``, the description, and ``add_arguments(parser)``
and ``run(options, parser)``.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn, TypeVar

T = TypeVar("T")


def stop(text: object, status: int = 2) -> NoReturn:
    """Say one line on standard error and end the command with *status*."""
    print(f"looplab: {text}", file=sys.stderr)
    raise SystemExit(status)


@contextmanager
def uncollected() -> Iterator[None]:
    """Meanwhile no garbage is collected: what is read is kept to the end."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def argument(parse: Callable[[str], T]) -> Callable[[str], T]:
    """What argparse calls for a value; what *parse* says is wrong, it says too."""

    def parsed(text: str) -> T:
        try:
            return parse(text)
        except ValueError as exc:
            raise argparse.ArgumentTypeError(str(exc)) from None

    return parsed
