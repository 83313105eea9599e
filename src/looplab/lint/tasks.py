"""LAG301 and LAG302: a storm of tasks behind a semaphore, a lock of threads."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .findings import Report, shorten
from .libraries import LOCKS
from .objects import Key, Objects, name_of, own

__all__ = ["held_locks", "storms"]

_SEMAPHORES = frozenset(
    f"{module}.{name}"
    for module in ("asyncio", "anyio", "trio")
    for name in ("Semaphore", "BoundedSemaphore", "CapacityLimiter")
)
_SPAWNS = frozenset(("create_task", "ensure_future", "start_soon"))
_COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp, ast.SetComp)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_SMALL = 100  # a range of so many is no storm


def storms(objects: Objects) -> Iterator[Report]:
    """Tasks that are made for each item and then wait for a semaphore."""
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
                if function in gated and not _is_small(objects, source):
                    name, line = gated[function]
                    words = shorten(
                        "makes a task for each item at once, and {name} in line "
                        f"{line} holds them: start as many workers on one queue",
                        name, "a semaphore",
                    )  # fmt: skip
                    yield Report(place, "LAG301", "lag301", words)


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
    if isinstance(node, ast.For):
        stack: list[ast.AST] = list(node.body)
        while stack:
            inner = stack.pop()
            if isinstance(inner, _LOOPS):
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


def _is_small(objects: Objects, source: ast.expr) -> bool:
    """Whether a source is written out, a slice, or what one call was given."""
    if isinstance(source, ast.List | ast.Tuple | ast.Set | ast.Dict):
        return True
    if isinstance(source, ast.Subscript):
        return isinstance(source.slice, ast.Slice)
    if isinstance(source, ast.Name):
        bound, where = objects.names.bindings(source.id, objects.scope(source))
        return where.kind == "function" and (
            not any(isinstance(what, ast.expr) for what in bound)
            or (
                len(bound) == 1
                and isinstance(bound[0], ast.expr)
                and not isinstance(bound[0], ast.Name)
                and _is_small(objects, bound[0])
            )
        )
    if isinstance(source, ast.Call):
        if name_of(source.func) == "range" and source.args:
            last = source.args[0 if len(source.args) == 1 else 1]
            number = objects.names.number(last, objects.scope(source))
            return number is None or number <= _SMALL
        if name_of(source.func) in ("enumerate", "zip", "list", "set", "sorted"):
            return any(_is_small(objects, arg) for arg in source.args)
        if name_of(source.func) in ("items", "values", "keys", "split"):
            return True
    return False


def held_locks(objects: Objects) -> Iterator[Report]:
    """Locks of threads that are held while a coroutine waits."""
    if not LOCKS & set(objects.names.called.values()) and not any(
        module in objects.walk.imported for module in ("threading", "multiprocessing")
    ):
        return
    plain: set[Key | None] | None = None
    for function in objects.walk.scopes:
        if not isinstance(function, ast.AsyncFunctionDef):
            continue
        for place, expression, line in _held_in(objects, function):
            if not objects.is_a(expression, LOCKS):
                continue
            if plain is None:
                plain = set(_plain(objects))
            shared = objects.key(expression) in plain
            words = shorten(
                f"{{name}} is held across the await in line {line}: other threads stop "
                f"the loop; {'' if shared else 'take asyncio.Lock or '}await "
                "outside" + (" the lock" if shared else ""),
                name_of(expression) or "Lock", "it",
            )  # fmt: skip
            yield Report(place, "LAG302", "lag302", words)


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


def _plain(objects: Objects) -> Iterator[Key | None]:
    """What plain functions take, which cannot await a lock."""
    for function in objects.walk.scopes:
        if isinstance(function, ast.FunctionDef | ast.Lambda):
            for node in own(function):
                if isinstance(node, ast.With):
                    for item in node.items:
                        yield objects.key(item.context_expr)
                elif isinstance(node, ast.Attribute) and node.attr == "acquire":
                    yield objects.key(node.value)
