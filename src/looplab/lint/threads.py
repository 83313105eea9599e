"""LAG303: what belongs to an event loop is touched off it.

Nothing of asyncio may be touched from another thread, or from a handler of
:func:`signal.signal`: what waits for it becomes ready, and the loop, asleep in the
operating system, does not notice.  Nor may two loops share one object.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .findings import Report, shorten
from .libraries import words
from .objects import Objects, name_of, own

__all__ = ["changed_in_threads", "off_loop"]

_TOUCHES: dict[str, frozenset[str]] = {
    "asyncio.Event": frozenset(("set", "clear")),
    "asyncio.Lock": frozenset(("release",)),
    "asyncio.Condition": frozenset(("notify", "notify_all", "release")),
    "asyncio.Semaphore": frozenset(("release",)),
    "asyncio.BoundedSemaphore": frozenset(("release",)),
    "asyncio.Future": frozenset(
        ("set_result", "set_exception", "cancel", "add_done_callback")
    ),
    "asyncio.Task": frozenset(("cancel", "add_done_callback")),
    "asyncio.loop": frozenset(
        ("call_soon", "call_later", "call_at", "create_task", "stop", "run_in_executor")
    ),
    **dict.fromkeys(
        ("asyncio.Queue", "asyncio.LifoQueue", "asyncio.PriorityQueue"),
        frozenset(("put_nowait", "get_nowait", "task_done")),
    ),
}
_METHODS = frozenset[str]().union(*_TOUCHES.values())
_SHARED = frozenset(kind for kind in _TOUCHES if kind != "asyncio.loop")
_SAFE = ("call_soon_threadsafe", "run_coroutine_threadsafe")
_RUNS = frozenset(("run_forever", "run_until_complete"))
# What changes the thing that it is a method of.
_CHANGES = words("set clear append add remove pop popleft discard update")


def off_loop(objects: Objects) -> Iterator[Report]:
    """Objects of asyncio that a thread, or a handler of a signal, touches."""
    reported: set[ast.AST] = set()
    for where, bodies in (
        ("a thread", objects.threads),
        ("a signal handler", objects.handlers),
    ):
        for body in bodies:
            nodes = list(own(body))
            for node in nodes:
                if not isinstance(node, ast.Call) or node in reported:
                    continue
                words = _touch(objects, node, nodes, where)
                if words is not None:
                    reported.add(node)
                    yield Report(node, "LAG303", "lag303", words)
    yield from _two_loops(objects)


def _touch(
    objects: Objects, call: ast.Call, nodes: list[ast.AST], where: str
) -> str | None:
    """The message for a call, if that touches what belongs to a loop."""
    func = call.func
    value = objects.names.called.get(call, "")
    if value in ("asyncio.create_task", "asyncio.ensure_future"):
        return (
            f"{name_of(func)}() in {where} has no running loop: "
            "use asyncio.run_coroutine_threadsafe()"
        )
    if not isinstance(func, ast.Attribute) or func.attr not in _METHODS:
        return None
    kinds = objects.kinds(func.value)
    if not kinds or any(
        not isinstance(kind, str) or func.attr not in _TOUCHES.get(kind, ())
        for kind in kinds
    ):
        return None
    if any(
        objects.function(origin) in objects.threads
        for origin in objects.origins(func.value)
    ):
        return None  # of the thread's own loop
    target = ast.unparse(func.value)
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr in _RUNS:
            return None  # it runs the loop itself
        # Which of the two is right, the function asks before.
        if (
            isinstance(node, ast.Call)
            and name_of(node.func) in _SAFE
            and any(
                isinstance(inner, ast.Name | ast.Attribute)
                and ast.unparse(inner) == target
                for arg in node.args
                for inner in ast.walk(arg)
            )
        ):
            return None
    if "asyncio.loop" in kinds:
        safe = {
            "create_task": "asyncio.run_coroutine_threadsafe()",
            "stop": "loop.call_soon_threadsafe(loop.stop)",
        }.get(func.attr, "loop.call_soon_threadsafe()")
        template = f"{{name}}.{func.attr}() in {where} does not wake the loop: use "
        return shorten(template + safe, target, name_of(func.value), "it")
    template = (
        f"{{name}}.{func.attr}() in {where} does not wake the loop: use "
        f"loop.call_soon_threadsafe({{name}}.{func.attr}"
        f"{', ...' if call.args or call.keywords else ''})"
    )
    return shorten(template, target, name_of(func.value), "it")


def _two_loops(objects: Objects) -> Iterator[Report]:
    """Objects of a module that coroutines of several loops wait for."""
    loops: dict[ast.AST | None, int] = {}
    runs = [
        call
        for call, value in objects.names.called.items()
        if value == "asyncio.run" and objects.function(call) in objects.threads
    ]
    if not runs:
        return
    for call in runs:
        start = objects.threads[objects.function(call)]  # type: ignore[index]
        several = any(
            isinstance(parent, ast.For | ast.While | ast.ListComp | ast.GeneratorExp)
            for place in (start, call)
            for parent, _ in objects.around(place)
        )
        for function in _coroutines(objects, call):
            loops[function] = loops.get(function, 0) + 1 + several
    module = objects.walk.module
    used: dict[tuple[object, str], list[tuple[ast.expr, ast.AST, int]]] = {}
    for node in objects.nodes:
        waits: list[ast.expr] = []
        if isinstance(node, ast.AsyncWith):
            waits = [item.context_expr for item in node.items]
        elif (
            isinstance(node, ast.Await)
            and isinstance(node.value, ast.Call)
            and isinstance(node.value.func, ast.Attribute)
        ):
            waits = [node.value.func.value]
        for expression in waits:
            key = objects.key(expression)
            if (
                key is not None
                and key[0] is module
                and objects.is_a(expression, _SHARED)
            ):
                body = objects.function(node)
                if body is not None:
                    used.setdefault(key, []).append(
                        (expression, body, loops.get(body, 0))
                    )
    for (_, name), places in used.items():
        threaded = [place for place in places if place[2]]
        beside = any(
            not count and isinstance(function, ast.AsyncFunctionDef)
            for _, function, count in places
        )
        if threaded and (beside or max(place[2] for place in threaded) > 1):
            words = shorten(
                "{name} is shared by the loops of several threads, and belongs to one: "
                "make one in each loop",
                name, "it",
            )  # fmt: skip
            yield Report(threaded[0][0], "LAG303", "lag303", words)


def _coroutines(objects: Objects, call: ast.Call) -> set[ast.AST]:
    """The functions that run on the loop that a call makes."""
    reached: set[ast.AST] = set()
    todo: list[ast.AST] = list(call.args)
    while todo:
        root = todo.pop()
        for node in (root, *own(root)):
            if isinstance(node, ast.Call):
                for function in objects.functions(node.func):
                    if function not in reached:
                        reached.add(function)
                        todo.append(function)
    return reached


def changed_in_threads(objects: Objects, loop: ast.While) -> bool:
    """Whether a thread changes what the condition of a loop asks."""
    if not objects.threads:
        return False
    asked = {
        name_of(node)
        for node in ast.walk(loop.test)
        if isinstance(node, ast.Name | ast.Attribute)
    } - {"self", "is_set", "len"}
    for body in objects.threads:
        nodes = list(own(body))
        outside = {
            name
            for node in nodes
            if isinstance(node, ast.Global | ast.Nonlocal)
            for name in node.names
        }
        for node in nodes:
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in _CHANGES
                and name_of(node.func.value) in asked
            ):
                return True
            targets: list[ast.expr] = []
            if isinstance(node, ast.Assign):
                targets = node.targets
            elif isinstance(node, ast.AnnAssign | ast.AugAssign):
                targets = [node.target]
            for target in targets:
                if name_of(target) in asked and (
                    isinstance(target, ast.Attribute) or name_of(target) in outside
                ):
                    return True
    return False
