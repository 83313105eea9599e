"""LAG203: a loop that polls with a short delay, or polls a queue."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..file import File
from ..findings import LONGEST, Report, Rule
from ..objects import name_of, own
from ..sleeps import (
    CLOCKS,
    IDLE,
    INSIDE,
    LOOPS,
    catches,
    inside,
    is_set_by_thread,
    takes_now,
)

RULE = Rule("LAG203", "polling with a short delay")

_DELAY = (
    "sleep({delay}) in a loop asks again and again: await an event or a future that "
    "the other side sets"
)
_TAKES = (
    "sleep({delay}) in a loop polls {name}: await get() of an asyncio.Queue, which "
    "returns as soon as there is an item"
)
_TAKES_THREAD = (
    "sleep({delay}) in a loop polls a queue of threads: await asyncio.to_thread("
    "{name}.get), or fill an asyncio.Queue"
)
THREAD = (
    "sleep({delay}) asks for what a thread does: there loop.call_soon_threadsafe("
    "event.set), here await event.wait()"
)

_THREAD_QUEUES = frozenset(
    f"{module}.{name}"
    for module in ("queue", "multiprocessing")
    for name in ("Queue", "SimpleQueue", "LifoQueue", "PriorityQueue", "JoinableQueue")
)
# What a process of the system sets.
_OUTSIDE = frozenset(("returncode", "pid", "exitcode"))


def check(file: File) -> Iterator[Report]:
    """Each short sleep with which a loop asks again and again."""
    sleeps = file.sleeps
    for call, (_, seconds) in sleeps.short.items():
        for loop in sleeps.delayed(call):
            if call not in sleeps.of(_retried, loop):
                report = _polls(file, call, loop, f"{seconds:g}")
                if report is not None:
                    yield report
                    break


def _polls(file: File, call: ast.Call, loop: ast.While, delay: str) -> Report | None:
    taken = file.sleeps.of(_taken, loop)
    if taken is not None:
        name = ast.unparse(taken)
        template = _TAKES
        if file.objects.kinds(taken) & _THREAD_QUEUES:
            template = _TAKES_THREAD
        message = template.format(delay=delay, name=name)
        if len(message) > LONGEST:
            message = template.format(delay=delay, name="queue")
        return Report(call, message)
    tests = file.sleeps.of(_asks, loop)
    if (
        tests
        and not file.sleeps.of(_works, loop)
        and not file.sleeps.of(_is_batch, loop)
        and not _counts(loop, tests)
        and _is_changed_here(file, loop, tests)
    ):
        if is_set_by_thread(file.objects, loop):
            return Report(call, THREAD.format(delay=delay), "lag203-thread")
        return Report(call, _DELAY.format(delay=delay))
    return None


def _is_changed_here(file: File, loop: ast.While, tests: list[ast.expr]) -> bool:
    """Whether other functions of the file make all conditions true.

    Where nobody does, the advice has no place to be followed.
    """
    parts = [
        part
        for test in tests
        for part in (test.values if isinstance(test, ast.BoolOp) else [test])
        if not any(name_of(node) in CLOCKS for node in ast.walk(part))
    ]
    return bool(parts) and all(_changes(file, loop, part) for part in parts)


def _changes(file: File, loop: ast.While, test: ast.expr) -> bool:
    """Whether another function of the file changes the answer to a question."""
    function = file.objects.function(loop)
    nodes = list(ast.walk(test))
    if any(
        name_of(getattr(node, "func", None)) in ("done", "locked") for node in nodes
    ):
        return True  # a future, a task or a lock, which can be awaited
    return any(
        file.sleeps.changes.get(name_of(node), set()) - {function}
        for node in nodes
        if isinstance(node, ast.Name | ast.Attribute)
        and (
            not isinstance(over := file.objects.parents[node], ast.Attribute)
            or isinstance(file.objects.parents[over], ast.Call)  # a method of it
        )
    )


def _counts(loop: ast.While, tests: list[ast.expr]) -> bool:
    """Whether a loop itself counts up or down what it asks."""
    asked = {name_of(node) for test in tests for node in ast.walk(test)}
    return any(
        isinstance(node, ast.AugAssign) and name_of(node.target) in asked
        for node in inside(loop)
    )


def _is_batch(loop: ast.While) -> bool:
    """Whether a loop waits until there are some, or for a while, whichever is first."""
    return any(
        isinstance(node, ast.Compare)
        and isinstance(node.ops[0], ast.Lt | ast.LtE)
        and "len" in {name_of(part) for part in ast.walk(node.left)}
        for node in ast.walk(loop.test)
    ) and any(name_of(node) in CLOCKS for node in inside(loop))


def _taken(loop: ast.While) -> ast.expr | None:
    """What a loop takes from if there is something in it, and else sleeps."""
    asked: list[ast.expr] = []
    for node in (loop, *own(loop)):
        if isinstance(node, ast.If | ast.While):
            test = node.test
            for inner in ast.walk(test):
                if isinstance(inner, ast.Call) and isinstance(
                    inner.func, ast.Attribute
                ):
                    if inner.func.attr in ("empty", "qsize"):
                        asked.append(inner.func.value)
                elif isinstance(inner, ast.Name | ast.Attribute):
                    asked.append(inner)
        elif isinstance(node, ast.Try) and any(
            catches(handler, "Empty", "Index", "WouldBlock", "Key")
            for handler in node.handlers
        ):
            for part in node.body:
                for inner in (part, *own(part)):
                    if isinstance(inner, ast.Call) and takes_now(inner):
                        return inner.func.value  # type: ignore[attr-defined, no-any-return]
    keys = {ast.unparse(node) for node in asked}
    for node in own(loop):
        if isinstance(node, ast.Call) and takes_now(node):
            target = node.func.value  # type: ignore[attr-defined]
            if ast.unparse(target) in keys:
                return target  # type: ignore[no-any-return]
    return None


def _asks(loop: ast.While) -> list[ast.expr]:
    """What a loop asks until something has happened that this program does.

    It goes on for ever if nothing ends it, and what a call asks, such as whether a file
    is there or a process is alive, may be known by asking only.
    """
    tests: list[ast.expr] = []
    if not isinstance(loop.test, ast.Constant):
        tests = [loop.test]
    else:
        for node in inside(loop):
            if isinstance(node, ast.If) and any(
                isinstance(inner, ast.Break | ast.Return)
                for part in (*node.body, *node.orelse)
                for inner in ast.walk(part)
            ):
                tests.append(node.test)
    unknown = any(
        (isinstance(node, ast.Call) and name_of(node.func) not in INSIDE)
        or name_of(node) in _OUTSIDE
        for test in tests
        for node in ast.walk(test)
    )
    return [] if unknown else tests


def _works(loop: ast.While) -> bool:
    """Whether a loop does something in each round: then it is periodic, and no poll."""
    return any(
        isinstance(node, ast.Call)
        and name_of(node.func) not in IDLE
        and not _ends(loop, node)
        for node in inside(loop)
    ) or any(isinstance(node, LOOPS) for part in loop.body for node in ast.walk(part))


def _ends(loop: ast.While, call: ast.Call) -> bool:
    """Whether a call is in a branch that leaves the loop."""
    for node in inside(loop):
        if (
            isinstance(node, ast.If)
            and any(
                isinstance(part, ast.Break | ast.Return | ast.Raise)
                for part in node.body
            )
            and any(inner is call for part in node.body for inner in ast.walk(part))
        ):
            return True
    return False


def _retried(loop: ast.While) -> set[ast.AST]:
    """What is in an ``except`` that has nothing to do with emptiness.

    It stands between two tries of what failed, and not between two looks.
    """
    return {
        inner
        for node in inside(loop)
        if isinstance(node, ast.ExceptHandler)
        and not catches(node, "Empty", "Key", "Index", "Block")
        for inner in ast.walk(node)
    }
