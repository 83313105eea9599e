"""The text of a cell's value, laid out as a notebook lays it out."""

from __future__ import annotations

import inspect
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from types import BuiltinFunctionType, FunctionType, SimpleNamespace
from typing import Any

from ._guard import own_builtins

__all__ = ["pretty"]

__builtins__ = own_builtins  # type: ignore[assignment]

WIDTH = 79  # columns that a line may have
LONGEST = 1000  # items of a container that are shown
DEEPEST = 50  # containers in one another


def pretty(value: object) -> str:
    """The ``repr`` of *value*, a long container over several lines.

    Lists, tuples, sets and dicts whose text does not fit into a line have an item a
    line.  A class is called by its name, and a function by its signature.
    """
    return _lay_out(value, 0, 0, 0, frozenset())


def _leaf(value: object) -> str:
    if isinstance(value, type):
        return _name(value)
    if isinstance(value, (FunctionType, BuiltinFunctionType)):
        return f"<function {_name(value)}{_signature(value)}>"
    return repr(value)


def _name(value: Any) -> str:
    module, name = value.__module__, value.__qualname__
    return name if module in (None, "builtins") else f"{module}.{name}"


def _signature(value: Any) -> str:
    try:
        return str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""


def _lay_out(
    value: Any, indent: int, column: int, after: int, inside: frozenset[int]
) -> str:
    """The text of a value that begins at *column*; *after* columns follow it.

    A line of it that is broken goes on at *indent*, which counts the brackets that are
    open, and no keys.
    """
    brackets = _brackets(value)
    if brackets is None:
        return _leaf(value)
    if id(value) in inside or len(inside) > DEEPEST:
        return "...".join(brackets)
    line = _one_line(value, WIDTH - column - after, inside)
    if line is not None:
        return line
    inside |= {id(value)}
    opening, closing = brackets
    if type(value) is defaultdict:  # its items stand in a dict of their own
        indent += len("defaultdict(")
        items = _lay_out(dict(value), indent, indent, after + 1, inside)
        factory = _leaf(value.default_factory)
        return f"defaultdict({factory},\n{' ' * indent}{items})"
    indent, column = indent + len(opening), column + len(opening)
    parts: list[str] = []
    mapping, joint = _mapping(value)
    left = len(value if mapping is None else mapping)
    for item in _items(value):
        left -= 1
        if len(parts) == LONGEST:
            parts.append("...")
            break
        room = 1 if left else len(closing) + after
        if mapping is not None:
            named = joint == "="
            key = item if named else _lay_out(item, indent, column, 2, inside)
            begins = column + len(key.rpartition("\n")[2]) + len(joint)
            inner = indent + len(key) + len(joint) if named else indent
            text = _lay_out(mapping[item], inner, begins, room, inside)
            parts.append(f"{key}{joint}{text}")
        else:
            parts.append(_lay_out(item, indent, column, room, inside))
        column = indent
    comma = "," if isinstance(value, tuple) and len(value) == 1 else ""
    return opening + (",\n" + " " * indent).join(parts) + comma + closing


def _one_line(value: Any, room: int, inside: frozenset[int]) -> str | None:
    """The text of a value in one line; None where it does not fit into *room*."""
    brackets = _brackets(value)
    if brackets is None or id(value) in inside or len(inside) > DEEPEST:
        leaf = "...".join(brackets) if brackets else _leaf(value)
        return leaf if len(leaf) <= room and "\n" not in leaf else None
    inside |= {id(value)}
    opening, closing = brackets
    room -= len(opening) + len(closing)
    mapping, joint = _mapping(value)
    if len(value if mapping is None else mapping) > room:  # each takes a column
        return None
    parts: list[str] = []
    for item in _items(value):
        line = item if joint == "=" else _one_line(item, room, inside)
        if line is not None and mapping is not None:
            text = _one_line(mapping[item], room - len(line), inside)
            line = None if text is None else f"{line}{joint}{text}"
        if line is None:
            return None
        room -= len(line) + 2
        parts.append(line)
    comma = "," if isinstance(value, tuple) and len(value) == 1 else ""
    return opening + ", ".join(parts) + comma + closing if room >= -2 else None


def _brackets(value: object) -> tuple[str, str] | None:
    """What stands around the items of a container; None for everything else.

    A class of its own with its own ``repr`` is not laid out.
    """
    for kind, opening, closing in (
        (list, "[", "]"),
        (tuple, "(", ")"),
        (dict, "{", "}"),
        (set, "{", "}"),
        (frozenset, "frozenset({", "})"),
        (deque, "deque([", "])"),
    ):
        if type(value) is kind and value:
            if isinstance(value, deque) and value.maxlen is not None:
                return None
            return opening, closing
    if type(value) is SimpleNamespace and vars(value):
        return "namespace(", ")"
    if type(value) is defaultdict:
        return f"defaultdict({_leaf(value.default_factory)}, {{", "})"
    return None


def _mapping(value: Any) -> tuple[Mapping[Any, Any] | None, str]:
    """The values by key, and what stands between the two."""
    if isinstance(value, SimpleNamespace):
        return vars(value), "="
    return (value, ": ") if isinstance(value, Mapping) else (None, "")


def _items(value: Any) -> Iterable[Any]:
    if isinstance(value, SimpleNamespace):
        return list(vars(value))
    if isinstance(value, (set, frozenset)):
        for key in None, str:
            try:
                return sorted(value, key=key)
            except Exception:
                continue  # the items have no order
    return list(value)
