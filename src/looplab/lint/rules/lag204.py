"""LAG204: ``sleep(0)`` after what it does not hold back."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..file import File
from ..findings import Report, Rule

RULE = Rule("LAG204", "sleep(0) after what it does not hold back")

_QUEUE = "sleep(0) after {name}() does not make the other side keep up: {advice}"


def check(file: File) -> Iterator[Report]:
    """Each ``sleep(0)`` behind a method of a queue, or a write that nobody drains."""
    sleeps = file.sleeps
    for call in sleeps.zero:
        writer = sleeps.undrained(call)
        if writer is not None:
            advice = f"await {writer}.drain()"
            yield Report(call, _QUEUE.format(name="write", advice=advice))
        elif not sleeps.polled(call) and (after := sleeps.after(call)) is not None:
            yield Report(call, _advice(after, sleeps.bounds.get(after)))


def _advice(func: ast.Attribute, bound: bool | None) -> str:
    """What to do about a sleep behind a method of a queue."""
    name = func.attr
    wait = name.removesuffix("_nowait")
    if name in ("put_nowait", "send_nowait"):
        advice = f"await {wait}() in place of {name}() and sleep(0)"
        if not bound:
            advice = f"bound the queue, and await {wait}() in place of both"
    elif bound:
        advice = "leave it out"
    elif bound is None:
        advice = "leave it out, and see that the queue has a bound"
    else:
        advice = "leave it out and bound the queue"
    return _QUEUE.format(name=name, advice=advice)
