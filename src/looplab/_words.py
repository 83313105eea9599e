"""Numbers and times as a reader wants them: one formatter of seconds."""

from __future__ import annotations

from looplab._numbers import NS

__all__ = ["many", "moment", "seconds"]


def seconds(ns: int) -> str:
    """Return *ns* nanoseconds in a unit and with as many digits as a reader wants."""
    size = abs(ns)
    if size == 0:
        return "0 s"
    if size >= 100 * NS:
        return f"{ns / NS:,.0f} s"
    if size >= 10 * NS:
        return f"{ns / NS:.2f} s"
    if size >= 1_000_000:
        return f"{ns / NS:.3f} s"
    if size >= 1_000:
        return f"{ns / 1_000:.0f} µs"
    return f"{ns} ns"


def moment(ns: int) -> str:
    """Return *ns* nanoseconds as a point in time: without zeros at the end."""
    number, unit = seconds(ns).split(" ")
    if "." in number:
        number = number.rstrip("0").rstrip(".")
    return f"{number} {unit}"


def many(count: int, noun: str) -> str:
    """Return a count with its noun, in the plural unless it is 1."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
