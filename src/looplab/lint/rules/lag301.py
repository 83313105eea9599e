"""LAG301: a task for each item, held by a semaphore."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..file import File
from ..findings import Report, Rule, shorten
from ..objects import LOOPS, Objects, name_of, own

RULE = Rule("LAG301", "task for each item, held by a semaphore")

_SEMAPHORES = frozenset(
    f"{module}.{name}"
    for module in ("asyncio", "anyio", "trio")
    for name in ("Semaphore", "BoundedSemaphore", "CapacityLimiter")
)
_SPAWNS = frozenset(("create_task", "ensure_future", "start_soon"))
_COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp, ast.SetComp)
_SMALL = 100  # a range of so many is no storm


def check(file: File) -> Iterator[Report]:
    """Tasks that are made for each item and then wait for a semaphore."""
    objects = file.objects
    gated: dict[ast.AST, tuple[str, int]] = {}
    for function in objects.walk.scopes:
        if isinstance(function, ast.AsyncFunctionDef):
            gate = _first_gate(objects, function)
            if gate is not None:
                gated[function] = gate
    if not gated:
        return
    for node in objects.nodes:
        for place, func, source in _spawned(node):
            for function in objects.functions(func):
                if function in gated and (
                    isinstance(node, ast.AsyncFor) or _is_long(objects, source)
                ):
                    name, line = gated[function]
                    words = shorten(
                        "makes a task for each item at once, and {name} in line "
                        f"{line} holds them: start as many workers on one queue",
                        name, "a semaphore",
                    )  # fmt: skip
                    yield Report(place, words)


def _first_gate(
    objects: Objects, function: ast.AsyncFunctionDef
) -> tuple[str, int] | None:
    """The semaphore that a function passes before it waits for anything else."""
    for statement in function.body:
        if isinstance(statement, ast.AsyncWith):
            context = statement.items[0].context_expr
            if objects.is_a(context, _SEMAPHORES):
                return name_of(context), statement.lineno
        if isinstance(statement, ast.AsyncWith | ast.AsyncFor) or any(
            isinstance(node, ast.Await | ast.AsyncWith | ast.AsyncFor)
            for node in own(statement)
        ):
            return None
    return None


def _spawned(node: ast.AST) -> Iterator[tuple[ast.Call, ast.expr, ast.expr]]:
    """Where a task is made for each item: of which function, and of which items."""
    if isinstance(node, ast.For | ast.AsyncFor):
        if any(isinstance(inner, ast.Await) for inner in own(node)):
            return  # it may wait for some of them
        stack: list[ast.AST] = list(node.body)
        while stack:
            inner = stack.pop()
            if isinstance(inner, LOOPS):
                continue
            if (
                isinstance(inner, ast.Call)
                and inner.args
                and name_of(inner.func) in _SPAWNS
            ):
                first = inner.args[0]
                made = first.func if isinstance(first, ast.Call) else first
                yield inner, made, node.iter
            stack.extend(ast.iter_child_nodes(inner))
    elif isinstance(node, _COMPREHENSIONS) and isinstance(node.elt, ast.Call):
        call = node.elt
        if (
            name_of(call.func) in _SPAWNS
            and call.args
            and isinstance(call.args[0], ast.Call)
        ):
            call = call.args[0]
        yield call, call.func, node.generators[0].iter


def _is_long(objects: Objects, source: ast.expr, depth: int = 5) -> bool:
    """Whether a source surely brings many; what is in memory may be few."""
    if isinstance(source, ast.Name):
        for parent, _ in objects.around(source):
            for item in getattr(parent, "items", ()):
                if name_of(item.optional_vars) == source.id:
                    return name_of(getattr(item.context_expr, "func", None)) == "open"
        bound, _ = objects.names.bindings(source.id, objects.scope(source))
        values = [what for what in bound if isinstance(what, ast.expr)]
        return depth > 0 and len(bound) == 1 and any(
            _is_long(objects, value, depth - 1) for value in values
        )  # fmt: skip
    if isinstance(source, ast.GeneratorExp):
        return _is_long(objects, source.generators[0].iter, depth)
    if not isinstance(source, ast.Call):
        return False
    name = name_of(source.func)
    if name == "range" and source.args:
        last = source.args[0 if len(source.args) == 1 else 1]
        number = objects.names.number(last, objects.scope(source))
        return number is not None and number > _SMALL
    if name in ("enumerate", "map", "filter"):
        return any(_is_long(objects, arg, depth) for arg in source.args)
    return objects.names.called.get(source, "").startswith("itertools.") or any(
        isinstance(node, ast.Yield | ast.YieldFrom)
        for function in objects.functions(source.func)
        for node in own(function)
    )
