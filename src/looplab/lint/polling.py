"""``sleep(0)``, and loops that ask again and again (LAG201 to LAG205)."""

from __future__ import annotations

import ast
import bisect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from .findings import Report
from .libraries import CHANNELS, SLEEPS, words
from .objects import Objects, name_of, own
from .rounds import Rounds
from .threads import changed_in_threads

__all__ = ["polls"]

T = TypeVar("T")
_NEAR = 20  # so many operations before a sleep are looked at
#: The longest delay of a loop that is called polling, in seconds.
SHORT = 0.1

_POLLS = (
    "sleep(0) in a while loop polls and keeps a core busy: await get(), wait() or a "
    "future that the other side sets"
)
_STRAIGHT = (
    "sleep(0) waits for one iteration only: await what must have happened; in a long "
    "computation it may stay"
)
_HOPES = (
    "sleep(0) lets a task run for one iteration, however far it gets: await what it "
    "must have done, or an event"
)
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
_THREAD = (
    "sleep({delay}) asks for what a thread does: there loop.call_soon_threadsafe("
    "event.set), here await event.wait()"
)
_QUEUE = "sleep(0) after {name}() does not make the other side keep up: {advice}"

_METHODS = {
    "put": 1, "put_nowait": 1, "send": 1, "send_nowait": 1,
    "get": 0, "get_nowait": 0, "receive": 0, "receive_nowait": 0,
}  # fmt: skip
_NAMES = words("queue channel inbox outbox mailbox pending jobs stream")
_THREAD_QUEUES = frozenset(
    f"{module}.{name}"
    for module in ("queue", "multiprocessing")
    for name in ("Queue", "SimpleQueue", "LifoQueue", "PriorityQueue", "JoinableQueue")
)
_CLOCKS = words("time monotonic perf_counter process_time current_time now")
# Behind these a sleep is where a cancellation arrives.
_CANCELS = frozenset(("cancel_called", "cancelled", "cancelling"))
# Calls whose answer changes only by what this program does.
_INSIDE = _CLOCKS | words(
    "len any all bool getattr max min done empty full is_set qsize locked get values "
    "keys items get_running_loop"
)
# What a process of the system sets.
_OUTSIDE = frozenset(("returncode", "pid", "exitcode"))
# Calls that are no work of a loop: it says what it does, or looks at the clock.
_IDLE = _INSIDE | words(
    "print debug info warning log get_nowait pop popleft task_done sleep checkpoint"
)
_SPAWNS = frozenset(("create_task", "ensure_future", "start_soon"))
_LOOPS = (ast.While, ast.For, ast.AsyncFor)


def polls(objects: Objects, bounds: Mapping[ast.AST, bool]) -> Iterator[Report]:
    """All that is to say about the sleeps of a file.

    Args:
        objects: those of the file.
        bounds: for each method of a channel of the file whether that has a bound.
    """
    zero: dict[ast.Call, tuple[ast.While, ...]] = {}
    short: dict[ast.Call, tuple[tuple[ast.While, ...], float]] = {}
    names = objects.names
    for call, scope, loops in objects.walk.calls:
        value = names.called.get(call)
        if value is None or value not in SLEEPS or call not in objects.walk.awaited:
            continue
        signature = SLEEPS[value]
        if signature is None:
            zero[call] = loops
            continue
        delay = names.argument(call, signature)
        if isinstance(delay, ast.expr):
            if names.not_positive(delay, scope):
                zero[call] = loops
            elif (seconds := names.number(delay, scope)) and seconds <= SHORT:
                short[call] = loops, seconds
    polling = _Polling(objects, bounds, set(zero))
    for call, loops in zero.items():
        yield polling.at_once(call, loops)
    rounds = Rounds({*short, *zero})
    for call, (loops, seconds) in short.items():
        report = polling.delayed(call, loops, seconds, rounds)
        if report is not None:
            yield report


class _Polling:
    def __init__(
        self, objects: Objects, bounds: Mapping[ast.AST, bool], zero: set[ast.Call]
    ) -> None:
        self._objects = objects
        self._bounds = bounds
        self._rounds = Rounds(zero)
        self._facts: dict[Any, Any] = {}

    def at_once(self, call: ast.Call, loops: tuple[ast.While, ...]) -> Report:
        """What to say of one ``sleep(0)``."""
        written = self._written(call)
        if written is not None:
            words = _QUEUE.format(name="write", advice=f"await {written}.drain()")
            return Report(call, "LAG204", "lag204", words)
        polled = [
            loop
            for loop in loops
            if call in self._rounds.polled(loop) and call not in self._of(_gated, loop)
        ]
        if any(changed_in_threads(self._objects, loop) for loop in polled):
            words = _THREAD.format(delay=0)
            return Report(call, "LAG201", "lag203-thread", words)
        if polled:
            return Report(call, "LAG201", "lag201", _POLLS)
        after = self._after(call)
        if after is not None:
            return Report(call, "LAG204", "lag204", self._advice(after))
        if self._hopes(call):
            return Report(call, "LAG205", "lag205", _HOPES)
        return Report(call, "LAG202", "lag202", _STRAIGHT)

    def delayed(
        self,
        call: ast.Call,
        loops: tuple[ast.While, ...],
        seconds: float,
        rounds: Rounds,
    ) -> Report | None:
        """What to say of a sleep with a short delay."""
        delay = f"{seconds:g}"
        for loop in loops:
            if call not in rounds.polled(loop) or call in (
                self._of(_gated, loop) | self._of(_retried, loop)
            ):
                continue
            taken = self._of(_taken, loop)
            if taken is not None:
                name = ast.unparse(taken)
                template = _TAKES
                if self._objects.kinds(taken) & _THREAD_QUEUES:
                    template = _TAKES_THREAD
                words = template.format(delay=delay, name=name)
                if len(words) > 120:
                    words = template.format(delay=delay, name="queue")
                return Report(call, "LAG203", "lag203", words)
            if self._of(_asks, loop) and not self._of(_works, loop):
                if changed_in_threads(self._objects, loop):
                    words = _THREAD.format(delay=delay)
                    return Report(call, "LAG203", "lag203-thread", words)
                return Report(call, "LAG203", "lag203", _DELAY.format(delay=delay))
        return None

    # Queues

    def _of(self, fact: Callable[[Any], T], loop: ast.AST) -> T:
        """What is to know of a loop; it is asked once, however many sleeps it has."""
        if (fact, loop) not in self._facts:
            self._facts[fact, loop] = fact(loop)
        return self._facts[fact, loop]  # type: ignore[no-any-return]

    def _operations(self, loop: ast.AST) -> list[ast.Call]:
        """The queue operations of a loop, in order."""
        return sorted(
            (
                node
                for node in _inside(loop)
                if isinstance(node, ast.Call) and self._is_operation(node)
            ),
            key=_place,
        )

    def _after(self, call: ast.Call) -> ast.Attribute | None:
        """The queue operation behind which a sleep stands in the innermost loop."""
        loop = self._loop(call)
        if loop is None:
            return None
        operations = self._of(self._operations, loop)
        end = bisect.bisect(operations, _place(call), key=_place)
        for node in reversed(operations[max(0, end - _NEAR) : end]):
            if isinstance(node.func, ast.Attribute) and self._leads(node, call):
                return node.func
        return None

    def _loop(self, node: ast.AST) -> ast.For | ast.AsyncFor | ast.While | None:
        """The innermost loop around a place."""
        for parent, child in self._objects.around(node):
            if isinstance(parent, _LOOPS) and not _only_sleeps(parent, child):
                return parent if child not in parent.orelse else None
        return None

    def _leads(self, first: ast.AST, second: ast.AST) -> bool:
        """Whether one way can lead through both places, in this order."""
        way = dict(self._objects.around(first))
        for parent, child in self._objects.around(second):
            if parent not in way:
                continue
            before = way[parent]
            if isinstance(parent, ast.If | ast.IfExp):
                return before is child or before is parent.test or (
                    _block(parent, before) == _block(parent, child)
                )  # fmt: skip
            if isinstance(parent, ast.Try | ast.TryStar):
                blocks = _block(parent, before), _block(parent, child)
                return blocks[0] == blocks[1] or blocks[1] in ("orelse", "finalbody")
            if isinstance(parent, ast.Match):
                return before is child or before is parent.subject
            return True
        return True

    def _is_operation(self, call: ast.Call) -> bool:
        """Whether a call is of a queue, by what it is or by its name."""
        func = call.func
        if not isinstance(func, ast.Attribute) or func.attr not in _METHODS:
            return False
        if len(call.args) != _METHODS[func.attr]:
            return False
        if func in self._bounds or func.attr.endswith("_nowait"):
            return True
        if call not in self._objects.walk.awaited or func.attr in ("send", "receive"):
            return False
        kinds = self._objects.kinds(func.value)
        if kinds:
            return any(kind in CHANNELS for kind in kinds if isinstance(kind, str))
        name = name_of(func.value).lower()
        return name == "q" or any(word in name for word in _NAMES)

    def _advice(self, func: ast.Attribute) -> str:
        """What to do about a sleep behind a method of a queue."""
        bound = self._bounds.get(func)
        name = func.attr
        wait = name.removesuffix("_nowait")
        if name in ("put_nowait", "send_nowait"):
            advice = f"await {wait}() in place of {name}() and sleep(0)"
            if not bound:
                advice = f"bound the queue, and await {wait}() in place of both"
        elif bound:
            advice = "leave it out"
        elif bound is None:
            advice = "leave it out, and see that the queue has a bound"
        else:
            advice = "leave it out and bound the queue"
        return _QUEUE.format(name=name, advice=advice)

    # What else a sleep(0) is put behind

    def _writes(self, loop: ast.AST) -> list[ast.Call]:
        """Where a loop writes to a stream that it does not drain, in order."""
        writes = []
        for node in _inside(loop):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr == "drain":
                    return []
                if node.func.attr in ("write", "writelines") and self._is_writer(
                    node.func.value
                ):
                    writes.append(node)
        return sorted(writes, key=_place)

    def _written(self, call: ast.Call) -> str | None:
        """The writer of a stream that is written to in the loop and never drained."""
        loop = self._loop(call)
        writes = [] if loop is None else self._of(self._writes, loop)
        end = bisect.bisect(writes, _place(call), key=_place)
        for node in reversed(writes[max(0, end - _NEAR) : end]):
            if isinstance(node.func, ast.Attribute) and self._leads(node, call):
                return ast.unparse(node.func.value)
        return None

    def _is_writer(self, node: ast.expr) -> bool:
        """Whether an expression is the writer of a stream, by its kind or name."""
        kinds = self._objects.kinds(node)
        if kinds:
            return kinds <= {"asyncio.StreamWriter", "asyncio.open_connection"}
        return "writer" in name_of(node).lower()

    def _hopes(self, call: ast.Call) -> bool:
        """Whether a sleep stands behind the start of a task, or in a loop of sleeps."""
        statement: ast.AST = call
        parents = self._objects.parents
        while not isinstance(statement, ast.stmt):
            statement = parents[statement]
        around = parents[statement]
        if _only_sleeps(around, statement):
            return True
        if self._loop(call) is not None:
            return False
        block = getattr(around, _block(around, statement) or "", [])
        for before in reversed(block[: block.index(statement)] if block else []):
            nodes = [before, *own(before)]
            if any(isinstance(node, ast.Await) for node in nodes):
                return False
            for node in nodes:
                if isinstance(node, ast.Call) and name_of(node.func) in _SPAWNS:
                    return True
        return False


def _only_sleeps(loop: ast.AST, statement: ast.AST) -> bool:
    """Whether a loop only repeats a statement a number of times."""
    return (
        isinstance(loop, ast.For)
        and loop.body == [statement]
        and isinstance(loop.iter, ast.Call)
        and name_of(loop.iter.func) == "range"
    )


def _place(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _block(parent: ast.AST, child: ast.AST) -> str:
    """The list of statements of a node that another is in."""
    for name in ("body", "orelse", "handlers", "finalbody"):
        statements = getattr(parent, name, None)
        if isinstance(statements, list) and child in statements:
            # Of several handlers one runs at most.
            return name if name != "handlers" else f"handler {statements.index(child)}"
    return ""


def _inside(loop: ast.AST) -> Iterator[ast.AST]:
    """What is in a loop, but in no function or loop inside it."""
    stack: list[ast.AST] = [*getattr(loop, "body", ())]
    test = getattr(loop, "test", None)
    if test is not None:
        stack.append(test)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if isinstance(node, (*_LOOPS, ast.Lambda)):
            continue
        yield node
        stack.extend(ast.iter_child_nodes(node))


def _takes_now(call: ast.Call) -> bool:
    """Whether a call takes what is there, and does not wait for more."""
    return isinstance(call.func, ast.Attribute) and (
        call.func.attr in ("get_nowait", "popleft")
        or (call.func.attr == "pop" and len(call.args) < 2)
    )


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
            _catches(handler, "Empty", "Index", "WouldBlock", "Key")
            for handler in node.handlers
        ):
            for part in node.body:
                for inner in (part, *own(part)):
                    if isinstance(inner, ast.Call) and _takes_now(inner):
                        return inner.func.value  # type: ignore[attr-defined, no-any-return]
    keys = {ast.unparse(node) for node in asked}
    for node in own(loop):
        if isinstance(node, ast.Call) and _takes_now(node):
            target = node.func.value  # type: ignore[attr-defined]
            if ast.unparse(target) in keys:
                return target  # type: ignore[no-any-return]
    return None


def _asks(loop: ast.While) -> bool:
    """Whether a loop asks until something has happened that this program does.

    It goes on for ever if nothing ends it, and what a call asks, such as whether a file
    is there or a process is alive, may be known by asking only.
    """
    tests: list[ast.expr] = []
    if not isinstance(loop.test, ast.Constant):
        tests = [loop.test]
    else:
        for node in _inside(loop):
            if isinstance(node, ast.If) and any(
                isinstance(inner, ast.Break | ast.Return)
                for part in (*node.body, *node.orelse)
                for inner in ast.walk(part)
            ):
                tests.append(node.test)
    return bool(tests) and not any(
        (isinstance(node, ast.Call) and name_of(node.func) not in _INSIDE)
        or name_of(node) in _OUTSIDE
        for test in tests
        for node in ast.walk(test)
    )


def _works(loop: ast.While) -> bool:
    """Whether a loop does something in each round: then it is periodic, and no poll."""
    return any(
        isinstance(node, ast.Call)
        and name_of(node.func) not in _IDLE
        and not _ends(loop, node)
        for node in _inside(loop)
    ) or any(isinstance(node, _LOOPS) for part in loop.body for node in ast.walk(part))


def _ends(loop: ast.While, call: ast.Call) -> bool:
    """Whether a call is in a branch that leaves the loop."""
    for node in _inside(loop):
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
        for node in _inside(loop)
        if isinstance(node, ast.ExceptHandler)
        and not _catches(node, "Empty", "Key", "Index", "Block")
        for inner in ast.walk(node)
    }


def _catches(handler: ast.ExceptHandler, *words: str) -> bool:
    """Whether one of the words is in the name of what is caught."""
    return handler.type is not None and any(
        word in name_of(node) for node in ast.walk(handler.type) for word in words
    )


def _gated(loop: ast.While) -> set[ast.AST]:
    """What runs only after some time, or in each so many rounds.

    A sleep there makes room in work that goes on, and waits for nothing.  Behind a
    cancellation it waits for nothing either: it is where the task is stopped.
    """
    counted = {
        ast.unparse(node.target)
        for node in _inside(loop)
        if isinstance(node, ast.AugAssign)
    }
    return {
        inner
        for node in _inside(loop)
        if isinstance(node, ast.If)
        and any(
            (isinstance(asked, ast.BinOp) and isinstance(asked.op, ast.Mod))
            or name_of(asked) in _CLOCKS | _CANCELS
            or (
                isinstance(asked, ast.Name | ast.Attribute)
                and ast.unparse(asked) in counted
            )
            for asked in ast.walk(node.test)
        )
        for part in node.body
        for inner in ast.walk(part)
    }
