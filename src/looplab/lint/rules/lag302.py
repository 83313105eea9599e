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
    if not LOCKS & set(objects.names.called.values()) and not any(
        module in objects.walk.imported for module in ("threading", "multiprocessing")
    ):
        return
    for function in objects.walk.scopes:
        if not isinstance(function, ast.AsyncFunctionDef):
            continue
        for place, expression, line in _held_in(objects, function):
            if not objects.is_a(expression, LOCKS):
                continue
            words = shorten(
                f"{{name}} is held across the await in line {line}: other threads stop "
                "the loop; await outside it, or take asyncio.Lock",
                name_of(expression) or "Lock", "it",
            )  # fmt: skip
            yield Report(place, words)


def _held_in(
    objects: Objects, function: ast.AsyncFunctionDef
) -> Iterator[tuple[ast.expr, ast.expr, int]]:
    """Where something is held across an await: the place, the thing, that line."""
    acquired: list[tuple[ast.Call, ast.expr]] = []
    for node in own(function):
        if isinstance(node, ast.With):
            for item in node.items:
                line = _awaits(node, item.context_expr)
                if line is not None:
                    yield item.context_expr, item.context_expr, line
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "acquire"
            and node not in objects.walk.awaited
            and not isinstance(objects.parents[node], ast.UnaryOp)  # it was not got
        ):
            acquired.append((node, node.func.value))
    if not acquired:
        return
    events = sorted(
        (
            (node.lineno, node.col_offset, node)
            for node in own(function)
            if isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith)
            or (isinstance(node, ast.Attribute) and node.attr == "release")
        ),
        key=lambda event: event[:2],
    )
    for call, lock in acquired:
        key = objects.key(lock)
        for line, column, node in events:
            if (line, column) <= (call.lineno, call.col_offset):
                continue
            if isinstance(node, ast.Attribute):
                if objects.key(node.value) == key:
                    break
            else:
                yield call, lock, line
                break


def _awaits(statement: ast.With, lock: ast.expr) -> int | None:
    """The line of the first await in a block; None if the lock is let go by hand."""
    lines = []
    name = ast.unparse(lock)
    for part in statement.body:
        for node in (part, *own(part)):
            if (
                isinstance(node, ast.Attribute)
                and node.attr == "release"
                and ast.unparse(node.value) == name
            ):
                return None
            if isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith):
                lines.append(node.lineno)
    return min(lines, default=None)
