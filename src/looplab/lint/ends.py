"""Whether what is put into a channel says that nothing more will come."""

from __future__ import annotations

import ast
import re

from .places import name_of
from .traffic import Use
from .uses import Uses

__all__ = ["is_end"]

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_ENDS = frozenset(
    [
        "sentinel",
        "stop",
        "stopped",
        "done",
        "end",
        "ended",
        "exc",
        "err",
        "error",
        "exception",
        "finish",
        "finished",
        "quit",
        "shutdown",
        "poison",
        "close",
        "closed",
        "disconnect",
        "complete",
        "completed",
        "eof",
        "signal",
        "terminate",
        "terminated",
        "termination",
        "terminator",
    ]
)
_ENDING = re.compile(r"disconnect|close|shutdown|startup|complete|end|stop|error")


def is_end(use: Use, uses: Uses) -> bool:
    """Whether what is put says that nothing more will come."""
    return use.item is not None and _says(use.item, use, uses)


def _says(item: ast.expr, use: Use, uses: Uses) -> bool:
    """The same, for an item or a part of one."""
    if isinstance(item, ast.Constant):
        # `put(None)` once says the end; in each iteration it says another thing.
        return item.value is None or isinstance(item.value, bool)
    if isinstance(item, ast.Tuple):
        return any(
            _says(one, use, uses) for one in item.elts if isinstance(one, ast.Name)
        )
    if isinstance(item, ast.Dict):
        words = [one.value for one in item.values if isinstance(one, ast.Constant)]
        # What is the same each time is a signal, too: {"type": "websocket.connect"}.
        return len(words) == len(item.values) or any(
            isinstance(one, str) and _ENDING.search(one) for one in words
        )
    node: ast.expr = item.func if isinstance(item, ast.Call) else item
    name = name_of(node)
    if not name:
        return False
    if isinstance(item, ast.Call) and any(_is_closing(one) for one in item.args):
        return True
    if isinstance(item, ast.Name) and _is_given(item.id, use):
        return False  # it comes from outside, and may be anything
    return _says_end(name) or (
        not isinstance(item, ast.Call) and name.isupper() and len(name) > 1
    )


def _is_given(name: str, use: Use) -> bool:
    """Whether a parameter or a loop binds a name."""
    function = use.function
    if function is None:
        return False
    every = function.args
    if name in {
        one.arg for one in (*every.posonlyargs, *every.args, *every.kwonlyargs)
    }:
        return True
    return any(
        isinstance(node, ast.For | ast.AsyncFor | ast.comprehension)
        and any(
            isinstance(one, ast.Name) and one.id == name
            for one in ast.walk(node.target)
        )
        for node in ast.walk(function)
    )


def _says_end(name: str) -> bool:
    """Whether the last word of a name is one for the end: ``StopSignal``, ``_DONE``."""
    words = _WORD.findall(name)
    return bool(words) and words[-1].lower() in _ENDS


def _is_closing(node: ast.expr) -> bool:
    """Whether an argument is a member of an enumeration such as ``Kind.closed``."""
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id[:1].isupper()
        and _says_end(node.attr)
    )
