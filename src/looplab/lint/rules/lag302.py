"""LAG302: a lock of threads held across an ``await``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..file import File
from ..findings import Report, Rule, shorten
from ..libraries import LOCKS
from ..objects import Objects, name_of, own

RULE = Rule("LAG302", "lock of threads held across an await")


def check(file: File) -> Iterator[Report]:
    """Locks of threads that are held while a coroutine waits."""
    objects = file.objects
    for function in objects.walk.scopes:
        if not isinstance(function, ast.AsyncFunctionDef):
            continue
        held = [x for x in _held_in(objects, function) if objects.is_a(x[1], LOCKS)]
        events = sorted(filter(_matters, own(function)), key=_position) if held else []
        for place, lock, last in held:
            line = _first_await(objects, place, lock, last, events)
            if line is not None:
                words = shorten(
                    f"{{name}} is held across the await in line {line}: other threads "
                    "stop the loop; await outside it, or take asyncio.Lock",
                    name_of(lock) or "Lock", "it",
                )  # fmt: skip
                yield Report(place, words)


def _held_in(
    objects: Objects, function: ast.AsyncFunctionDef
) -> Iterator[tuple[ast.expr, ast.expr, int]]:
    """Where something may be held: the place, the thing, and the last line of that."""
    for node in own(function):
        if isinstance(node, ast.With):
            for item in node.items:
                yield item.context_expr, item.context_expr, node.end_lineno or 0
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "acquire"
            and node not in objects.walk.awaited
            and not isinstance(objects.parents[node], ast.UnaryOp)  # it was not got
        ):
            yield node, node.func.value, function.end_lineno or 0


def _matters(node: ast.AST) -> bool:
    """Whether something waits, or lets go."""
    return isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith) or (
        isinstance(node, ast.Attribute) and node.attr == "release"
    )


def _position(node: ast.AST) -> tuple[int, int]:
    return node.lineno, node.col_offset  # type: ignore[attr-defined]


def _first_await(
    objects: Objects, place: ast.expr, lock: ast.expr, last: int, events: list[ast.AST]
) -> int | None:
    """The line of the first await from a place to a line, unless the lock is let go."""
    for node in events:
        line, _ = _position(node)
        if _position(node) > _position(place) and line <= last:
            if not isinstance(node, ast.Attribute):
                return line
            if objects.key(node.value) == objects.key(lock):
                return None
    return None
