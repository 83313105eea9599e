"""The sleeps of a file that are so short that they wait for something else.

``sleep(0)`` is judged by LAG201, LAG202, LAG204 and LAG205, of which one has a say, and
a delay of up to 0.1 s by LAG203.  What they ask in common is answered once.
"""

from __future__ import annotations

import ast
import bisect
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, TypeVar

from .libraries import CHANNELS, SLEEPS, words
from .objects import Objects, name_of, own
from .rounds import Rounds

T = TypeVar("T")
_NEAR = 20  # so many operations before a sleep are looked at
#: The longest delay of a loop that is called polling, in seconds.
SHORT = 0.1

_METHODS = {
    "put": 1, "put_nowait": 1, "send": 1, "send_nowait": 1,
    "get": 0, "get_nowait": 0, "receive": 0, "receive_nowait": 0,
}  # fmt: skip
_NAMES = words("queue channel inbox outbox mailbox pending jobs stream")
CLOCKS = words("time monotonic perf_counter process_time current_time now")
# Behind these a sleep is where a cancellation arrives.
_CANCELS = frozenset(("cancel_called", "cancelled", "cancelling"))
LOOPS = (ast.While, ast.For, ast.AsyncFor)
# Calls whose answer changes only by what this program does.
INSIDE = CLOCKS | words(
    "len any all bool getattr max min done empty full is_set qsize locked get values "
    "keys items get_running_loop"
)
# Calls that are no work of a loop: it says what it does, or looks at the clock.
IDLE = INSIDE | words(
    "print debug info warning log get_nowait pop popleft task_done sleep checkpoint"
)
# What changes the thing that it is a method of.
_CHANGES = words(
    "set clear append appendleft add remove pop popleft popitem discard update extend "
    "set_result set_exception cancel insert setdefault"
)


class Sleeps:
    """All short sleeps of a file, and where they stand."""

    def __init__(self, objects: Objects, bounds: Mapping[ast.AST, bool]) -> None:
        self.objects = objects
        self.bounds = bounds
        #: Those of no time, and those of a short one, with the loops around them.
        self.zero: dict[ast.Call, tuple[ast.While, ...]] = {}
        self.short: dict[ast.Call, tuple[tuple[ast.While, ...], float]] = {}
        self._facts: dict[Any, Any] = {}
        names = objects.names
        for call, scope, loops in objects.walk.calls:
            value = names.called.get(call, "")
            if value not in SLEEPS or call not in objects.walk.awaited:
                continue
            signature = SLEEPS[value]
            if signature is None:
                self.zero[call] = loops
                continue
            delay = names.argument(call, signature)
            if isinstance(delay, ast.expr):
                if names.not_positive(delay, scope):
                    self.zero[call] = loops
                elif (seconds := names.number(delay, scope)) and seconds <= SHORT:
                    self.short[call] = loops, seconds
        self._rounds = Rounds(set(self.zero))
        self._all_rounds = Rounds({*self.short, *self.zero})

    def polled(self, call: ast.Call) -> list[ast.While]:
        """The loops that can go round with no wait but this ``sleep(0)``."""
        return [
            loop
            for loop in self.zero[call]
            if call in self._rounds.polled(loop)
            and call not in self.of(_gated, loop)
            and not self.of(self._rests, loop)
            and not self._goes_forward(call, loop)
        ]

    def _rests(self, loop: ast.While) -> bool:
        """Whether a loop sleeps for some time where there is nothing to do."""
        return any(
            isinstance(node, ast.Call)
            and node not in self.zero
            and self.objects.names.called.get(node) in SLEEPS
            for node in inside(loop)
        )

    def _goes_forward(self, call: ast.Call, loop: ast.While) -> bool:
        """Whether a loop takes something in each round that comes to a sleep."""
        if isinstance(loop.test, ast.NamedExpr):
            return isinstance(loop.test.value, ast.Call)  # it ends with what it takes
        statement: ast.AST = call
        while not isinstance(statement, ast.stmt):
            statement = self.objects.parents[statement]
        around = self.objects.parents[statement]
        block = getattr(around, block_of(around, statement), [])
        asked = {name_of(n) for n in ast.walk(loop.test) if isinstance(n, ast.Name)}
        return any(
            isinstance(before, ast.Expr | ast.Assign | ast.AugAssign)
            and any(
                (isinstance(n, ast.Call) and takes_now(n))
                or (isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
                    and n.id in asked)
                for n in ast.walk(before)
            )
            for before in block[: block.index(statement)]
        )  # fmt: skip

    def delayed(self, call: ast.Call) -> list[ast.While]:
        """The loops that can go round with no wait but this short sleep."""
        return [
            loop
            for loop in self.short[call][0]
            if call in self._all_rounds.polled(loop)
            and call not in self.of(_gated, loop)
        ]

    def of(self, fact: Callable[[Any], T], loop: ast.AST) -> T:
        """What is to know of a loop; it is asked once, however many sleeps it has."""
        if (fact, loop) not in self._facts:
            self._facts[fact, loop] = fact(loop)
        return self._facts[fact, loop]  # type: ignore[no-any-return]

    @cached_property
    def changes(self) -> dict[str, set[ast.AST | None]]:
        """The functions that change a name, or an attribute, after its first value."""
        changes: dict[str, set[ast.AST | None]] = {}
        for node in self.objects.nodes:
            place: ast.AST | None = None
            if isinstance(node, ast.Attribute) and node.attr in _CHANGES:
                place = node.value
            elif isinstance(node, ast.Attribute | ast.Name | ast.Subscript):
                place = None if isinstance(node.ctx, ast.Load) else node
            if place is not None and name_of(place):
                function = self.objects.function(node)
                if function and getattr(function, "name", "") != "__init__":
                    changes.setdefault(name_of(place), set()).add(function)
        return changes

    # Behind a queue, or a stream

    def _operations(self, loop: ast.AST) -> list[ast.Call]:
        """The queue operations of a loop, in order."""
        return sorted(
            (
                node
                for node in inside(loop)
                if isinstance(node, ast.Call) and self._is_operation(node)
            ),
            key=_place,
        )

    def after(self, call: ast.Call) -> ast.Attribute | None:
        """The queue operation behind which a sleep stands in the innermost loop."""
        loop = self.around(call)
        if loop is None:
            return None
        operations = self.of(self._operations, loop)
        end = bisect.bisect(operations, _place(call), key=_place)
        for node in reversed(operations[max(0, end - _NEAR) : end]):
            if isinstance(node.func, ast.Attribute) and self._leads(node, call):
                is_work = not node.func.attr.startswith(("put", "send")) and any(
                    isinstance(inner, ast.Call)
                    and _place(node) < _place(inner) < _place(call)
                    and name_of(inner.func) not in IDLE | _CHANGES | {"range"}
                    and inner not in self.zero
                    for inner in inside(loop)
                )
                return None if is_work else node.func
        return None

    def around(self, node: ast.AST) -> ast.For | ast.AsyncFor | ast.While | None:
        """The innermost loop around a place."""
        for parent, child in self.objects.around(node):
            if isinstance(parent, LOOPS) and not only_sleeps(parent, child):
                return parent if child not in parent.orelse else None
        return None

    def _leads(self, first: ast.AST, second: ast.AST) -> bool:
        """Whether one way can lead through both places, in this order."""
        way = dict(self.objects.around(first))
        for parent, child in self.objects.around(second):
            if parent not in way:
                continue
            before = way[parent]
            if isinstance(parent, ast.If | ast.IfExp):
                return before is child or before is parent.test or (
                    block_of(parent, before) == block_of(parent, child)
                )  # fmt: skip
            if isinstance(parent, ast.Try | ast.TryStar):
                blocks = block_of(parent, before), block_of(parent, child)
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
        if func in self.bounds or func.attr.endswith("_nowait"):
            return True
        if call not in self.objects.walk.awaited or func.attr in ("send", "receive"):
            return False
        kinds = self.objects.kinds(func.value)
        if kinds:
            return any(kind in CHANNELS for kind in kinds if isinstance(kind, str))
        name = name_of(func.value).lower()
        return name == "q" or any(word in name for word in _NAMES)

    def _writes(self, loop: ast.AST) -> list[ast.Call]:
        """Where a loop writes to a stream that it does not drain, in order."""
        writes = []
        for node in inside(loop):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr == "drain":
                    return []
                if node.func.attr in ("write", "writelines") and self._is_writer(
                    node.func.value
                ):
                    writes.append(node)
        return sorted(writes, key=_place)

    def undrained(self, call: ast.Call) -> str | None:
        """The writer of a stream that is written to in the loop and never drained."""
        loop = self.around(call)
        writes = [] if loop is None else self.of(self._writes, loop)
        end = bisect.bisect(writes, _place(call), key=_place)
        for node in reversed(writes[max(0, end - _NEAR) : end]):
            if isinstance(node.func, ast.Attribute) and self._leads(node, call):
                return ast.unparse(node.func.value)
        return None

    def _is_writer(self, node: ast.expr) -> bool:
        """Whether an expression is the writer of a stream, by its kind or name."""
        kinds = self.objects.kinds(node)
        if kinds:
            return kinds <= {"asyncio.StreamWriter", "asyncio.open_connection"}
        return "writer" in name_of(node).lower()


def only_sleeps(loop: ast.AST, statement: ast.AST) -> bool:
    """Whether a loop only repeats a statement a number of times."""
    return (
        isinstance(loop, ast.For)
        and loop.body == [statement]
        and isinstance(loop.iter, ast.Call)
        and name_of(loop.iter.func) == "range"
    )


def _place(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def block_of(parent: ast.AST, child: ast.AST) -> str:
    """The list of statements of a node that another is in."""
    for name in ("body", "orelse", "handlers", "finalbody"):
        statements = getattr(parent, name, None)
        if isinstance(statements, list) and child in statements:
            # Of several handlers one runs at most.
            return name if name != "handlers" else f"handler {statements.index(child)}"
    return ""


def inside(loop: ast.AST) -> Iterator[ast.AST]:
    """What is in a loop, but in no function or loop inside it."""
    stack: list[ast.AST] = [*getattr(loop, "body", ())]
    test = getattr(loop, "test", None)
    if test is not None:
        stack.append(test)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if isinstance(node, (*LOOPS, ast.Lambda)):
            continue
        yield node
        stack.extend(ast.iter_child_nodes(node))


def takes_now(call: ast.Call) -> bool:
    """Whether a call takes what is there, and does not wait for more."""
    return isinstance(call.func, ast.Attribute) and (
        call.func.attr in ("get_nowait", "receive_nowait", "popleft")
        or (call.func.attr == "pop" and len(call.args) < 2)
    )


def catches(handler: ast.ExceptHandler, *words: str) -> bool:
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
        for node in inside(loop)
        if isinstance(node, ast.AugAssign)
    }
    return {
        inner
        for node in inside(loop)
        if isinstance(node, ast.If)
        and any(
            (isinstance(asked, ast.BinOp) and isinstance(asked.op, ast.Mod))
            or name_of(asked) in CLOCKS | _CANCELS
            or (
                isinstance(asked, ast.Name | ast.Attribute)
                and ast.unparse(asked) in counted
            )
            for asked in ast.walk(node.test)
        )
        for part in node.body
        for inner in ast.walk(part)
    }


def is_set_by_thread(objects: Objects, loop: ast.While) -> bool:
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
