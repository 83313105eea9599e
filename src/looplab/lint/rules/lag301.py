"""LAG301: a task for each item, held by a semaphore."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from ..file import File
from ..findings import Report, Rule, shorten
from ..libraries import SPAWNS
from ..names import Body
from ..objects import COMPREHENSIONS, Objects, called, name_of, own
from ..sleeps import inside
from ..sources import FEW, size

RULE = Rule("LAG301", "task for each item, held by a semaphore")

_SEMAPHORES = frozenset(
    f"{module}.{name}"
    for module in ("asyncio", "anyio", "trio")
    for name in ("Semaphore", "BoundedSemaphore", "CapacityLimiter")
)


def check(file: File) -> Iterator[Report]:
    """Tasks that are made for each item and then wait for a semaphore."""
    objects = file.objects
    for node in objects.nodes:
        for place, func, source in _spawned(node):
            gates = [_first_gate(objects, body) for body in objects.functions(func)]
            for name, line in filter(None, gates):
                if isinstance(node, ast.AsyncFor) or (size(objects, source) or 0) > FEW:
                    words = shorten(
                        "makes a task for each item at once, and {name} in line "
                        f"{line} holds them: start as many workers on one queue",
                        name, "a semaphore",
                    )  # fmt: skip
                    yield Report(place, words)


def _first_gate(objects: Objects, function: Body) -> tuple[str, int] | None:
    """The semaphore that a coroutine passes before it waits for anything else."""
    for statement in (
        function.body if isinstance(function, ast.AsyncFunctionDef) else ()
    ):
        if isinstance(statement, ast.AsyncWith):
            context = statement.items[0].context_expr
            if objects.is_a(context, _SEMAPHORES):
                return name_of(context), statement.lineno
        waits = ast.Await | ast.AsyncWith | ast.AsyncFor
        if any(isinstance(node, waits) for node in (statement, *own(statement))):
            return None
    return None


def _spawns(node: ast.AST) -> TypeGuard[ast.Call]:
    """Whether this makes a task."""
    return isinstance(node, ast.Call) and (
        bool(node.args) and name_of(node.func) in SPAWNS
    )


def _spawned(node: ast.AST) -> Iterator[tuple[ast.Call, ast.expr, ast.expr]]:
    """Where a task is made for each item: of which function, and of which items."""
    if isinstance(node, ast.For | ast.AsyncFor):
        if any(isinstance(inner, ast.Await) for inner in own(node)):
            return  # it may wait for some of them
        for inner in inside(node):
            if _spawns(inner):
                first = inner.args[0]
                made = first.func if isinstance(first, ast.Call) else first
                yield inner, made, node.iter
    elif isinstance(node, COMPREHENSIONS):
        call = getattr(node, "elt", None)
        if not isinstance(call, ast.Call):
            return
        if _spawns(call) and isinstance(call.args[0], ast.Call):
            call = call.args[0]
        yield call, call.func, node.generators[0].iter
    elif isinstance(node, ast.Call) and called(node) == "map" and len(node.args) == 2:
        yield node, node.args[0], node.args[1]
