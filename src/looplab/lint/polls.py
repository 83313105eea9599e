"""Which ``while`` loops poll: they sleep for a moment, and then ask again.

There are two shapes.  A loop takes from something if there is something in it, and else
sleeps.  Or it does nothing but ask, and sleep, until another function of the file has
made the answer true.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import NamedTuple, TypeGuard

from .libraries import CHANNELS, SAYS, words
from .objects import LOOPS, called, mentions, name_of, own
from .sleeps import Sleeps, catches, inside, leaves, waits

_CLOCKS = words("time monotonic perf_counter process_time current_time now")
# Calls whose answer changes only by what this program does.
_INSIDE = _CLOCKS | words(
    "len any all bool getattr max min done empty full is_set qsize locked get values "
    "keys items get_running_loop"
)
# Calls that are no work of a loop: it says what it does, or looks at the clock.
_IDLE = _INSIDE | SAYS | words("get_nowait pop popleft task_done")
# Exceptions of what is empty.
_EMPTY = ("Empty", "Index", "WouldBlock", "Key")
# What a process of the system sets.
_OUTSIDE = frozenset(("returncode", "pid", "exitcode"))


class Poll(NamedTuple):
    """A loop that polls."""

    taken: ast.expr | None = None  # what it takes from; None if it only asks
    thread: bool = False  # whether a thread makes the answer true


def poll(sleeps: Sleeps, call: ast.Call) -> Poll | None:
    """How the loop around a sleep polls with it; None if it does not."""
    statement = sleeps.statement(call)
    if statement is None:
        return None
    path: list[tuple[ast.AST, ast.AST]] = []
    for parent, child in sleeps.objects.around(statement):
        path.append((parent, child))
        if isinstance(parent, LOOPS):
            break
    loop, top = path[-1] if path else (statement, statement)
    if not isinstance(loop, ast.While) or top in (loop.test, *loop.orelse):
        return None
    always = all(
        isinstance(parent, ast.With) or (isinstance(parent, ast.Try)
                                         and child in (*parent.body, *parent.finalbody))
        for parent, child in path[:-1]
    )  # fmt: skip
    befores = (sleeps.objects.before(child) for _, child in path)
    waited = any(any(map(waits, statements)) for statements in befores) or (
        always and any(other is not top for other in _waiting(loop))
    )
    taken = None if waited else _taken(sleeps, loop)
    if taken is not None:
        name = ast.unparse(taken)
        if always or any(_is_empty(*step, name) for step in path[:-1]):
            return Poll(taken)
    return _asks(sleeps, loop) if always else None


@lru_cache(maxsize=64)  # a loop may have many sleeps
def _waiting(loop: ast.While) -> list[ast.stmt]:
    """The statements in the body of a loop that surely await something."""
    return list(filter(waits, loop.body))


def _is_empty(parent: ast.AST, child: ast.AST, name: str) -> bool:
    """Whether a place is come to when nothing is there."""
    if isinstance(parent, ast.ExceptHandler):
        return catches(parent, *_EMPTY)
    return isinstance(parent, ast.If) and name in mentions(parent.test)


def _takes_now(call: ast.AST, sleeps: Sleeps) -> TypeGuard[ast.Call]:
    """Whether this takes what is there, and does not wait for more."""
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    objects, method = sleeps.objects, call.func.attr
    given = [*call.args, *(word.value for word in call.keywords)]
    constants = {arg.value for arg in given if isinstance(arg, ast.Constant)}
    if method == "get" and call in objects.walk.awaited:
        return any(
            isinstance(parent, ast.If) and child in parent.body
            and isinstance(parent.test, ast.UnaryOp)
            and called(parent.test.operand) == "empty"
            for parent, child in objects.around(call)
        )  # fmt: skip
    return (
        method in ("get_nowait", "receive_nowait", "popleft")
        or (method == "get" and (not given or constants == {False}))
        or (method == "pop" and len(call.args) < 2 and len(constants) == len(given))
    ) and not isinstance(objects.parents[call], ast.Raise)


@lru_cache(maxsize=64)
def _taken(sleeps: Sleeps, loop: ast.While) -> ast.expr | None:
    """What a loop takes from if there is something in it, before any other wait.

    A loop that looks at the clock, but not to end, does something now and then.
    """
    asked: set[str] = set()
    takes: list[ast.Call] = []
    ends = set(ast.walk(loop.test))
    for node in own(loop):
        if isinstance(node, ast.If | ast.While):
            asked |= mentions(node.test)
            if isinstance(node, ast.While) or leaves(node.body):
                ends |= set(ast.walk(node.test))
        elif isinstance(node, ast.Try) and any(
            catches(x, *_EMPTY) for x in node.handlers
        ):
            for part in node.body:
                for inner in (part, *own(part)):
                    if _takes_now(inner, sleeps):
                        asked.add(ast.unparse(inner.func.value))  # type: ignore[attr-defined]
        elif _takes_now(node, sleeps):
            takes.append(node)
    names = set(map(name_of, ends)) - {""}
    for node in own(loop):
        into = getattr(sleeps.objects.parents[node], "targets", [None])[0]
        if called(node) in _CLOCKS and node not in ends and name_of(into) not in names:
            return None
    for call in takes:
        target: ast.expr = call.func.value  # type: ignore[attr-defined]
        if ast.unparse(target) in asked and not any(
            isinstance(node, ast.Await)
            and node.value not in sleeps.short
            and node.lineno < call.lineno
            for node in own(loop)
        ):
            return target
    return None


@lru_cache(maxsize=64)
def _asks(sleeps: Sleeps, loop: ast.While) -> Poll | None:
    """Whether a loop asks until something has happened that this program does.

    It goes on for ever if nothing ends it, and what a call asks, such as whether a file
    is there or a process is alive, may be known by asking only.
    """
    tests = [loop.test]
    if isinstance(loop.test, ast.Constant):
        tests = [
            node.test for node in inside(loop) if isinstance(node, ast.If)
            and any(isinstance(part, ast.Break | ast.Return)
                    for part in (*node.body, *node.orelse))
        ]  # fmt: skip
    nodes = [node for test in tests for node in ast.walk(test)]
    if _works(sleeps, loop, {name_of(node) for node in nodes}) or any(
        (isinstance(node, ast.Call) and name_of(node.func) not in _INSIDE)
        or name_of(node) in _OUTSIDE
        for node in nodes
    ):
        return None
    parts = [
        part
        for test in tests
        for part in (test.values if isinstance(test, ast.BoolOp) else [test])
        if not any(name_of(node) in _CLOCKS for node in ast.walk(part))
    ]
    changes = [_changers(sleeps, loop, part) for part in parts]
    spins = any(call in sleeps.zero for call in inside(loop))
    if not parts or not (spins or all(changes)):
        return None
    changers = set().union(*changes)
    return Poll(thread=not changers.isdisjoint(sleeps.objects.threads))


def _works(sleeps: Sleeps, loop: ast.While, asked: set[str]) -> bool:
    """Whether a loop does more than ask: then it is periodic, and no poll."""
    leaving = {
        inner
        for node in inside(loop)
        if isinstance(node, ast.If) and leaves(node.body)
        for part in node.body
        for inner in ast.walk(part)
    }
    for node in inside(loop):
        if isinstance(node, ast.Call) and node not in leaving | sleeps.short.keys():
            over = getattr(node.func, "value", None)
            takes = _takes_now(node, sleeps) and name_of(over) in asked
            if called(node) not in _IDLE or takes:
                return True
        elif isinstance(node, ast.Await) and node.value not in sleeps.short:
            return True
        elif isinstance(node, ast.AugAssign) and name_of(node.target) in asked:
            return True  # it counts what it asks
        elif isinstance(node, ast.Assign) and node in loop.body:
            hidden = all(isinstance(target, ast.Name) for target in node.targets)
            if not hidden and not isinstance(node.value, ast.Constant):
                return True  # others see it
    if any(isinstance(node, LOOPS) for part in loop.body for node in ast.walk(part)):
        return True
    # Until there are some, or for a while, whichever is first: it gathers.
    return any(
        isinstance(node, ast.Compare)
        and isinstance(node.ops[0], ast.Lt | ast.LtE)
        and "len" in {name_of(part) for part in ast.walk(node.left)}
        for node in ast.walk(loop.test)
    ) and any(name_of(node) in _CLOCKS for node in inside(loop))


def _changers(
    sleeps: Sleeps, loop: ast.While, test: ast.expr, depth: int = 3
) -> set[ast.AST | None]:
    """The other functions of the file that change the answer to a question.

    Where nobody does, the advice has no place to be followed.  A future, a task, a lock
    and a queue of asyncio can be awaited as they are.
    """
    objects = sleeps.objects
    changers: set[ast.AST | None] = set()
    for node in ast.walk(test):
        last = called(node)
        if last in ("done", "locked") or (
            last in ("empty", "qsize")
            and not objects.kinds(node.func.value) - CHANNELS.keys()  # type: ignore[attr-defined]
        ):
            changers.add(None)
        if isinstance(node, ast.Name | ast.Attribute):
            over = objects.parents[node]
            key = objects.key(node)
            for function in objects.functions(node) if depth else ():  # a property
                for inner in own(function):
                    if isinstance(inner, ast.Return) and inner.value is not None:
                        changers |= _changers(sleeps, loop, inner.value, depth - 1)
            if key is not None and (
                not isinstance(over, ast.Attribute)
                or isinstance(objects.parents[over], ast.Call)  # a method of it
            ):
                for place in {key, *objects.neighbours(key)}:
                    changers |= sleeps.changes.get(place, set())
    return changers - {objects.function(loop)}
