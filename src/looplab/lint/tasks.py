"""Tasks and locks: a storm of tasks behind a semaphore, a lock of threads (LAG3)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias

from .channels import Channels
from .findings import LONGEST
from .libraries import LOCKS
from .scopes import Function
from .walk import Walk

__all__ = ["held_locks", "storms"]

_STORM = (
    "makes a task for each item at once, and {sem} in line {line} holds them: start as "
    "many workers on one queue"
)
_HELD = (
    "{lock} is held across the await in line {line}: other threads stop the loop; take "
    "asyncio.Lock or await outside"
)
_SHARED = (
    "{lock} is held across the await in line {line}: other threads stop the loop; "
    "await outside the lock"
)
_SPAWNS = frozenset(("create_task", "ensure_future", "start_soon"))
_GATHERS = frozenset(("gather", "wait", "as_completed"))
_SEMAPHORES = frozenset(("Semaphore", "BoundedSemaphore", "CapacityLimiter"))
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_Comprehension: TypeAlias = ast.ListComp | ast.GeneratorExp | ast.SetComp
_SMALL = 20  # a loop over so few that are written out is no storm


def _name(node: ast.AST | None) -> str:
    """The last part of a dotted name."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return str(getattr(node, "attr", getattr(node, "id", "")))


def storms(walk: Walk, tree: ast.Module) -> Iterator[tuple[ast.expr, str]]:
    """Tasks that are made for each item and then wait for a semaphore (LAG301)."""
    if not any(_name(call.func) in _SEMAPHORES for call, _, _ in walk.calls):
        return
    semaphores = {
        _name(target)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign | ast.AnnAssign)
        and isinstance(node.value, ast.Call)
        and _name(node.value.func) in _SEMAPHORES
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    }
    if not semaphores:
        return
    workers: dict[str, tuple[str, int]] = {}
    for function in walk.scopes:
        if isinstance(function, ast.AsyncFunctionDef):
            gate = _first_gate(function, semaphores)
            if gate is not None:
                workers[function.name] = gate
    if not workers:
        return
    for node in ast.walk(tree):
        for call, repeated in _spawned(node):
            gate = workers.get(_name(call.func))
            if gate is not None and not _is_small(repeated):
                yield call, _said(_STORM, gate[1], sem=gate[0])


def _said(words: str, line: int, **names: str) -> str:
    """A message of at most 120 characters: a long name gives way."""
    text = words.format(line=line, **names)
    if len(text) > LONGEST:
        text = words.format(line=line, **dict.fromkeys(names, "it"))
    return text


def _first_gate(function: Function, semaphores: set[str]) -> tuple[str, int] | None:
    """The semaphore that a function passes before it does anything else."""
    for statement in function.body:
        if isinstance(statement, ast.Nonlocal | ast.Global) or (
            isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Constant)
        ):
            continue
        if isinstance(statement, ast.AsyncWith):
            name = _name(statement.items[0].context_expr)
            if name in semaphores:
                return name, statement.lineno
        return None
    return None


def _spawned(node: ast.AST) -> Iterator[tuple[ast.Call, ast.expr]]:
    """Calls of coroutine functions that become a task each, and what is iterated."""
    if isinstance(node, ast.For):
        stack: list[ast.AST] = list(node.body)
        while stack:
            one = stack.pop()
            if isinstance(one, (*_FUNCTIONS, ast.For, ast.AsyncFor, ast.While)):
                continue
            if isinstance(one, ast.Call) and _name(one.func) in _SPAWNS and one.args:
                first = one.args[0]
                if isinstance(first, ast.Call):
                    yield first, node.iter
                elif isinstance(first, ast.Name | ast.Attribute):
                    yield (
                        ast.copy_location(
                            ast.Call(func=first, args=[], keywords=[]), one
                        ),
                        node.iter,
                    )
            stack.extend(ast.iter_child_nodes(one))
    elif isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp):
        made = node.elt
        if isinstance(made, ast.Call):
            if _name(made.func) in _SPAWNS and made.args:
                made = made.args[0]
            if isinstance(made, ast.Call):
                yield made, node.generators[0].iter


def _is_small(node: ast.expr) -> bool:
    """Whether what is iterated is written out, or a range of a few."""
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return len(node.elts) <= _SMALL
    if isinstance(node, ast.Call) and _name(node.func) == "range" and node.args:
        last = node.args[0 if len(node.args) == 1 else 1]
        return not isinstance(last, ast.Constant) or (
            isinstance(last.value, int) and last.value <= _SMALL
        )
    return False


def held_locks(
    walk: Walk, channels: Channels, tree: ast.Module
) -> Iterator[tuple[ast.expr, str]]:
    """Locks of threads that are held while a coroutine waits (LAG302)."""
    if not walk.threads:
        return
    locks: set[str] = set()
    others: set[str] = set()
    made = {call for call, value in channels.called.items() if value in LOCKS}
    if not made:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            value = node.value
            ours = value in made
            for target in targets:
                (locks if ours else others).add(_name(target))
    locks -= others
    shared = _in_plain_functions(tree)
    for statement, _ in walk.withs:
        for item in statement.items:
            context = item.context_expr
            name = _name(context)
            if isinstance(context, ast.Call):
                name = "Lock" if context in made else ""
            elif name not in locks:
                continue
            line = _awaits(statement, name) if name else None
            if line is not None:
                words = _SHARED if name in shared else _HELD
                yield context, _said(words, line, lock=name)


def _in_plain_functions(tree: ast.Module) -> set[str]:
    """The names of what a plain function takes, which cannot await a lock."""
    taken: set[str] = set()
    todo: list[tuple[ast.AST, bool]] = [(tree, False)]
    while todo:
        node, plain = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            plain = not isinstance(node, ast.AsyncFunctionDef)
        elif plain and isinstance(node, ast.With):
            taken.update(_name(item.context_expr) for item in node.items)
        elif (
            plain
            and isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "acquire"
        ):
            taken.add(_name(node.func.value))
        todo.extend((child, plain) for child in ast.iter_child_nodes(node))
    return taken


def _awaits(statement: ast.With, lock: str) -> int | None:
    """The line of the first await in a block; None if the lock is let go by hand."""
    stack: list[ast.AST] = list(statement.body)
    lines = []
    while stack:
        node = stack.pop()
        if isinstance(node, _FUNCTIONS):
            continue
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            func = node.func
            if func.attr == "release" and _name(func.value) == lock:
                return None
        if isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith):
            lines.append(node.lineno)
        stack.extend(ast.iter_child_nodes(node))
    return min(lines, default=None)
