"""The name of an OpenTelemetry span, where a program makes spans and no tag is set."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import Context
from importlib import import_module
from typing import Any

from .tags import Tag

__all__ = ["span_reader"]

_KEPT = 4096  # spans whose tag is remembered


def span_reader(named: Callable[[Tag], None]) -> Callable[[Context], Tag | None]:
    """Return what finds a tag that stands for the span of a context.

    Args:
        named: is told each tag that is made.

    Raises:
        ImportError: if OpenTelemetry is not installed.
    """
    get_current_span = import_module("opentelemetry.trace").get_current_span
    known: dict[int, Tag] = {}

    def read(context: Context) -> Tag | None:
        try:
            span: Any = context.run(get_current_span)
        except RuntimeError:  # the context is in use: a callback within a callback
            return None
        number = span.get_span_context().span_id
        if not number:
            return None
        tag = known.get(number)
        if tag is None:
            while len(known) >= _KEPT:
                del known[next(iter(known))]
            tag = known[number] = Tag(str(getattr(span, "name", "span")))
            named(tag)
        return tag

    return read
