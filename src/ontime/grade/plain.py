"""Plain data between processes that do not trust each other, as JSON.

Only numbers, texts and containers of them pass: no object, and so no code.  A value
that is none of these becomes an :class:`Opaque`, which has nothing but the text that it
prints as.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

__all__ = ["NotPlainError", "Opaque", "pack", "packed_or_opaque", "unpack"]

_MOST_ITEMS, _DEEPEST, _LONGEST = 10_000, 8, 20_000


class NotPlainError(ValueError):
    """A value is more than plain data, or too large."""


class Opaque:
    """What is known of a value that is no plain data: how it printed."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def pack(value: object, depth: int = 0) -> Any:
    """*value* as JSON can hold it.

    Raises:
        NotPlainError: it is no plain data.
    """
    if depth > _DEEPEST:
        raise NotPlainError("too deep")
    if value is None or value is ... or isinstance(value, bool):
        return [repr(value)]
    # The methods of the plain class: one below it may print as it likes.
    if isinstance(value, int):
        return _text("int", int.__repr__(value))
    if isinstance(value, float):
        return _text("float", float.__repr__(value))
    if isinstance(value, str):
        return _text("str", str.__str__(value))
    if isinstance(value, dict):
        pairs = dict.items(value)
        return ["dict", _all(((k, v) for k, v in pairs), depth)]
    if isinstance(value, list):
        return ["list", _all(list.__iter__(value), depth)]
    if isinstance(value, tuple):
        return ["tuple", _all(tuple.__iter__(value), depth)]
    if isinstance(value, (set, frozenset)):
        return ["set", _all(list(value), depth)]
    if isinstance(value, range):
        return ["list", _all(value, depth)]
    raise NotPlainError(f"a {type(value).__name__} is no plain data")


def _text(kind: str, text: str) -> list[str]:
    if len(text) > _LONGEST:
        raise NotPlainError("too long")
    return [kind, text]


def _all(values: Iterable[object], depth: int) -> list[Any]:
    found = list(islice(values, _MOST_ITEMS + 1))
    if len(found) > _MOST_ITEMS:
        raise NotPlainError("too many items")
    return [pack(value, depth + 1) for value in found]


def packed_or_opaque(value: object) -> Any:
    """*value* packed, or what it prints as; never raises an ``Exception``."""
    try:
        return pack(value)
    except Exception:
        pass
    try:
        return ["opaque", repr(value)[:200]]
    except Exception:
        return ["opaque", "a value that cannot be printed"]


def unpack(packed: Any, depth: int = 0) -> Any:
    """The value that was packed, or an :class:`Opaque`.

    Raises:
        NotPlainError: nothing of ours has packed it.
    """
    try:
        return _unpack(packed, depth)
    except (KeyError, IndexError, TypeError, ValueError, RecursionError) as error:
        raise NotPlainError(f"cannot be read: {error}") from None


def _unpack(packed: Any, depth: int) -> Any:
    if depth > _DEEPEST + 2 or not isinstance(packed, list):
        raise NotPlainError("not packed by us")
    constants = {"None": None, "Ellipsis": ..., "True": True, "False": False}
    kind, *rest = packed
    if not rest:
        return constants[kind]
    (inside,) = rest
    if kind == "opaque":
        return Opaque(str(inside)[:200])
    if kind in ("int", "float", "str"):
        return {"int": int, "float": float, "str": str}[kind](inside)
    values = [_unpack(value, depth + 1) for value in inside]
    if kind == "dict":
        return dict(values)
    containers = {"list": list, "tuple": tuple, "set": set}
    return containers[kind](values)
