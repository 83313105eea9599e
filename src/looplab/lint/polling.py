"""``sleep(0)``, and loops that ask again and again (LAG201 to LAG204)."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping

from .channels import Channels
from .libraries import SLEEPS
from .rounds import Rounds, rest
from .scopes import Loops, Scope
from .walk import Walk

__all__ = ["Polling"]

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
_DELAY = (
    "sleep({delay}) in a loop asks again and again: await an event or a future that "
    "the other side sets"
)
_THREAD = (
    "sleep({delay}) asks for what a thread does: there loop.call_soon_threadsafe("
    "event.set), here await event.wait()"
)
_QUEUE = "sleep(0) after {name}() does not make the other side keep up: {advice}"
_WITH_BOUND = "await {wait}() in place of {name}() and sleep(0)"
_WITHOUT = "bound the queue, and await {wait}() in place of both"

_PUTS = frozenset(("put", "put_nowait", "get", "get_nowait"))
_SENDS = frozenset(("send", "send_nowait", "receive", "receive_nowait"))
_QUEUES = (
    "queue",
    "channel",
    "inbox",
    "outbox",
    "mailbox",
    "pending",
    "jobs",
    "stream",
)
_CLOCKS = frozenset(
    ("time", "monotonic", "perf_counter", "process_time", "current_time", "now")
)
# Behind these a sleep is where a cancellation arrives.
_CANCELS = frozenset(("cancel_called", "cancelled", "cancelling"))
# Calls whose answer changes only by what this program does.
_INSIDE = _CLOCKS | frozenset(
    [
        "len",
        "any",
        "all",
        "bool",
        "getattr",
        "max",
        "min",
        "done",
        "empty",
        "full",
        "is_set",
        "qsize",
        "locked",
        "get",
        "values",
        "keys",
        "items",
        "get_running_loop",
    ]
)
# What a process of the system sets.
_OUTSIDE = frozenset(("returncode", "pid", "exitcode"))
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_LOOPS = (ast.While, ast.For, ast.AsyncFor)


class Polling:
    """Looks at the sleeps of a file.

    Args:
        walk: what was found in it.
        channels: its channels, and what its names stand for.
        bounds: returns for each use of a channel of the file whether that has a bound.
        threaded: whether a thread changes what a loop asks.
    """

    def __init__(
        self,
        walk: Walk,
        channels: Channels,
        bounds: Callable[[], Mapping[ast.AST, bool]],
        threaded: Callable[[ast.While], bool],
    ) -> None:
        self._walk = walk
        self._names = channels
        self._bounds = bounds
        self._threaded = threaded
        self._zero: list[tuple[ast.Call, Loops]] = []
        self._short: list[tuple[ast.Call, Loops, float]] = []
        for call, scope, loops in walk.calls:
            value = channels.called.get(call)
            if value is not None and value in SLEEPS:
                self._sleep(call, scope, loops, value)

    def _sleep(self, call: ast.Call, scope: Scope, loops: Loops, value: str) -> None:
        if call not in self._walk.awaited:
            return  # it is given to somebody, as an awaitable that does nothing
        signature = SLEEPS[value]
        if signature is None:
            self._zero.append((call, loops))
            return
        delay = self._names.argument(call, signature)
        if not isinstance(delay, ast.expr):
            return
        if self._names.not_positive(delay, scope):
            self._zero.append((call, loops))
        elif (seconds := self._names.number(delay, scope)) and seconds <= SHORT:
            self._short.append((call, loops, seconds))

    def found(self) -> Iterator[tuple[ast.Call, str, str, str]]:
        """The call, the code, the message and the section of each finding."""
        if not self._zero and not self._short:
            return
        zero = {call for call, _ in self._zero}
        rounds = Rounds(zero)
        after = dict(self._after_queues(zero))
        for call, loops in self._zero:
            polled = [
                loop
                for loop in loops
                if call in rounds.polled(loop) and not _is_gated(loop, call)
            ]
            if any(map(self._threaded, polled)):
                yield call, "LAG201", _THREAD.format(delay=0), "lag203-thread"
            elif polled:
                yield call, "LAG201", _POLLS, "lag201"
            elif call in after:
                yield call, "LAG204", self._advice(after[call]), "lag204"
            else:
                yield call, "LAG202", _STRAIGHT, "lag202"
        rounds = Rounds({call for call, _, _ in self._short} | zero)
        for call, loops, delay in self._short:
            polled = [
                loop
                for loop in loops
                if call in rounds.polled(loop)
                and not _is_bare(loop)
                and _asks(loop)
                and not _is_gated(loop, call)
                and not _is_retry(loop, call)
            ]
            if any(map(self._threaded, polled)):
                words = _THREAD.format(delay=f"{delay:g}")
                yield call, "LAG203", words, "lag203-thread"
            elif polled:
                yield call, "LAG203", _DELAY.format(delay=f"{delay:g}"), "lag203"

    def _after_queues(
        self, zero: set[ast.Call]
    ) -> Iterator[tuple[ast.Call, ast.Attribute]]:
        """Sleeps that stand behind a queue operation in the innermost loop."""
        if not zero:
            return
        for loop in self._walk.loops:
            operations: list[tuple[int, ast.Attribute]] = []
            sleeps: list[ast.Call] = []
            failed: set[ast.AST] = set()  # what stands behind an operation that failed
            for node in _own(loop):
                if isinstance(node, ast.ExceptHandler):
                    failed.update(ast.walk(node))
                elif isinstance(node, ast.Await) and node not in failed:
                    call = rest(node.value)
                    if isinstance(call, ast.Call) and call in zero:
                        sleeps.append(call)
                elif isinstance(node, ast.Call) and (method := self._method(node)):
                    operations.append((node.lineno, method))
            for call in sleeps:
                before = [one for line, one in operations if line <= call.lineno]
                before = [one for one in before if self._is_queue(one)]
                if before:
                    yield call, before[-1]

    def _method(self, call: ast.Call) -> ast.Attribute | None:
        """The method that a call calls, if it looks like that of a queue."""
        func = call.func
        if not isinstance(func, ast.Attribute) or func.attr not in _PUTS | _SENDS:
            return None
        if func.attr.endswith("_nowait"):
            return func
        items = func.attr in ("put", "send")
        if call not in self._walk.awaited or len(call.args) != items:
            return None
        return func

    def _is_queue(self, func: ast.Attribute) -> bool:
        """Whether a method is that of a queue, by what it is or by its name."""
        if func in self._bounds():
            return True
        if func.attr in _SENDS:
            return False
        if func.attr.endswith("_nowait"):
            return True
        node = func.value
        while isinstance(node, ast.Subscript):
            node = node.value
        name = str(getattr(node, "attr", getattr(node, "id", ""))).lower()
        return name in ("q",) or any(one in name for one in _QUEUES)

    def _advice(self, func: ast.Attribute) -> str:
        """What to do about a sleep behind a method of a queue."""
        bound = self._bounds().get(func)
        name = func.attr
        wait = name.removesuffix("_nowait")
        if name in ("put_nowait", "send_nowait"):
            advice = _WITH_BOUND if bound else _WITHOUT
        elif bound:
            advice = "leave it out"
        elif bound is None:
            advice = "leave it out, and see that the queue has a bound"
        else:
            advice = "leave it out and bound the queue"
        return _QUEUE.format(name=name, advice=advice.format(name=name, wait=wait))


def _own(loop: ast.AST) -> Iterator[ast.AST]:
    """What is in a loop, but in no function or loop inside it."""
    stack: list[ast.AST] = [*getattr(loop, "body", ())]
    test = getattr(loop, "test", None)
    if test is not None:
        stack.append(test)
    while stack:
        node = stack.pop()
        if isinstance(node, (*_FUNCTIONS, *_LOOPS)):
            continue
        yield node
        stack.extend(ast.iter_child_nodes(node))


def _is_bare(loop: ast.While) -> bool:
    """Whether a loop is ``while ...: await sleep(...)``, which ruff finds."""
    return (
        len(loop.body) == 1
        and isinstance(loop.body[0], ast.Expr)
        and isinstance(loop.body[0].value, ast.Await)
    )


def _asks(loop: ast.While) -> bool:
    """Whether a loop asks until something has happened that this program does.

    It goes on for ever if nothing ends it, and what a call asks, such as whether a file
    is there or a process is alive, may be known by asking only.
    """
    tests: list[ast.expr] = []
    if not isinstance(loop.test, ast.Constant):
        tests = [loop.test]
    else:
        for node in _own(loop):
            if isinstance(node, ast.If) and any(
                isinstance(one, ast.Break | ast.Return)
                for part in (*node.body, *node.orelse)
                for one in ast.walk(part)
            ):
                tests.append(node.test)
    if not tests:
        return _takes(loop)
    return all(
        not isinstance(node, ast.Call) or _name(node.func) in _INSIDE
        for test in tests
        for node in ast.walk(test)
    ) and not any(
        getattr(node, "attr", getattr(node, "id", "")) in _OUTSIDE
        for test in tests
        for node in ast.walk(test)
    )


def _takes(loop: ast.While) -> bool:
    """Whether a loop ends when it has got something out of what may be empty."""
    return any(
        isinstance(node, ast.Try)
        and any(_catches(one, "Empty") for one in node.handlers)
        and any(
            isinstance(one, ast.Break | ast.Return)
            for part in (*node.body, *node.orelse)
            for one in ast.walk(part)
        )
        for node in ast.walk(loop)
    )


def _is_retry(loop: ast.While, call: ast.Call) -> bool:
    """Whether a sleep is in an ``except`` that has nothing to do with emptiness.

    It stands between two tries of what failed, and not between two looks.
    """
    for node in _own(loop):
        if (
            isinstance(node, ast.ExceptHandler)
            and any(one is call for one in ast.walk(node))
            and not _catches(node, "Empty", "Key", "Index", "Block")
        ):
            return True
    return False


def _catches(handler: ast.ExceptHandler, *words: str) -> bool:
    """Whether one of the words is in the name of what is caught."""
    return handler.type is not None and any(
        word in _name(node) for node in ast.walk(handler.type) for word in words
    )


def _dotted(node: ast.AST) -> str:
    """A name with its attributes; something else in front of them is left out."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([_name(node), *reversed(parts)])


def _name(node: ast.AST) -> str:
    """The last part of a dotted name."""
    return str(getattr(node, "attr", getattr(node, "id", "")))


def _is_gated(loop: ast.While, call: ast.Call) -> bool:
    """Whether a sleep is there only after some time, or in each so many rounds.

    It makes room in work that goes on, and waits for nothing.  Behind a cancellation it
    waits for nothing either: it is where the task is stopped.
    """
    counted = {
        _dotted(node.target) for node in _own(loop) if isinstance(node, ast.AugAssign)
    }
    for node in _own(loop):
        if not isinstance(node, ast.If):
            continue
        if not any(one is call for part in node.body for one in ast.walk(part)):
            continue
        for one in ast.walk(node.test):
            if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mod):
                return True
            if _name(one) in _CLOCKS | _CANCELS:
                return True
            if isinstance(one, ast.Name | ast.Attribute) and _dotted(one) in counted:
                return True
    return False
