"""Whether the file shows that a channel without a bound grows (LAG101).

Growth is shown by who puts: a callback, a thread, whoever calls a function that this
file does not call, ``async for``, an endless loop, or a loop that puts and never
suspends, since ``put()`` into a channel without a bound does not.  That a loop has an
end is no limit.  What is one: a source of a few items that is written out, a size that
is looked at, an answer that the producer waits for, a semaphore that it acquires.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, takewhile
from typing import Literal

from .file import PUT, PUT_NOW, File, Traffic
from .libraries import SAYS, words
from .names import Body, Scope
from .objects import COMPREHENSIONS, LOOPS, Use, called, mentions, name_of, own
from .sleeps import catches, leaves
from .sources import FEW, size

_MOST = 50  # so many callers of a function are looked at
# What runs once in the life of an object.
_ONCE = re.compile(
    r"_*(init|main|aenter|enter|aexit|exit|post_init|del|a?start(up)?|a?stop|a?close|"
    r"setup|(tear|shut)_?down|cancel|terminate|quit|kill|dispose|disconnect)_*"
)
_HANDLER = re.compile(r"on_.*|.*_received")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_ENDS = words(
    "sentinel stop stopped stopping done end ended finish finished quit shutdown "
    "poison close closed disconnect complete completed eof "
    "terminate terminated termination "
    "terminator exit kill cancel cancelled abort exc err error exception"
)
_Why = Literal["thread", "callback", "callers", "stream", "loop", "flood"]


@dataclass(frozen=True, slots=True)
class Shown:
    """What shows that a channel grows: a put, and who puts."""

    why: _Why
    line: int  # where that is said
    use: Use
    function: str = ""  # which others call


def item_of(use: Use) -> ast.expr | None:
    """What is put, as far as it is written there."""
    call = use.call
    if call is None:
        return None
    args = call.args
    if call.func is not use.node:  # it is handed to something else, with the item
        args = args[args.index(use.node) + 1 :] if use.node in args else []
    return args[0] if args else None


def arguments(function: Body) -> set[str]:
    """The names of what a function is called with."""
    args = function.args
    every = (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg)
    return {arg.arg for arg in every if arg is not None} - {"self", "cls"}


def _is_once(function: Body | None) -> bool:
    """Whether a function runs once in the life of an object, by its name."""
    return _ONCE.fullmatch(getattr(function, "name", "")) is not None


class Growth:
    """Judges one channel."""

    def __init__(self, file: File, traffic: Traffic) -> None:
        self._file = file
        self.objects = file.objects
        self.traffic = traffic
        self._entered: dict[ast.AST, tuple[_Why, int, str] | None] = {}
        self._gets = {use.node for use in traffic.gets}
        # These are asked once of each function and loop.
        self._limited = cache(self._has_limit)
        self._rounds = cache(self._of_loop)
        self._answers = cache(self._latest_answers)
        self._kept = cache(self._keeps)
        self._left = cache(self._last_leaving)

    def shown(self) -> tuple[list[Shown], list[Use]]:
        """What shows that it grows, and the puts that say that nothing more comes."""
        ends = [use for use in self.traffic.puts if self.is_end(use)]
        every = (self._shown(use) for use in self.traffic.puts if use not in ends)
        shown = [evidence for evidence in every if evidence is not None]
        others = {evidence.why for evidence in shown} - {"callers", "callback"}
        if not others and self._is_pool():
            return [], ends
        if all(evidence.why != "flood" for evidence in shown):
            gets = self.traffic.gets
            waits = [use for use in gets if not use.name.endswith("_nowait")]
            if waits and all(map(self._empties, waits)):
                return [], ends
            # A buffer, which somebody empties when it is time to.
            if gets and all(map(self.is_batched, gets)):
                shown = [e for e in shown if e.use.call in self.objects.walk.awaited]
        return shown, ends

    def _empties(self, use: Use) -> bool:
        """Whether who takes waits for nothing else, in an endless loop.

        ``get()`` does not suspend while there is something, so that it takes all that
        is there whenever it runs.
        """
        loop = self.objects.loop(use.node)
        return (
            isinstance(loop, ast.While)
            and use.call in self.objects.walk.awaited
            and not self.suspends(loop.body, but=use.call)
        )

    def _is_pool(self) -> bool:
        """Whether what is put had been taken, as in a pool, and not more than that.

        Somebody fills it at the start, or makes another thing when it is empty.
        """
        is_filled = any(
            _is_once(put.function) and self.objects.loop(put.node) is not None
            for put in self.traffic.puts
        )
        gets = [get for get in self.traffic.gets if not _is_once(get.function)]
        return bool(gets) and all(self._is_lent(get, is_filled) for get in gets)

    def _is_lent(self, use: Use, is_filled: bool) -> bool:
        """Whether a place takes one thing, and not all that comes."""
        handler = self.handler(use, "Empty")
        last = handler.body[-1] if handler is not None else None
        if is_filled and isinstance(last, ast.Raise):
            return True
        other = getattr(last, "value", None)  # what is returned in its place
        makes = isinstance(getattr(other, "value", other), ast.Call)
        return self.objects.loop(use.node) is None and (is_filled or makes)

    def is_batched(self, use: Use) -> bool:
        """Whether a place takes only what is there, one after the other."""
        loop = self.objects.loop(use.node)
        if loop is None:
            return False
        if not use.name.endswith("_nowait"):
            return isinstance(loop, ast.While) and any(
                isinstance(node, ast.Attribute) and node.attr in ("empty", "qsize")
                for node in ast.walk(loop.test)
                if not isinstance(loop.test, ast.BoolOp)
            )
        return not self.suspends([loop])

    # Who puts

    def _shown(self, use: Use) -> Shown | None:
        """What shows that a put goes on and on."""
        entry = self.objects.given(use.node)
        evidence: tuple[_Why, int, str] | None = None
        if entry is None or entry.how == "done":
            return None
        if entry.how == "thread" or entry.how == "callback":
            evidence = entry.how, use.line, ""
        elif not self._is_kept(use) and not self._is_phase(use):
            evidence = self._goes_on(use.node, 0)
        if evidence is None:
            return None
        why, line, name = evidence
        if why == "callback" and not self._is_taken_on():
            return None
        if self.objects.has_flow_control and use.name in PUT_NOW:
            return None  # the other side sends no more than has been taken
        if why == "callers" and not (
            self._means_to_wait(use, name)
            and self._waits_for_all(name)
            and self._is_brought(use)
        ):
            return None
        if use.function in self.objects.threads or self._is_threadsafe(use):
            why = "thread"
        return Shown(why, line, use, name)

    def _means_to_wait(self, use: Use, function: str) -> bool:
        """Whether a put that callers come to is more than the call of a plain function.

        Whoever writes ``await put()``, or handles a full queue, relies on a bound.  A
        handler of events is called at the pace of somebody else, and so is what feeds
        several readers, or a generator, whose reader sets the pace.
        """
        return (
            (use.name in PUT and use.call in self.objects.walk.awaited)
            or _HANDLER.fullmatch(function) is not None
            or self.is_one_of(use)
            or self.handler(use, "Full") is not None
            or any(
                isinstance(parent, ast.Yield)
                for get in self.traffic.gets
                for parent, _ in self.objects.around(get.node)
            )
        )

    def _is_brought(self, use: Use) -> bool:
        """Whether callers bring what is put, or what it is made of."""
        item = item_of(use)
        brought = set() if use.function is None else arguments(use.function)
        if item is None or _HANDLER.fullmatch(getattr(use.function, "name", "")):
            return bool(brought)
        return any(name_of(node) in brought for node in self._made_of(item))

    def _made_of(self, expression: ast.expr) -> Iterator[ast.AST]:
        """What is in an expression, and in what its names stand for."""
        names, scope = self.objects.names, self.objects.scope(expression)
        for node in ast.walk(expression):
            yield node
            bound, _ = (
                names.bindings(node.id, scope)
                if isinstance(node, ast.Name)
                else ([], 0)
            )
            for what in bound[:_MOST]:
                if isinstance(what, ast.expr):
                    yield from ast.walk(what)

    def _waits_for_all(self, function: str) -> bool:
        """Whether nobody takes away now and then what another waits for."""
        batched = {self.is_batched(get) for get in self.traffic.gets}
        return len(batched) < 2 or _HANDLER.fullmatch(function) is not None

    def _is_taken_on(self) -> bool:
        """Whether items are taken again and again, and not a few in a hand-shake."""
        objects = self.objects
        return any(
            objects.loop(get.node) is not None
            or isinstance(objects.parents.get(get.function or get.node), ast.ClassDef)
            for get in self.traffic.gets
        )

    def _is_threadsafe(self, use: Use) -> bool:
        """Whether a put is handed from a thread to the loop."""
        entries = self.objects.entries.get(use.function or use.node, [])[:_MOST]
        nodes = [use.call, self.objects.parents.get(use.call or use.node)]
        nodes += [entry.node for entry in entries]
        return any(called(node).endswith("threadsafe") for node in nodes)

    def _goes_on(self, node: ast.AST, depth: int) -> tuple[_Why, int, str] | None:
        """Whether a place is come to again and again, and why."""
        objects = self.objects
        function = objects.function(node)
        if function in self.traffic.takers or self._is_held(node, function):
            return None
        for parent, child in objects.around(node):
            why = self._repeats(parent, child)
            if why is not None:
                return why, getattr(parent, "lineno", 0) or node.lineno, ""  # type: ignore[attr-defined]
        if function is None:
            return None
        if function not in self._entered:
            self._entered[function] = None  # a function may call itself
            self._entered[function] = self._comes(function, depth)
        return self._entered[function]

    def _comes(self, function: Body, depth: int) -> tuple[_Why, int, str] | None:
        """Whether a function is come to again and again, and why."""
        objects = self.objects
        entries = objects.entries.get(function, [])
        if function in objects.threads:
            return "thread", objects.threads[function].lineno, ""  # type: ignore[attr-defined]
        for entry in entries:
            # A hook at an end brings nothing along.
            is_reader = called(entry.node) == "add_reader"
            if entry.how == "callback" and (arguments(function) or is_reader):
                return "callback", entry.node.lineno, ""  # type: ignore[attr-defined]
        name = getattr(function, "name", "")
        if not entries:
            outer = objects.function(function) is None
            if self.traffic.outlives and outer and not _is_once(function):
                return "callers", function.lineno, name
            return None
        if depth > 6:
            return None
        weak = None
        for entry in entries[:_MOST]:
            if entry.how == "call":
                evidence = self._goes_on(entry.node, depth + 1)
                if evidence is not None and evidence[0] != "callers":
                    return evidence
                weak = weak or evidence
        return weak

    def _repeats(self, loop: ast.AST, child: ast.AST) -> _Why | None:
        """Whether a loop, in the part that a place is in, shows growth."""
        if isinstance(loop, LOOPS):
            once = getattr(loop, "target", 0), getattr(loop, "iter", 0), *loop.orelse
            if child not in once:
                return None if self._leaves(loop, child) else self._rounds(loop)
        if isinstance(loop, COMPREHENSIONS) and child is not loop.generators[0]:
            first = loop.generators[0]
            if first.is_async:
                return "stream"
            if not self._is_few(first) and self._may_be_late(loop):
                return None if self.suspends([loop]) else "flood"
        return None

    def _of_loop(self, loop: ast.For | ast.AsyncFor | ast.While) -> _Why | None:
        """What a loop shows by itself."""
        if any(isinstance(node, ast.Yield) for node in own(loop)):
            return None  # who iterates over this generator sets the pace
        if isinstance(loop, ast.AsyncFor):
            return "stream"
        if not self._may_be_late(loop):
            return None
        if isinstance(loop, ast.While):
            if self._is_paced(loop) or self._relays(loop):
                return None
            return "loop" if self.suspends(loop.body) else "flood"
        if self._is_few(loop) or isinstance(loop.iter, ast.Attribute | ast.Subscript):
            return None  # an attribute is a part of what has come already
        if not self.suspends(loop.body):
            return "flood"
        return "loop" if size(self.objects, loop.iter) == math.inf else None

    def _may_be_late(self, loop: ast.AST) -> bool:
        """Whether others run, or should, before a loop has ended.

        In a plain function of the loop it has an end, and soon: nothing else runs.
        """
        function = self.objects.function(loop)
        threads = self.objects.threads
        return isinstance(function, ast.AsyncFunctionDef) or function in threads

    def _is_few(self, loop: ast.For | ast.comprehension) -> bool:
        """Whether a loop goes over a few items, or over channels."""
        many = size(self.objects, loop.iter)
        return (many is not None and many <= FEW) or self.is_fan_out(loop.target)

    @staticmethod
    def _relays(loop: ast.While) -> bool:
        """Whether a loop without an end passes on what it takes, as it is asked for."""
        return isinstance(loop.test, ast.Constant) and any(
            isinstance(node, ast.Await)
            and called(node.value) == "get"
            and not getattr(node.value, "args", ())
            for node in own(loop)
        )

    def _is_kept(self, use: Use) -> bool:
        """Whether a list or a set beside it has what is put, too.

        The list grows as well, and the set is there so that each thing is put once.
        """
        item = item_of(use)
        kept = self._kept(use.function or self.objects.nodes[0])
        return item is not None and not kept.isdisjoint(mentions(item))

    def _keeps(self, root: ast.AST) -> set[str]:
        """What a function appends to anything, or looks for in a set that grows."""
        kept = set[str]()
        for node in own(root):
            if isinstance(node, ast.Call) and called(node) == "append":
                kept |= set(map(ast.unparse, node.args))
            elif isinstance(node, ast.Compare) and isinstance(
                node.ops[0], ast.In | ast.NotIn
            ):
                key = self.objects.key(node.comparators[0])
                if "add" in self.objects.asked(key):
                    kept.add(ast.unparse(node.left))
        return kept

    def _is_phase(self, use: Use) -> bool:
        """Whether one function has all put before anybody takes, as if into a list."""
        objects = self.objects
        for function, first in self._phases.items():
            puts = [*self._places(use.node, function)]
            put = puts[0] if len(puts) == 1 else None
            if put is None or not (put is use.node or put in objects.walk.awaited):
                continue
            loops = [at for at, _ in objects.around(put) if isinstance(at, LOOPS)]
            if first > max(at.end_lineno or 0 for at in (put, *loops)):
                return True
        return False

    @cached_property
    def _phases(self) -> dict[Body, int]:
        """The functions that have the channel, and where they take first, if known."""
        phases = {}
        for where, name in self.traffic.keys:
            function = where.node if isinstance(where, Scope) else None
            if function is not None and name not in arguments(function):
                takes = [
                    node.lineno if node is not None else 0
                    for get in self.traffic.gets
                    for node in self._places(get.node, function)
                ]
                phases[function] = min(takes, default=0)
        return phases

    def _places(
        self, node: ast.AST, function: Body, depth: int = 4
    ) -> Iterator[ast.expr | None]:
        """Where a function comes to a place; None: others may do so at any time."""
        around = self.objects.function(node)
        if around is function:
            yield node if isinstance(node, ast.expr) else None
        elif around is None or not depth or not self.objects.entries.get(around):
            yield None
        else:
            for entry in self.objects.entries[around][:_MOST]:
                yield from self._places(entry.node, function, depth - 1)

    def is_fan_out(self, target: ast.expr) -> bool:
        """Whether a loop goes over several channels, and not over items."""
        return any(
            self.objects.key(node) in self.traffic.keys
            for node in ast.walk(target)
            if isinstance(node, ast.Name | ast.Attribute)
        )

    def handler(self, use: Use, word: str) -> ast.ExceptHandler | None:
        """The except clause for a channel that is full, or empty, around a place."""
        for parent, child in self.objects.around(use.node):
            if isinstance(parent, ast.Try) and child in parent.body:
                for handler in parent.handlers:
                    if catches(handler, word, "WouldBlock"):
                        return handler
        return None

    def is_one_of(self, use: Use) -> bool:
        """Whether one item goes into the channels of several readers."""
        return any(
            isinstance(parent, ast.For) and self.is_fan_out(parent.target)
            for parent, _ in self.objects.around(use.node)
        )

    def _is_paced(self, loop: ast.While) -> bool:
        """Whether each round of a loop rests for some time."""
        return any(
            call in self._file.sleeps.long
            and not any(
                isinstance(parent, ast.If | ast.ExceptHandler | ast.IfExp)
                for parent, _ in takewhile(
                    lambda step: step[0] is not loop, self.objects.around(call)
                )
            )
            for call in own(loop)
        )

    def _leaves(self, loop: ast.AST, child: ast.AST) -> bool:
        """Whether the loop is always left behind the statement that a place is in."""
        inside = [*child.body, *child.orelse] if isinstance(child, ast.Try) else []
        return bool(leaves(inside)) or self._left(loop) >= getattr(child, "lineno", 0)

    @staticmethod
    def _last_leaving(loop: ast.AST) -> int:
        """The last line of a loop that always leaves it, or 0."""
        return max((at.lineno for at in leaves(getattr(loop, "body", ()))), default=0)

    def suspends(
        self, statements: Iterable[ast.AST], depth: int = 4, but: ast.AST | None = None
    ) -> bool:
        """Whether a coroutine may let others run in some statements, but one await."""
        for statement in statements:
            for node in (statement, *own(statement)):
                if isinstance(node, ast.AsyncFor | ast.AsyncWith | ast.Yield):
                    return True
                if (
                    isinstance(node, ast.Await)
                    and node.value is not but
                    and self._waits(node.value, depth)
                ):
                    return True
        return False

    def _waits(self, value: ast.expr, depth: int) -> bool:
        """Whether an await of an expression may suspend."""
        if not isinstance(value, ast.Call):
            return True
        if (
            isinstance(value.func, ast.Attribute)
            and self._file.bounds.get(value.func) is False
            and value.func.attr in PUT
        ):
            return False
        functions = self.objects.functions(value.func)
        return not functions or not depth or any(
            isinstance(function, ast.Lambda) or self.suspends(function.body, depth - 1)
            for function in functions
        )  # fmt: skip

    # What holds a producer

    @staticmethod
    def is_end(use: Use) -> bool:
        """Whether what is put says that nothing more will come."""
        item = item_of(use)
        if isinstance(item, ast.Constant):
            return item.value is None or isinstance(item.value, bool)
        called = isinstance(item, ast.Call)
        name = name_of(item.func if isinstance(item, ast.Call) else item)
        if not called and name.isupper() and len(name) > 1:
            return True
        words = {word.lower() for word in _WORD.findall(name)}
        return bool(words & _ENDS) and (
            not called or name[:1].isupper() or name.startswith("_")
        )

    def _is_held(self, node: ast.AST, function: Body | None) -> bool:
        """Whether a producer is held back, or waits for an answer."""
        root: ast.AST = function if function is not None else self.objects.nodes[0]
        return self._limited(root) or self._is_answered(node)

    def _has_limit(self, root: ast.AST, depth: int = 2) -> bool:
        """Whether a limit is in a function, or in those that it awaits."""
        return any(
            self._is_limit(inner, root)
            or (
                depth
                and isinstance(inner, ast.Await)
                and isinstance(inner.value, ast.Call)
                and any(
                    self._has_limit(function, depth - 1)
                    for function in self.objects.functions(inner.value.func)
                )
            )
            for inner in own(root)
        )

    def _is_limit(self, node: ast.AST, function: ast.AST) -> bool:
        """Whether a size is looked at, or a semaphore acquired for who takes."""
        objects = self.objects
        if isinstance(node, ast.Compare) and not self._only_says(node):
            operands = [node.left, *node.comparators]
            return all(getattr(each, "value", None) != 0 for each in operands) and any(
                isinstance(inner, ast.Attribute)
                and inner.attr in ("qsize", "statistics")
                and objects.key(inner.value) in self.traffic.keys
                for inner in self._made_of(node)
            )
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            func = node.func
            if func.attr == "pause_reading":
                return True
            waits = isinstance(objects.parents[node], ast.Call | ast.Await)
            if func.attr == "acquire" and waits:
                key = objects.key(func.value)
                return not any(
                    isinstance(inner, ast.Attribute)
                    and inner.attr == "release"
                    and objects.key(inner.value) == key
                    for inner in own(function)
                )
        return False

    def _only_says(self, test: ast.Compare) -> bool:
        """Whether nothing follows from a comparison but words in a log."""
        around = self.objects.parents[test]
        return (
            isinstance(around, ast.If)
            and not around.orelse
            and all(called(getattr(at, "value", None)) in SAYS for at in around.body)
        )

    def _is_answered(self, node: ast.AST) -> bool:
        """Whether whoever puts then waits for what becomes of it, in each round."""
        objects = self.objects
        root = objects.loop(node) or objects.function(node)
        if root is None:
            return False
        answers = self._answers(root)
        call = objects.parents.get(node)
        handed = {"wait()"} if isinstance(root, LOOPS) else {"wait()", "get()"}
        if isinstance(call, ast.Call):
            parts = chain(*map(self._made_of, call.args))
            handed |= set(map(name_of, parts)) - {"self", ""}
        place = (node.lineno, node.col_offset)  # type: ignore[attr-defined]
        return any(answers.get(name, place) > place for name in handed)

    def _latest_answers(self, root: ast.AST) -> dict[str, tuple[int, int]]:
        """What is awaited in a function or loop, and where that is done last."""
        latest: dict[str, tuple[int, int]] = {}
        for inner in own(root):
            value = getattr(inner, "value", None)
            is_answer = isinstance(inner, ast.Await) or (
                # Whoever calls has it, and awaits what becomes of it.
                isinstance(inner, ast.Return) and isinstance(value, ast.Name)
            )
            if is_answer and isinstance(value, ast.expr):
                place = (value.lineno, value.col_offset)
                for name in self._answered_by(value):
                    latest[name] = max(place, latest.get(name, place))
        return latest

    def _answered_by(self, value: ast.expr) -> Iterator[str]:
        """The names of what an await is for.

        It is ``wait()`` for an event or the channel, and ``get()`` for another channel.
        """
        if isinstance(value, ast.Name | ast.Attribute):
            yield name_of(value)
        if not isinstance(value, ast.Call):
            return
        if name_of(value.func) in ("wait_for", "shield", "wait", "gather"):
            for arg in value.args:
                yield from self._answered_by(arg)
        func = value.func
        if isinstance(func, ast.Attribute) and not value.args:
            if func.attr == "wait" or (
                func.attr == "join"
                and self.objects.key(func.value) in self.traffic.keys
            ):
                yield "wait()"
            elif func.attr in ("get", "receive", "result"):
                yield name_of(func.value)
                if func in self._file.bounds and func not in self._gets:
                    yield "get()"
