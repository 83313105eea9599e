"""Numbers and times as a reader wants them: one formatter of seconds.

:func:`seconds` writes a number of seconds in the steps of a :class:`Scale`, of which
there is one for each use; the timeline, which counts in nanoseconds, has
:func:`duration` and :func:`moment`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from looplab._numbers import NS

__all__ = [
    "REPORT",
    "THREE_DIGITS",
    "TO_THE_MILLISECOND",
    "Scale",
    "duration",
    "many",
    "moment",
    "seconds",
]


@dataclass(frozen=True, slots=True)
class Scale:
    """In which unit, and with how many decimals, a time is written.

    Attributes:
        steps: (least, unit, decimals), the longest first: a time of *least* nanoseconds
            or more, or any if it is the last, is written in that unit.
        zero: what stands for no time at all.
        trimmed: whether zeros at the end are left out.
    """

    steps: tuple[tuple[float, str, int], ...]
    zero: str = "0 s"
    trimmed: bool = False

    def write(self, ns: float) -> str:
        """Return *ns* nanoseconds as a number and a unit."""
        if not ns:
            return self.zero
        fits = (step for step in self.steps if abs(ns) >= step[0])
        _, unit, decimals = next(fits, self.steps[-1])
        number = f"{ns / _SIZES[unit]:,.{decimals}f}"
        if self.trimmed and "." in number:
            number = number.rstrip("0").rstrip(".")
        return f"{number} {unit}"


_SIZES = {"s": NS, "ms": 1_000_000, "µs": 1_000, "ns": 1}
_MS = _SIZES["ms"]
_US = _SIZES["µs"]

# Beside others on one timeline: in seconds as far as milliseconds show.
_DURATION = Scale(
    (
        (100 * NS, "s", 0),
        (10 * NS, "s", 2),
        (0.9995 * _MS, "s", 3),
        (_US, "µs", 0),
        (0, "ns", 0),
    )
)
_MOMENT = replace(_DURATION, trimmed=True)
#: In the report of a recording: as much as a person takes in at a glance.
REPORT = Scale(
    (
        (9.995 * NS, "s", 1),
        (0.9995 * NS, "s", 2),
        (99.5 * _MS, "ms", 0),
        (0.5 * _MS, "ms", 1),
        (0, "µs", 0),
    ),
    zero="0",
)
#: A cost: three digits, and the unit that fits them.
THREE_DIGITS = Scale(
    # 999.7 ns is a microsecond once it has three digits.
    tuple(
        (least * _SIZES[unit], unit, decimals)
        for unit in _SIZES
        for least, decimals in ((99.95, 0), (9.995, 1), (0.9995, 2))
    ),
    zero="0.00 ns",
)
#: A result that is exact: seconds, to the millisecond, without zeros at the end.
TO_THE_MILLISECOND = Scale(((0, "s", 3),), trimmed=True)


def seconds(value: float | None, scale: Scale = REPORT) -> str:
    """Return a number of seconds, or ``?`` for one that is not known.

    >>> seconds(0.0123), seconds(4.78e-07, THREE_DIGITS), seconds(1.5, THREE_DIGITS)
    ('12.3 ms', '478 ns', '1.50 s')
    """
    if value is None:
        return "?"
    # Rounded, or a whole number of nanoseconds would not stay one.
    return scale.write(round(value * NS, 6))


def duration(ns: int) -> str:
    """Return the length of something on a timeline, given in nanoseconds."""
    return _DURATION.write(ns)


def moment(ns: int) -> str:
    """Return a point of a timeline, given in nanoseconds: without zeros at the end."""
    return _MOMENT.write(ns)


def many(count: int, noun: str) -> str:
    """Return a count with its noun, in the plural unless it is 1."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
