"""LAG303: what belongs to an event loop is touched off it.

Nothing of asyncio may be touched from another thread, or from a handler of
:func:`signal.signal`: what waits for it becomes ready, and the loop, asleep in the
operating system, does not notice.  Nor may two loops share one object.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator

from ..file import File
from ..findings import Report, Rule, shorten
from ..libraries import words
from ..names import Class
from ..objects import REPEATS, Objects, called, calls, mentions, name_of, own

RULE = Rule("LAG303", "object of a loop touched off it")

_TOUCHES: dict[str | Class, frozenset[str]] = {
    "asyncio.Event": words("set clear"),
    "asyncio.Lock": words("release"),
    "asyncio.Condition": words("notify notify_all release"),
    "asyncio.Semaphore": words("release"),
    "asyncio.BoundedSemaphore": words("release"),
    "asyncio.Future": words("set_result set_exception cancel add_done_callback"),
    "asyncio.Task": words("cancel add_done_callback"),
    "asyncio.loop": words(
        "call_soon call_later call_at create_task stop run_in_executor"
    ),
    "asyncio.Queue": words("put_nowait get_nowait task_done"),
    "asyncio.LifoQueue": words("put_nowait get_nowait task_done"),
    "asyncio.PriorityQueue": words("put_nowait get_nowait task_done"),
}
_METHODS = frozenset[str]().union(*_TOUCHES.values())
_SHARED = frozenset(kind for kind in _TOUCHES if kind != "asyncio.loop")
_SAFE = ("call_soon_threadsafe", "run_coroutine_threadsafe")
_SIGNAL = "a signal handler"
_RUNS = frozenset(("run_forever", "run_until_complete", "run_sync"))


def check(file: File) -> Iterator[Report]:
    """Objects of asyncio that a thread, or a handler of a signal, touches."""
    objects = file.objects
    for where, bodies in ((_SIGNAL, objects.handlers), ("a thread", objects.threads)):
        for body in bodies:
            nodes = list(own(body))
            if where == _SIGNAL and any(map(_leaves, nodes)):
                continue
            for call in calls(body):
                message = _touch(objects, call, nodes, where)
                if message is not None:
                    yield Report(call, message)
    for call, _ in objects.walk.calls:
        started = objects.started(call)
        if isinstance(started, ast.Attribute):
            called = ast.copy_location(ast.Call(started, [], []), started)
            message = _touch(objects, called, [], "a thread")
            if message is not None:
                yield Report(started, message)
    yield from _two_loops(objects)


def _leaves(node: ast.AST) -> bool:
    """Whether the program ends here."""
    return isinstance(node, ast.Raise) or called(node) in ("exit", "_exit", "abort")


def _touch(
    objects: Objects, call: ast.Call, nodes: list[ast.AST], where: str
) -> str | None:
    """The message for a call, if that touches what belongs to a loop."""
    func = call.func
    value = objects.names.called.get(call, "")
    if value in ("asyncio.create_task", "asyncio.ensure_future") and not any(
        keyword.arg == "loop" for keyword in call.keywords
    ):
        why = "does not wake the loop" if where == _SIGNAL else "has no running loop"
        safe = "asyncio.run_coroutine_threadsafe()"
        return f"{name_of(func)}() in {where} {why}: use {safe}"
    if not isinstance(func, ast.Attribute) or func.attr not in _METHODS:
        return None
    kinds = objects.kinds(func.value)
    if not kinds or any(func.attr not in _TOUCHES.get(kind, ()) for kind in kinds):
        return None
    origins = objects.origins(func.value)
    if any(objects.function(origin) in objects.threads for origin in origins):
        return None  # of the thread's own loop
    if func.attr == "clear" and any(isinstance(x, ast.Subscript) for x in origins):
        return None  # of a collection, by its annotation
    asked = objects.asked(objects.key(func.value)) if func.attr == "set" else set()
    if "is_set" in asked and "wait" not in asked:
        return None  # a flag, for which nobody waits
    target = ast.unparse(func.value)
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr in _RUNS:
            return None  # it runs the loop itself
        # Which of the two is right, the function asks before.  A handler of a signal
        # runs in the thread of the loop, which any call of the kind wakes.
        if (
            isinstance(node, ast.Call)
            and called(node) in _SAFE
            and (where == _SIGNAL or any(target in mentions(x) for x in node.args))
        ):
            return None
    safe = f"loop.call_soon_threadsafe({{name}}.{func.attr}"
    safe += ", ...)" if call.args or call.keywords else ")"
    if "asyncio.loop" in kinds:
        safe = {
            "create_task": "asyncio.run_coroutine_threadsafe()",
            "stop": "loop.call_soon_threadsafe(loop.stop)",
        }.get(func.attr, "loop.call_soon_threadsafe()")
    template = f"{{name}}.{func.attr}() in {where} does not wake the loop: use {safe}"
    return shorten(template, target, name_of(func.value), "it")


def _two_loops(objects: Objects) -> Iterator[Report]:
    """Objects of a module that coroutines of several loops wait for."""
    loops = Counter[ast.AST | None]()  # so many loops of threads run a function
    for call, value in objects.names.called.items():
        start = objects.threads.get(objects.function(call) or call)
        if value == "asyncio.run" and start is not None:
            several = any(
                isinstance(parent, REPEATS)
                for place in (start, call)
                for parent, _ in objects.around(place)
            )
            for function in _coroutines(objects, call):
                loops[function] += 1 + several
    if not loops:
        return
    used: dict[str, list[tuple[ast.expr, ast.AST | None]]] = defaultdict(list)
    for node in objects.nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            where, name = objects.key(node) or (None, "")
            if where is objects.walk.module and objects.is_a(node, _SHARED):
                used[name].append((node, objects.function(node)))
    for name, places in used.items():
        threaded = [place for place in places if loops[place[1]]]
        beside = any(
            isinstance(function, ast.AsyncFunctionDef) and not loops[function]
            for _, function in places
        )
        if threaded and (beside or any(loops[place[1]] > 1 for place in threaded)):
            message = shorten(
                "{name} is shared by the loops of several threads, and belongs to one: "
                "make one in each loop",
                name, "it",
            )  # fmt: skip
            yield Report(threaded[0][0], message)


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
