"""The numbers that the tools are given: one way to check them, one percentile.

Each check returns the number, or raises an error that names the value and the fix:
:exc:`TypeError` for what is no number at all, :exc:`ValueError` for one out of range.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import SupportsFloat

__all__ = ["NS", "any_number_of", "count_of", "number_of", "percentile", "seconds_of"]

#: Nanoseconds in a second.
NS = 1_000_000_000


def seconds_of(
    value: object, what: str, *, above: bool = False, none: str = ""
) -> float:
    """Return *value* as a finite number of seconds, 0 or more.

    Args:
        value: what was given.
        what: its name, for the error.
        above: whether it must be above 0.
        none: see :func:`count_of`.

    Raises:
        TypeError: it is not a number.
        ValueError: it is negative, infinite or not a number; or 0, if *above*.
    """
    kind = "number of seconds"
    return number_of(value, what, kind, unit=" s", above=above, none=none)


def number_of(
    value: object,
    what: str,
    kind: str,
    *,
    unit: str = "",
    above: bool = False,
    none: str = "",
) -> float:
    """Return *value* as a finite number, 0 or more.

    Args:
        value: what was given.
        what: its name, for the error.
        kind: what is asked for, such as ``"number of seconds"``, for the error.
        unit: what follows the value in the error.
        above: whether it must be above 0.
        none: see :func:`count_of`.

    Raises:
        TypeError: it is not a number.
        ValueError: it is negative, infinite or not a number; or 0, if *above*.
    """
    other = _or_none(none)
    number = _number(value, what, f"{kind}{other}")
    if 0 <= number < math.inf and (number or not above):
        return number
    least = "above 0" if above else "0 or more"
    raise ValueError(f"{what} is {value}{unit}: give a finite {kind}, {least}{other}")


def any_number_of(value: object, what: str, kind: str) -> float:
    """Return *value* as a number, which may be negative or infinite.

    Args:
        value: what was given.
        what: its name, for the error.
        kind: what is asked for, for the error.

    Raises:
        TypeError: it is not a number.
        ValueError: it is ``nan``.
    """
    number = _number(value, what, kind)
    if math.isnan(number):
        raise ValueError(f"{what} is nan: give a {kind}")
    return number


def _number(value: object, what: str, kind: str) -> float:
    if isinstance(value, bool) or not isinstance(value, SupportsFloat):
        raise TypeError(f"expected {what} as a {kind}, got {_shown(value)}")
    try:
        return float(value)
    except OverflowError:  # a whole number of very many digits
        return -math.inf if value < 0 else math.inf  # type: ignore[operator]


def count_of(
    value: object,
    what: str,
    *,
    least: float = 1,
    most: int | None = None,
    none: str = "",
    why: str = "",
    kind: str = "whole number",
) -> int:
    """Return *value* as a whole number.

    Args:
        value: what was given.
        what: its name, for the error.
        least: the smallest that will do.
        most: the greatest that will do; any if None.
        none: what ``None`` would mean, for the error of a setting that may be ``None``;
            the caller deals with ``None`` itself.
        why: why it must not be less, for the error.
        kind: what is asked for, for the error.

    Raises:
        TypeError: it is not a whole number.
        ValueError: it is below *least* or above *most*.
    """
    other = _or_none(none)
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"expected {what} as a {kind}{other}, got {_shown(value)}")
    if value < least:
        because = f", because {why}" if why else ""
        raise ValueError(f"{what} is {value}: give {least} or more{other}{because}")
    if most is not None and value > most:
        raise ValueError(f"{what} is {value:,}: give {most:,} or fewer{other}")
    return value


def percentile(values: Iterable[float], p: float) -> float:
    """Return the *p*-th percentile of *values*, by nearest rank.

    It is the smallest value that is not exceeded by at least *p* % of them, so it is
    always one of *values*.  ``percentile(values, 0)`` is the smallest.

    Raises:
        TypeError: *p* is not a number.
        ValueError: *p* is not between 0 and 100, or there are no values.
    """
    if isinstance(p, bool) or not isinstance(p, (int, float)):
        raise TypeError(f"expected p as a number from 0 to 100, got {_shown(p)}")
    if not 0 <= p <= 100:
        raise ValueError(f"p is {p}: give a number from 0 to 100")
    ordered = sorted(values)
    if not ordered:
        raise ValueError("there are no values, so they have no percentile")
    # Rounded, because 7 % of 100 is 7 and not a little more.
    rank = math.ceil(round(len(ordered) * p / 100, 9))
    return ordered[max(rank, 1) - 1]


def _or_none(what: str) -> str:
    return f", or None for {what}" if what else ""


def _shown(value: object) -> str:
    if value is None:
        return "None"
    return f"{value!r:.60}, a {type(value).__name__}"
