"""LAG101: whether the file shows that a channel without a bound grows.

Growth is shown by who puts: a callback, a thread, whoever calls a function that this
file does not call, ``async for``, an endless loop, or a loop that puts and never
suspends, since ``put()`` into a channel without a bound does not.  That a loop has an
end is no limit.  What is one: a source of a few items that is written out, a size that
is looked at, an answer that the producer waits for, a semaphore that it acquires.

The advice never orders a bound.  It names what a bound would do to this code.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from .libraries import words
from .objects import Body, Key, Objects, Use, name_of, own

__all__ = ["Growth", "Traffic"]

#: So many callers of a function are looked at.
_MOST = 50
#: A source of so many items that are written out is no stream.
FEW = 100

_PUT = frozenset(("put", "send"))
_PUT_NOW = frozenset(("put_nowait", "send_nowait"))
_GET = frozenset(("get", "receive", "__anext__", "get_nowait", "receive_nowait"))
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# What runs once in the life of an object.
_ONCE = re.compile(
    r"_*(init|main|aenter|enter|aexit|exit|post_init|del|a?start(up)?|a?stop|a?close|"
    r"setup|(tear|shut)_?down|cancel|terminate|quit|kill|dispose|disconnect)_*"
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_ENDS = words(
    "sentinel stop stopped stopping done end ended finish finished quit shutdown "
    "poison close closed disconnect complete completed eof "
    "terminate terminated termination "
    "terminator exit kill cancel cancelled abort exc err error exception"
)
_Why = Literal["thread", "callback", "callers", "stream", "loop"]


@dataclass(frozen=True, slots=True)
class Shown:
    """What shows that a channel grows.

    Args:
        why: who puts.
        line: where that is said.
        use: the put.
        function: who is called from elsewhere.
    """

    why: _Why
    line: int
    use: Use
    function: str = ""


@dataclass(slots=True)
class Traffic:
    """All that the file does with one channel."""

    uses: list[Use]
    keys: set[Key]
    #: Whether it is kept for longer than a function runs.
    outlives: bool
    puts: list[Use] = field(init=False)
    gets: list[Use] = field(init=False)

    def __post_init__(self) -> None:
        self.puts = [use for use in self.uses if use.name in _PUT | _PUT_NOW]
        self.gets = [
            use
            for use in self.uses
            if use.name in _GET
            and not (use.call is not None and use.call.func is use.node
                     and use.call.args)
        ]  # fmt: skip

    @property
    def takers(self) -> set[Body | None]:
        """The functions that take."""
        return {use.function for use in self.gets}


def item_of(use: Use) -> ast.expr | None:
    """What is put, as far as it is written there."""
    call = use.call
    if call is None:
        return None
    if call.func is use.node:
        return call.args[0] if call.args else None
    if use.node not in call.args:
        return None
    after = call.args.index(use.node) + 1
    return call.args[after] if after < len(call.args) else None


class Growth:
    """Judges one channel.

    Args:
        objects: those of the file.
        traffic: what is done with the channel.
        free: all methods of channels without a bound that the file names.
    """

    def __init__(self, objects: Objects, traffic: Traffic, free: set[ast.AST]) -> None:
        self._objects = objects
        self._traffic = traffic
        self._free = free
        self._takers = traffic.takers
        self._entered: dict[ast.AST, tuple[_Why, int, str] | None] = {}
        self._left: dict[ast.AST, int] = {}  # the last line that leaves a loop
        self._limited: dict[ast.AST, bool] = {}
        self._answers: dict[ast.AST, dict[str, tuple[int, int]]] = {}

    def advice(self) -> tuple[str, list[str]] | None:
        """The section, and words, shorter ones last; None: no growth is shown."""
        puts = self._traffic.puts
        ends = [use for use in puts if self._is_end(use)]
        shown = [
            evidence
            for use in puts
            if use not in ends and (evidence := self._shown(use)) is not None
        ]
        if not shown:
            return None
        order = ("thread", "callback", "callers", "stream", "loop")
        first = min(shown, key=lambda evidence: order.index(evidence.why))
        section, words = self._hazard(first, shown, ends)
        why = _WHY[first.why].format(line=first.line, put=first.use.line)
        whys = [why]
        if first.why == "callers":
            whys.insert(0, why.replace("callers", f"callers of {first.function}()"))
        return section, [f"grows: {why}; {words}" for why in whys]

    # Who puts

    def _shown(self, use: Use) -> Shown | None:
        """What shows that a put goes on and on."""
        if use.call is None or use.call.func is not use.node:  # it is given away
            entry = self._objects.given(use.node)
            if entry is None or entry.how == "done":
                return None
            if entry.how in ("thread", "callback"):
                why: _Why = "thread" if entry.how == "thread" else "callback"
                return Shown(why, use.line, use)
        found = self._goes_on(use.node, 0)
        if found is None:
            return None
        why, line, name = found
        if use.function in self._objects.threads or self._is_threadsafe(use):
            why = "thread"
        return Shown(why, line, use, name)

    def _is_threadsafe(self, use: Use) -> bool:
        """Whether a put is handed from a thread to the loop."""
        return any(
            isinstance(node, ast.Call) and name_of(node.func).endswith("threadsafe")
            for node in (use.call, self._objects.parents.get(use.call or use.node))
        )

    def _goes_on(self, node: ast.AST, depth: int) -> tuple[_Why, int, str] | None:
        """Whether a place is come to again and again, and why."""
        objects = self._objects
        function = objects.function(node)
        if function in self._takers or self._is_held(node, function):
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
        objects = self._objects
        entries = objects.entries.get(function, [])
        if function in objects.threads:
            return "thread", objects.threads[function].lineno, ""  # type: ignore[attr-defined]
        for entry in entries:
            if entry.how == "callback":
                return "callback", entry.node.lineno, ""  # type: ignore[attr-defined]
        name = getattr(function, "name", "")
        if not entries:
            outer = objects.function(function) is None
            if self._traffic.outlives and outer and not _ONCE.fullmatch(name):
                return "callers", function.lineno, name
            return None
        if depth > 6:
            return None
        for entry in entries[:_MOST]:
            if entry.how == "call":
                found = self._goes_on(entry.node, depth + 1)
                if found is not None:
                    return found
        return None

    def _repeats(self, loop: ast.AST, child: ast.AST) -> _Why | None:
        """Whether a loop, in the part that a place is in, shows growth."""
        if isinstance(loop, ast.AsyncFor) and child in loop.body:
            return "stream"
        if isinstance(loop, ast.While) and child in (loop.test, *loop.body):
            if self._is_counted(loop) or self._leaves(loop, child):
                return None
            return "loop"
        if isinstance(loop, ast.For) and child in loop.body:
            if self._is_few(loop.iter) or self._leaves(loop, child):
                return None
            if self._is_fan_out(loop.target):
                return None
            if self._is_endless(loop.iter) or not self._suspends(loop.body):
                return "loop"
            return None
        if isinstance(loop, _COMPREHENSIONS) and child is not loop.generators[0]:
            first = loop.generators[0]
            if first.is_async:
                return "stream"
            if self._is_few(first.iter) or self._is_fan_out(first.target):
                return None
            return "loop" if not self._suspends([loop]) else None
        return None

    def _is_fan_out(self, target: ast.expr) -> bool:
        """Whether a loop goes over several channels, and not over items."""
        return any(
            self._objects.key(node) in self._traffic.keys
            for node in ast.walk(target)
            if isinstance(node, ast.Name | ast.Attribute)
        )

    def _is_few(self, source: ast.expr, depth: int = 5) -> bool:
        """Whether a source is written out, and short."""
        if isinstance(source, ast.List | ast.Tuple | ast.Set):
            return len(source.elts) <= FEW and not any(
                isinstance(element, ast.Starred) for element in source.elts
            )
        if isinstance(source, ast.Dict):
            return len(source.keys) <= FEW and None not in source.keys
        if isinstance(source, ast.Constant) and isinstance(source.value, str | bytes):
            return len(source.value) <= FEW
        objects = self._objects
        if isinstance(source, ast.Name):
            bound, where = objects.names.bindings(source.id, objects.scope(source))
            changed = any(
                use.name in ("append", "extend", "add", "insert", "update")
                for use in objects.reach([(where, source.id)])[0]
            ) if bound else True  # fmt: skip
            return (
                depth > 0
                and len(bound) == 1
                and isinstance(bound[0], ast.expr)
                and not changed
                and self._is_few(bound[0], depth - 1)
            )
        if isinstance(source, ast.Call) and source.args:
            name = name_of(source.func)
            if name == "range":
                scope = objects.scope(source)
                numbers = [objects.names.number(arg, scope) for arg in source.args[:2]]
                if None in numbers:
                    return False
                first, last = [0, *numbers][-2:]
                return abs((last or 0) - (first or 0)) <= FEW
            if name in ("enumerate", "zip", "reversed", "sorted", "list", "tuple",
                        "set", "iter"):  # fmt: skip
                return depth > 0 and any(
                    self._is_few(arg, depth - 1) for arg in source.args
                )
            if name in ("items", "keys", "values") and isinstance(
                source.func, ast.Attribute
            ):
                return depth > 0 and self._is_few(source.func.value, depth - 1)
        return False

    def _is_endless(self, source: ast.expr) -> bool:
        """Whether a source surely has no end of its own."""
        if not isinstance(source, ast.Call):
            return False
        value = self._objects.names.called.get(source, "")
        if value in ("itertools.count", "itertools.cycle") or (
            value == "itertools.repeat" and len(source.args) == 1
        ):
            return True
        if name_of(source.func) == "iter" and len(source.args) == 2:
            return True
        return any(
            isinstance(node, ast.While)
            and isinstance(node.test, ast.Constant)
            and any(isinstance(inner, ast.Yield) for inner in ast.walk(node))
            for function in self._objects.functions(source.func)
            for node in own(function)
        )

    def _is_counted(self, loop: ast.While) -> bool:
        """Whether a loop counts to a few, or goes on until there is an answer."""
        test = loop.test
        if not isinstance(test, ast.Compare) or len(test.comparators) != 1:
            return False
        scope = self._objects.scope(loop)
        counted = {
            name_of(node.target)
            for node in own(loop)
            if isinstance(node, ast.AugAssign)
        }
        number = self._objects.names.number(test.comparators[0], scope)
        return name_of(test.left) in counted and number is not None and number <= FEW

    def _leaves(self, loop: ast.AST, child: ast.AST) -> bool:
        """Whether the loop is always left behind the statement that a place is in."""
        if loop not in self._left:
            self._left[loop] = max(
                (
                    node.lineno
                    for node in getattr(loop, "body", [])
                    if isinstance(node, ast.Break | ast.Return | ast.Raise)
                ),
                default=0,
            )
        inside = [*child.body, *child.orelse] if isinstance(child, ast.Try) else []
        return self._left[loop] >= getattr(child, "lineno", 0) or any(
            isinstance(node, ast.Break | ast.Return | ast.Raise) for node in inside
        )

    def _suspends(self, statements: Iterable[ast.AST], depth: int = 4) -> bool:
        """Whether a coroutine may let others run in some statements."""
        for statement in statements:
            for node in (statement, *own(statement)):
                if isinstance(node, ast.AsyncFor | ast.AsyncWith | ast.Yield):
                    return True
                if isinstance(node, ast.comprehension) and node.is_async:
                    return True
                if isinstance(node, ast.Await) and self._waits(node.value, depth):
                    return True
        return False

    def _waits(self, value: ast.expr, depth: int) -> bool:
        """Whether an await of an expression may suspend."""
        if not isinstance(value, ast.Call):
            return True
        if (
            isinstance(value.func, ast.Attribute)
            and value.func in self._free
            and value.func.attr in _PUT
        ):
            return False
        functions = self._objects.functions(value.func)
        if functions and depth:
            return any(
                isinstance(function, ast.Lambda)
                or self._suspends(function.body, depth - 1)
                for function in functions
            )
        return True

    # What holds a producer

    def _is_end(self, use: Use) -> bool:
        """Whether what is put says that nothing more will come."""
        item = item_of(use)
        return item is not None and self._says_end(item, use)

    def _says_end(self, item: ast.expr, use: Use) -> bool:
        if isinstance(item, ast.Constant):
            return item.value is None or isinstance(item.value, bool)
        if isinstance(item, ast.Tuple):
            return bool(item.elts) and all(
                isinstance(part, ast.Constant) or self._says_end(part, use)
                for part in item.elts
            ) and any(self._says_end(part, use) for part in item.elts)  # fmt: skip
        if isinstance(item, ast.Dict):
            return bool(item.values) and all(
                isinstance(value, ast.Constant) for value in item.values
            )
        called = isinstance(item, ast.Call)
        node = item.func if isinstance(item, ast.Call) else item
        name = name_of(node)
        if isinstance(item, ast.Name):
            kept, where = self._objects.names.bindings(
                item.id, self._objects.scope(item)
            )
            if where.kind == "function" and not any(
                isinstance(what, ast.expr) for what in kept
            ):
                return False  # a parameter, or what a loop brings
        if not called and name.isupper() and len(name) > 1:
            return True
        words = {word.lower() for word in _WORD.findall(name)}
        return bool(words & _ENDS) and (
            not called or name[:1].isupper() or name.startswith("_")
        )

    def _is_held(self, node: ast.AST, function: Body | None) -> bool:
        """Whether a producer is held back, or waits for an answer."""
        root: ast.AST = function if function is not None else self._objects.nodes[0]
        if root not in self._limited:
            self._limited[root] = any(
                self._is_limit(inner, root) for inner in own(root)
            )
        return self._limited[root] or self._is_answered(node)

    def _is_limit(self, node: ast.AST, function: ast.AST) -> bool:
        """Whether a size is looked at, or a semaphore acquired for who takes."""
        objects = self._objects
        if isinstance(node, ast.Compare):
            return any(
                isinstance(inner, ast.Call)
                and isinstance(inner.func, ast.Attribute)
                and inner.func.attr in ("qsize", "statistics")
                and objects.key(inner.func.value) in self._traffic.keys
                for inner in ast.walk(node)
            ) and not any(
                isinstance(operand, ast.Constant) and operand.value == 0
                for operand in (node.left, *node.comparators)
            )  # fmt: skip
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            func = node.func
            if func.attr == "acquire" and node in objects.walk.awaited:
                key = objects.key(func.value)
                return not any(
                    isinstance(inner, ast.Attribute)
                    and inner.attr == "release"
                    and objects.key(inner.value) == key
                    for inner in own(function)
                )
        return False

    def _is_answered(self, node: ast.AST) -> bool:
        """Whether whoever puts then waits for what becomes of it, in each round."""
        objects = self._objects
        root: ast.AST | None = next(
            (parent for parent, _ in objects.around(node)
             if isinstance(parent, _LOOPS)), objects.function(node)
        )  # fmt: skip
        if root is None:
            return False
        if root not in self._answers:
            latest: dict[str, tuple[int, int]] = {}
            for inner in own(root):
                if isinstance(inner, ast.Await):
                    place = (inner.lineno, inner.col_offset)
                    for name in self._answered_by(inner.value):
                        latest[name] = max(place, latest.get(name, place))
            self._answers[root] = latest
        answers = self._answers[root]
        if not answers:
            return False
        call = objects.parents.get(node)
        handed = {"wait()"}
        if isinstance(call, ast.Call):
            handed |= {
                name_of(inner)
                for arg in call.args
                for inner in ast.walk(arg)
                if isinstance(inner, ast.Name | ast.Attribute)
            } - {"self", ""}
        place = (node.lineno, node.col_offset)  # type: ignore[attr-defined]
        return any(answers.get(name, place) > place for name in handed)

    def _answered_by(self, value: ast.expr) -> Iterator[str]:
        """The names of what an await is for; ``wait()`` for an event or the channel."""
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
                and self._objects.key(func.value) in self._traffic.keys
            ):
                yield "wait()"
            elif func.attr in ("get", "receive", "result"):
                yield name_of(func.value)

    # What a bound would do

    def _hazard(
        self, first: Shown, shown: list[Shown], ends: list[Use]
    ) -> tuple[str, str]:
        """The section, and what to do, for the worst that a bound could bring."""
        traffic, objects = self._traffic, self._objects
        puts = [evidence.use for evidence in shown]
        line = first.use.line
        locked = next(filter(None, map(self._locked, puts)), None)
        if locked is not None:
            lock, get = locked
            return "lag101-lock", (
                f"bound it, with put() outside {lock}, which line {get} takes too"
            )
        back = next(
            (
                use
                for use in traffic.puts
                if use.function in self._takers
                and not self._is_end(use)
                and (use.call in objects.walk.awaited or use.name in _PUT_NOW)
                and use.call is not None
                and use.call.func is use.node
            ),
            None,
        )
        if back is not None:
            return "lag101-back", (
                f"line {back.line} takes and puts, so must not wait: hold line {line} "
                "back, or refuse"
            )
        if traffic.gets and all(map(self._is_batched, traffic.gets)):
            return "lag101-batch", (
                f"line {traffic.gets[0].line} takes in batches: no put() may wait; "
                "drop or flush at a size"
            )
        filled = self._filled(first)
        if filled is not None:
            return "lag101-fill", (
                f"nobody takes before line {filled}: start who takes first, then bound"
            )
        never = f", never the end (line {ends[0].line})" if ends else ""
        if first.why == "thread":
            joined = self._joined()
            if joined is not None:
                return "lag101-thread", (
                    f"bound it, drop on the loop{never}; line {joined} joins it: no "
                    ".result() there"
                )
            return "lag101-thread", f"bound it, and drop or refuse on the loop{never}"
        full = next(filter(None, map(self._handles_full, puts)), None)
        if full is not None:
            return "lag101-callback", (
                f"bound it: QueueFull, handled in line {full}, needs a bound"
            )
        if any(map(self._is_one_of, puts)):
            return "lag101-fanout", (
                f"bound each; when one is full drop the item or its reader{never}"
            )
        late = next((use for use in traffic.puts if self._is_final(use)), None)
        if late is not None and first.use.name in _PUT:
            return "lag101-finally", (
                f"bound it, and put in line {late.line} outside finally: it may wait "
                "for ever"
            )
        if first.use.name in _PUT and first.why != "callback":
            return "lag101-await", "bound it, and let put() wait, or drop or refuse"
        return "lag101-callback", f"bound it, and drop or refuse on QueueFull{never}"

    def _locked(self, use: Use) -> tuple[str, int] | None:
        """A lock around a put that is around a get, too: its name, and that line."""
        if use.name not in _PUT:
            return None
        objects = self._objects
        held = self._locks(use.node)
        for get in self._traffic.gets if held else ():
            # Who has taken an item and then needs the lock stops as well.
            mine: list[tuple[int, Key | None]] = [
                (get.line, key) for key in self._locks(get.node)
            ]
            if get.function is not None:
                mine += [
                    (node.lineno, objects.key(item.context_expr))
                    for node in own(get.function)
                    if isinstance(node, ast.With | ast.AsyncWith)
                    for item in node.items
                ]
            for line, key in mine:
                if key is not None and key in held:
                    return held[key], line
        return None

    def _locks(self, node: ast.AST, depth: int = 3) -> dict[Key, str]:
        """The locks that are held at a place, here or by who calls."""
        objects = self._objects
        locks: dict[Key, str] = {}
        for parent, child in objects.around(node):
            if isinstance(parent, ast.With | ast.AsyncWith) and child in parent.body:
                for item in parent.items:
                    key = objects.key(item.context_expr)
                    if key is not None:
                        locks[key] = name_of(item.context_expr)
        function = objects.function(node)
        if function is not None and depth:
            for entry in objects.entries.get(function, [])[:_MOST]:
                if entry.how == "call":
                    locks |= self._locks(entry.node, depth - 1)
        return locks

    def _is_batched(self, use: Use) -> bool:
        """Whether a place takes only what is there, one after the other."""
        loop = next(
            (node for node, _ in self._objects.around(use.node)
             if isinstance(node, _LOOPS)), None
        )  # fmt: skip
        if loop is None:
            return False
        if not use.name.endswith("_nowait"):
            return isinstance(loop, ast.While) and any(
                isinstance(node, ast.Attribute) and node.attr in ("empty", "qsize")
                for node in ast.walk(loop.test)
            )
        return not self._suspends([loop])

    def _filled(self, first: Shown) -> int | None:
        """The line where somebody takes, if whoever makes a channel first fills it."""
        objects = self._objects
        use = first.use
        if first.why != "loop" or use.name not in _PUT:
            return None
        node: ast.AST = use.node
        function = objects.function(node)
        owners = {where for where, _ in self._traffic.keys}
        for _ in range(3):
            if function is None:
                return None
            if objects.walk.scopes.get(function) in owners and any(
                name not in _arguments(function)
                for where, name in self._traffic.keys
                if where is objects.walk.scopes.get(function)
            ):
                break
            calls = objects.entries.get(function, ())
            if len(calls) != 1 or calls[0].node not in objects.walk.awaited:
                return None
            node = calls[0].node
            function = objects.function(node)
        else:
            return None
        lines = [
            line
            for get in self._traffic.gets
            for line in self._lines_in(get.node, function, 4)
        ]
        after = getattr(node, "end_lineno", 0)
        if lines and min(lines) > after:
            return min(lines)
        return None

    def _lines_in(self, node: ast.AST, function: Body, depth: int) -> Iterator[int]:
        """The lines of a function at which a place is come to."""
        objects = self._objects
        around = objects.function(node)
        if around is function:
            yield node.lineno  # type: ignore[attr-defined]
        elif around is not None and depth:
            entries = objects.entries.get(around, ())
            if not entries:
                yield 0  # somebody else may start it at any time
            for entry in entries[:_MOST]:
                yield from self._lines_in(entry.node, function, depth - 1)
        else:
            yield 0

    def _joined(self) -> int | None:
        """Where a thread is waited for in a function that runs on the loop."""
        objects = self._objects
        for node in objects.nodes:
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in ("join", "shutdown")
                and any(
                    name_of(getattr(origin, "func", origin))
                    in ("Thread", "Timer", "ThreadPoolExecutor")
                    or (node.func.attr == "join" and _is_thread(objects, origin))
                    for origin in objects.origins(node.func.value)
                )
                and objects.function(node) not in objects.threads
            ):  # fmt: skip
                return node.lineno
        return None

    def _handles_full(self, use: Use) -> int | None:
        """The line of an except clause for a full channel around a place."""
        for parent, child in self._objects.around(use.node):
            if isinstance(parent, ast.Try) and child in parent.body:
                for handler in parent.handlers:
                    for node in ast.walk(handler.type) if handler.type else ():
                        if name_of(node).endswith(("Full", "WouldBlock")):
                            return handler.lineno
        return None

    def _is_one_of(self, use: Use) -> bool:
        """Whether one item goes into the channels of several readers."""
        return any(
            isinstance(parent, ast.For) and self._is_fan_out(parent.target)
            for parent, _ in self._objects.around(use.node)
        )

    def _is_final(self, use: Use) -> bool:
        """Whether a put that waits is in a ``finally``."""
        return use.name in _PUT and any(
            isinstance(parent, ast.Try | ast.TryStar) and child in parent.finalbody
            for parent, child in self._objects.around(use.node)
        )


_WHY = {
    "thread": "a thread puts (line {put})",
    "callback": "a callback puts (line {put})",
    "callers": "callers put (line {put})",
    "stream": "'async for' puts (line {put})",
    "loop": "the loop in line {line} puts and never waits",
}


def _arguments(function: Body) -> set[str]:
    every = function.args
    return {arg.arg for arg in (*every.posonlyargs, *every.args, *every.kwonlyargs)}


def _is_thread(objects: Objects, origin: ast.expr) -> bool:
    """Whether an origin makes an object of a class of threads of the file."""
    made = objects.kind(origin)
    node = getattr(made, "node", None)
    return isinstance(node, ast.ClassDef) and any(
        name_of(base) == "Thread" for base in node.bases
    )
