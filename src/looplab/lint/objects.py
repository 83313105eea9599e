"""Where a file keeps its objects, what reaches which place, and who runs what.

Every rule asks here.  An object is followed from the call that makes it into variables,
attributes, containers and the parameters of functions that the file defines.  An
attribute of ``self`` is one of its class and of those related to it; an attribute of
another object is one of that object's class, if the file tells it, or of the only class
of the file that has one of this name.
"""

from __future__ import annotations

import ast
import io
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, TypeAlias

from .channels import Channels
from .libraries import words
from .names import Body, Class, Function, Scope
from .walk import Walk

#: Where a thing is kept: a scope and a name, or a class (None: any) and an attribute.
Key: TypeAlias = "tuple[Scope | ast.ClassDef | None, str]"

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
REPEATS = (*LOOPS, *COMPREHENSIONS)
INNER = (*FUNCTIONS, ast.ClassDef)
_HOLDS = (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Starred, ast.IfExp, ast.BoolOp)
_ADDS = words("add append appendleft insert setdefault")
_TAKES = words("get pop popleft popitem values items copy setdefault")
_HOLDERS = words(
    "Optional dict list set deque defaultdict Dict List Set Deque DefaultDict"
)
_BUILTIN = frozenset(chain(*map(dir, (list, dict, set, deque, str, io.BytesIO))))
_COPIES = words("list tuple set sorted reversed enumerate iter")
# Who is given a function with these calls it once, or makes a task of it.
_SPAWNS = words(
    "create_task ensure_future start_soon start spawn call_soon call_later call_at "
    "call_soon_threadsafe run run_sync run_until_complete gather add_signal_handler "
    "sorted map filter min max wraps register finalize sort reduce"
)
# Decorators that call nothing.
_PLAIN = words(
    "staticmethod classmethod property cached_property wraps contextmanager override "
    "asynccontextmanager abstractmethod overload final lru_cache cache setter "
    "coroutine fixture dataclass"
)
# The callbacks of these libraries come from a thread of theirs.
_THREADED = frozenset(("paho", "watchdog", "sounddevice", "pyaudio", "pynput"))
_POOL = "concurrent.futures.ThreadPoolExecutor"
# What functions of asyncio make, and methods of these names, whatever they are of.
_MADE_BY = {
    "create_task": "asyncio.Task",
    "ensure_future": "asyncio.Task",
    "create_future": "asyncio.Future",
    "run_coroutine_threadsafe": "concurrent.futures.Future",
    "submit": "concurrent.futures.Future",
    "get_event_loop": "asyncio.loop",
    "get_running_loop": "asyncio.loop",
    "new_event_loop": "asyncio.loop",
    "AbstractEventLoop": "asyncio.loop",
}
# The position of what is called in a thread.
_STARTS = {
    "threading.Thread": 1,
    "threading.Timer": 1,
    "_thread.start_new_thread": 0,
    "asyncio.to_thread": 0,
    "anyio.to_thread.run_sync": 0,
    "trio.to_thread.run_sync": 0,
}
# Methods that a thread calls, by the classes that they are written for.
_THREAD_METHODS = {
    "run": words("threading.Thread"),
    "emit": words("logging.Handler logging.StreamHandler"),  # of whoever logs
}
_MOST = 20  # so many origins of what is kept at one place are looked at


@dataclass(frozen=True, slots=True, eq=False)
class Use:
    """An attribute that is asked of an object, and the call of it, if it is called."""

    node: ast.Attribute
    call: ast.Call | None
    function: Body | None

    @property
    def name(self) -> str:
        """What is asked."""
        return self.node.attr

    @property
    def line(self) -> int:
        """Where, from 1."""
        return self.node.end_lineno or self.node.lineno


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One way in which a function comes to run."""

    how: Literal["call", "thread", "signal", "done", "callback"]
    node: ast.AST


def name_of(node: ast.AST | None) -> str:
    """The last part of a dotted name; nothing for what has none."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return str(getattr(node, "attr", getattr(node, "id", "")))


def own(root: ast.AST) -> Iterator[ast.AST]:
    """What is in a function or a statement, but in no function or class inside it."""
    stack = [*ast.iter_child_nodes(root)]
    if isinstance(root, ast.FunctionDef | ast.AsyncFunctionDef):
        stack = list(root.body)
    elif isinstance(root, ast.Lambda):
        stack = [root.body]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, INNER):
            stack.extend(ast.iter_child_nodes(node))


def calls(root: ast.AST) -> Iterator[ast.Call]:
    """The calls in a function or a statement, but in no function or class inside it."""
    return (node for node in own(root) if isinstance(node, ast.Call))


def called(node: ast.AST | None) -> str:
    """The last name of what a call calls; nothing for what is no call."""
    return name_of(node.func) if isinstance(node, ast.Call) else ""


def mentions(node: ast.AST) -> set[str]:
    """The names and attributes in an expression, as they are written."""
    inner = ast.walk(node)
    return {ast.unparse(x) for x in inner if isinstance(x, ast.Name | ast.Attribute)}


def _is_plain(node: ast.AST) -> bool:
    """Whether this is a name, a parameter, or an attribute of ``self``."""
    return isinstance(node, ast.Name | ast.arg) or (
        isinstance(node, ast.Attribute) and name_of(node.value) == "self"
    )


class Objects:
    """The objects and functions of a file."""

    def __init__(self, tree: ast.Module, walk: Walk, names: Channels) -> None:
        self.walk = walk
        self.names = names
        self.parents: dict[ast.AST, ast.AST] = {}
        self._places: dict[ast.AST, tuple[list[ast.stmt], int]] = {}  # in a block
        self.nodes: list[ast.AST] = [tree]
        self.entries: dict[ast.AST, list[Entry]] = defaultdict(list)
        #: Where each object is kept first.
        self.placed: dict[ast.expr, list[Key]] = defaultdict(list)
        self._named: dict[str, list[Function]] = defaultdict(list)
        self._classes: dict[str, list[ast.ClassDef]] = defaultdict(list)
        self._aliases: set[str] = set()
        self._instances: dict[Key | None, set[ast.ClassDef]] = defaultdict(set)
        self._flows: dict[Key, set[Key]] = defaultdict(set)
        self._attributes: dict[str, set[Key]] = defaultdict(set)
        self._owned: dict[str, int] = defaultdict(int)  # by so many classes
        self._families: dict[ast.ClassDef, set[ast.ClassDef]] = defaultdict(set)
        self._uses: dict[Key, list[Use]] = defaultdict(list)
        self._called: dict[Key, list[Body]] = {}
        self._asked: dict[Key, set[str]] = {}
        self._origins: dict[Key, set[ast.expr]] = defaultdict(set)
        for node in self.nodes:  # grows while it is gone through
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
                self.nodes.append(child)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self._named[node.name].append(node)
            elif isinstance(node, ast.ClassDef):
                self._classes[node.name].append(node)
        for node in self.nodes:
            self._note_instance(node)
        for node in self.nodes:
            self._note(node)
        written = set(map(name_of, self.nodes))
        # paho calls back in the thread of whoever calls its loop_read().
        own_loop = written & {"loop_read", "loop_misc"}
        self._threaded = _THREADED - {"paho"} if own_loop else _THREADED
        #: Whether the file has the windows of HTTP/2, which only who takes opens.
        self.has_flow_control = any("flow_control" in name for name in written)
        for node in self.nodes:
            self._note_entry(node)
        self._spread()
        self.threads = self._reached("thread")
        self.handlers = self._reached("signal")

    # Places

    def _above(self, node: ast.AST) -> Iterator[ast.AST]:
        """All that is around a place, the innermost first."""
        around = self.parents.get(node)
        while around is not None:
            yield around
            around = self.parents.get(around)

    def function(self, node: ast.AST) -> Body | None:
        """The function around a place."""
        around = next((at for at in self._above(node) if isinstance(at, INNER)), None)
        return around if isinstance(around, FUNCTIONS) else None

    def owner(self, node: ast.AST) -> ast.ClassDef | None:
        """The class around a place."""
        above = self._above(node)
        return next((at for at in above if isinstance(at, ast.ClassDef)), None)

    def scope(self, node: ast.AST) -> Scope:
        """The scope of a place; that of a comprehension counts as the one around it."""
        scopes = self.walk.scopes
        return next(
            (scopes[at] for at in self._above(node) if at in scopes), self.walk.module
        )

    def around(self, node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
        """Each node around a place up to its function, with the child that holds it."""
        for parent in self._above(node):
            if isinstance(parent, INNER):
                return
            yield parent, node
            node = parent

    def loop(self, node: ast.AST) -> ast.For | ast.AsyncFor | ast.While | None:
        """The innermost loop around a place."""
        return next((at for at, _ in self.around(node) if isinstance(at, LOOPS)), None)

    def before(self, statement: ast.AST) -> Iterator[ast.stmt]:
        """What stands in front of a statement in its block, the nearest first."""
        if statement not in self._places:
            for block in vars(self.parents[statement]).values():
                if isinstance(block, list):
                    self._places |= {each: (block, at) for at, each in enumerate(block)}
        block, place = self._places.get(statement, ([], 0))
        return (block[at] for at in range(place - 1, -1, -1))

    def key(self, node: ast.AST | None) -> Key | None:
        """Where the thing is kept that an expression names; None if it names none."""
        while True:
            if isinstance(node, ast.Subscript | ast.Starred | ast.Await) or (
                isinstance(node, ast.Attribute) and node.attr in ("async_q", "sync_q")
            ):
                node = node.value
            elif isinstance(node, ast.NamedExpr):
                node = node.target
            elif isinstance(node, ast.Call):
                func = node.func
                if (
                    isinstance(func, ast.Attribute)
                    and func.attr in _TAKES
                    and (node.args or func.attr != "get")  # that of a channel
                ):
                    node = func.value
                elif isinstance(func, ast.Name) and func.id in _COPIES and node.args:
                    node = node.args[0]
                else:
                    return None
            else:
                break
        if isinstance(node, ast.arg):
            return self.scope(node), node.arg
        if isinstance(node, ast.Name):
            where = self.names.bindings(node.id, self.scope(node))[1]
            if where.owner is None:
                return where, node.id
            key: Key = (where.owner.node, node.id)  # an attribute of its objects
        elif isinstance(node, ast.Attribute):
            key = (self.receiver(node.value), node.attr)
        else:
            return None
        self._know(key)
        return key

    def _know(self, key: Key) -> None:
        """Note an attribute, which an expression names, or a keyword that makes it."""
        if not isinstance(key[0], Scope) and key not in self._attributes[key[1]]:
            self._attributes[key[1]].add(key)
            self._owned[key[1]] += isinstance(key[0], ast.ClassDef)

    def receiver(self, node: ast.expr) -> ast.ClassDef | None:
        """The class of the file that an expression is an object of, if it says so."""
        is_call = isinstance(node, ast.Call)
        func = node.func if isinstance(node, ast.Call) else node
        if isinstance(func, ast.Name) and (
            func.id == "super" if is_call else func.id in ("self", "cls")
        ):
            return self.owner(node)
        if is_call or isinstance(node, ast.Name):
            value = self.names.value(func, self.scope(node))
            if isinstance(value, Class):
                return value.node
        if _is_plain(node) and len(kept := self._instances[self.key(node)]) == 1:
            return next(iter(kept))
        return None

    # Looking at the file

    def _note_instance(self, node: ast.AST) -> None:
        """Note of which class of the file a variable, or an attribute of self, is."""
        source: ast.expr | None = None
        targets: list[ast.expr | ast.arg] = []
        if isinstance(node, ast.Assign):
            self._aliases.update(map(name_of, node.targets))
            source = node.value.func if isinstance(node.value, ast.Call) else None
            targets += node.targets
        elif isinstance(node, ast.AnnAssign):
            source, targets = node.annotation, [node.target]
        elif isinstance(node, ast.arg):
            source, targets = node.annotation, [node]
        made = self._annotated(source)
        for target in targets:
            if isinstance(made, Class) and _is_plain(target):
                self._instances[self.key(target)].add(made.node)

    def _annotated(
        self, node: ast.expr | None, scope: Scope | None = None
    ) -> str | Class | None:
        """What an annotation, or the name of a class, stands for."""
        if node is None:
            return None
        scope = scope or self.scope(node)
        if isinstance(node, ast.BinOp):  # Lock | None
            left = self._annotated(node.left, scope)
            return left or self._annotated(node.right, scope)
        if isinstance(node, ast.Subscript) and name_of(node.value) in _HOLDERS:
            inner = node.slice
            return self._annotated(getattr(inner, "elts", [inner])[-1], scope)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                inner = ast.parse(node.value, mode="eval").body
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return None
            return self._annotated(inner, scope)
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
            return self.names.value(node, scope)
        return None

    def _note(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._flow(node.value, target)
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr):
            if node.value is not None:
                self._flow(node.value, node.target)
            if isinstance(node, ast.AnnAssign) and (key := self.key(node.target)):
                self._origins[key].add(node.annotation)
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            self._flow(node.iter, node.target)
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self._flow(node.context_expr, node.optional_vars)
        elif isinstance(node, ast.Call):
            self._note_call(node)
        elif isinstance(node, ast.Attribute):
            key = self.key(node.value)
            if key is not None:
                parent = self.parents[node]
                call = parent if isinstance(parent, ast.Call) else None
                self._uses[key].append(Use(node, call, self.function(node)))
        elif isinstance(node, ast.arg) and node.annotation is not None:
            self._origins[self.scope(node), node.arg].add(node.annotation)

    def _leaves(self, node: ast.expr | None) -> Iterator[ast.expr]:
        """What an expression may be, or may hold."""
        parts: Sequence[ast.expr | None] = ()
        if isinstance(node, ast.IfExp):
            parts = node.body, node.orelse
        elif isinstance(node, ast.BoolOp | ast.Dict):
            parts = node.values
        elif isinstance(node, ast.Tuple | ast.List | ast.Set):
            parts = node.elts
        elif isinstance(node, ast.NamedExpr | ast.DictComp):
            parts = (node.value,)
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
            parts = (node.elt,)
        elif node is not None:
            yield node
        for part in parts:
            yield from self._leaves(part)

    def _made(self, node: ast.expr | None) -> Iterator[ast.expr]:
        """The calls of an expression that make objects, and factories in fields."""
        for leaf in self._leaves(node):
            if isinstance(leaf, ast.Call):
                yield leaf
                for word in leaf.keywords:
                    if word.arg in ("default_factory", "factory"):
                        yield word.value
                if called(leaf) in ("defaultdict", "DefaultDict", "Factory"):
                    yield from leaf.args[:1]

    def _flow(self, value: ast.expr, target: ast.expr) -> None:
        if (
            isinstance(value, ast.Tuple)
            and isinstance(target, ast.Tuple)
            and len(value.elts) == len(target.elts)
        ):
            for part, to in zip(value.elts, target.elts, strict=True):
                self._flow(part, to)
            return
        for leaf in self._leaves(target):
            if (key := self.key(leaf)) is not None:
                self._into(value, key)

    def _into(self, value: ast.expr | None, key: Key) -> None:
        """Note that what an expression may be comes to be kept at a place."""
        self._know(key)
        for made in self._made(value):
            self._origins[key].add(made)
            self.placed[made].append(key)
        for leaf in self._leaves(value):
            source = self.key(leaf)
            if source is not None and source != key:
                self._flows[source].add(key)

    def _note_call(self, call: ast.Call) -> None:
        func = call.func
        if isinstance(func, ast.Attribute) and func.attr in _ADDS:
            into = self.key(func.value)
            if into is not None:
                for value in call.args:
                    self._into(value, into)
            return
        arguments, keywords = list(call.args), call.keywords
        targets: list[Function | ast.ClassDef] = list(self._defined(func))
        started = self.started(call)
        if started is not None:
            targets = list(self._defined(started))
            is_given = started in arguments
            arguments = arguments[arguments.index(started) + 1 :] if is_given else []
            for word in keywords:
                if word.arg == "args" and isinstance(word.value, ast.Tuple | ast.List):
                    arguments = list(word.value.elts)
        elif not targets:
            # `start_soon(worker, queue)`, `partial(worker, queue)`, ...
            for place, value in enumerate(call.args):
                targets = list(self._defined(value))
                if targets:
                    arguments = arguments[place + 1 :]
                    break
            for word in keywords:
                if word.arg and isinstance(word.value, ast.Call) and not targets:
                    self._into(word.value, (None, word.arg))
        for target in targets:
            self._pass(arguments, keywords, target)

    def _defined(self, node: ast.expr) -> Iterator[Function | ast.ClassDef]:
        """The functions and classes of the file that an expression stands for."""
        while isinstance(node, ast.Subscript):
            node = node.value
        if isinstance(node, ast.Name | ast.Attribute):
            made = self.names.value(node, self.scope(node))
            if isinstance(made, Class):
                yield made.node
            else:
                for function in self.functions(node):
                    if not isinstance(function, ast.Lambda):
                        yield function

    def _pass(
        self,
        arguments: list[ast.expr],
        keywords: list[ast.keyword],
        target: Function | ast.ClassDef,
    ) -> None:
        """Follow what is passed into the parameters of a function of the file."""
        function = target
        if isinstance(target, ast.ClassDef):
            inits = self._named.get("__init__", ())
            function = next((x for x in inits if self.parents[x] is target), target)
        if isinstance(function, ast.ClassDef):  # a dataclass, or the like
            for keyword in keywords:
                if keyword.arg:
                    self._into(keyword.value, (function, keyword.arg))
            return
        every = function.args
        names = [arg.arg for arg in (*every.posonlyargs, *every.args)]
        if names and names[0] in ("self", "cls"):
            names = names[1:]
        inside = self.walk.scopes[function]
        for name, value in [
            *zip(names, arguments, strict=False),
            *((word.arg, word.value) for word in keywords if word.arg),
        ]:
            self._into(value, (inside, name))

    # What is kept where

    def _spread(self) -> None:
        """Carry the origins of objects along all flows."""
        todo = [key for key in self._origins if self._origins[key]]
        while todo:
            key = todo.pop()
            origins = self._origins[key]
            for target in [*self._flows.get(key, ()), *self.neighbours(key)]:
                kept = self._origins[target]
                if not origins <= kept and len(kept) < _MOST:
                    kept |= origins
                    todo.append(target)

    def neighbours(self, key: Key) -> Iterator[Key]:
        """The places that may be the same attribute."""
        where, name = key
        if isinstance(where, Scope):
            return
        every = self._attributes.get(name, set())
        if isinstance(where, ast.ClassDef):
            for cls in self._family(where):
                if (cls, name) in every:
                    yield cls, name
        if self._owned[name] <= 1:
            yield from every if where is None else {(None, name)} & every

    def _line(self, cls: ast.ClassDef) -> list[ast.ClassDef]:
        """A class, and those of the file that it derives from."""
        line = [cls]
        for each in line:  # grows while it is gone through
            for name in map(name_of, each.bases):
                bases = self._classes.get(name, [])
                line += [base for base in bases if base not in line]
        return line

    def bases(self, cls: ast.ClassDef) -> set[object]:
        """What a class derives from in the end, by full names."""
        bases = chain(*(each.bases for each in self._line(cls)))
        return {self.names.value(base, self.scope(cls)) for base in bases}

    def _family(self, cls: ast.ClassDef) -> set[ast.ClassDef]:
        """The classes that a class derives from, and those that derive from it."""
        if not self._families:
            for derived in chain(*self._classes.values()):
                for base in self._line(derived)[1:]:
                    self._families[derived].add(base)
                    self._families[base].add(derived)
        return self._families[cls]

    def kind(self, node: ast.expr) -> str | Class | None:
        """What a call makes, or an annotation says, in one name for each kind."""
        made = node.func if isinstance(node, ast.Call) else node
        value = self._annotated(made)
        if value is None and isinstance(made, ast.Attribute) and made is not node:
            return _MADE_BY.get(made.attr)
        if not isinstance(value, str) or value.startswith("dataclasses."):
            return value if isinstance(value, Class) else None
        top, _, last = value.rpartition(".")
        if top.startswith("asyncio"):
            return _MADE_BY.get(last, f"asyncio.{last}")
        return value

    def origins(self, node: ast.expr) -> list[ast.expr]:
        """The calls and annotations that say what an expression may be."""
        if isinstance(node, ast.Call) and self.key(node) is None:
            return [node]
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Call):
            node = node.value
        key = self.key(node)
        return list(self._origins.get(key, ())) if key is not None else []

    def kinds(self, node: ast.expr) -> set[str | Class]:
        """What an expression may be, as far as the file says it."""
        kinds = {self.kind(origin) for origin in self.origins(node)}
        return {kind for kind in kinds if kind is not None}

    def is_thread(self, kind: str | Class) -> bool:
        """Whether an object of a kind is a thread, or a pool of threads."""
        if isinstance(kind, Class):
            return "threading.Thread" in self.bases(kind.node)
        return kind in ("threading.Thread", "threading.Timer", _POOL)

    def is_a(self, node: ast.expr, kinds: Iterable[str | Class]) -> bool:
        """Whether all that the file says of an expression is that it is of a kind."""
        known = self.kinds(node)
        return bool(known) and known <= set(kinds)

    def reach(self, keys: Iterable[Key]) -> tuple[list[Use], set[Key]]:
        """All that is done with what is kept at some places, and where it goes."""
        todo, seen = list(keys), set[Key]()
        while todo:
            key = todo.pop()
            if key not in seen:
                seen.add(key)
                todo.extend(self._flows.get(key, ()))
                todo.extend(self.neighbours(key))
        uses = [use for key in seen for use in self._uses.get(key, ())]
        uses.sort(key=lambda use: (use.line, use.node.col_offset))
        return uses, seen

    def asked(self, key: Key | None) -> set[str]:
        """The attributes that are asked of what is kept at a place."""
        if key is None or key[0] is None:
            return set()
        if key not in self._asked:
            self._asked[key] = {use.name for use in self.reach([key])[0]}
        return self._asked[key]

    # Functions

    def functions(self, node: ast.expr, depth: int = 9) -> list[Body]:
        """The functions of the file that an expression stands for."""
        if isinstance(node, ast.Lambda):
            return [node]
        if isinstance(node, ast.Call):
            partial = self.names.called.get(node) == "functools.partial"
            if partial and node.args and depth:
                return self.functions(node.args[0], depth - 1)
            return []
        if isinstance(node, ast.Name):
            known = node.id in self._named or node.id in self._aliases
            if not known or not depth:
                return []
            bound, where = self.names.bindings(node.id, self.scope(node))
            if (where, node.id) in self._called:
                return self._called[where, node.id]
            functions = self._called[where, node.id] = list[Body]()
            for what in bound:
                if isinstance(what, FUNCTIONS):
                    functions.append(what)
                elif isinstance(what, ast.Name | ast.Attribute | ast.Call):
                    functions.extend(self.functions(what, depth - 1))
            return functions
        if isinstance(node, ast.Attribute) and node.attr in self._named:
            if self.names.value(node, self.scope(node)) is not None:
                return []  # of an imported module
            owner = self.receiver(node.value)
            kinds = self.kinds(node.value) if owner is None else set()
            if any(isinstance(kind, str) for kind in kinds) or (
                owner is None and not kinds and node.attr in _BUILTIN
            ):
                return []  # of an object of a library, or of a collection
            methods = [
                method
                for method in self._named[node.attr]
                if isinstance(cls := self.parents[method], ast.ClassDef)
                and (owner in (None, cls) or owner in self._family(cls))
                and (cls is not owner or called(node.value) != "super")
            ]
            several = len({self.parents[method] for method in methods}) > 1
            return [] if owner is None and several else [*methods]
        return []

    def started(self, call: ast.Call) -> ast.expr | None:
        """What a call starts in a thread."""
        last = name_of(call.func)
        value = self.names.called.get(call, "")
        place = 1 if last == "run_in_executor" else _STARTS.get(value)
        if last in ("submit", "map") and isinstance(call.func, ast.Attribute):
            kinds = self.kinds(call.func.value)
            if _POOL in kinds or (last == "submit" and not kinds):
                place = 0
        if place is None:
            return None
        for keyword in call.keywords:
            if keyword.arg in ("target", "function"):
                return keyword.value
        return call.args[place] if place < len(call.args) else None

    def _note_entry(self, node: ast.AST) -> None:
        """Note in which way a function runs that is named here."""
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if any(map(self._registers, node.decorator_list)):
                self.entries[node].append(Entry("callback", node))
            cls = self.parents[node]
            if isinstance(cls, ast.ClassDef):
                bases = self.bases(cls)
                is_called = node.name.startswith("on_")
                if not _THREAD_METHODS.get(node.name, set()).isdisjoint(bases) or (
                    is_called and any(map(self._is_threaded, bases))
                ):
                    self.entries[node].append(Entry("thread", cls))
        elif isinstance(node, ast.Lambda) or (
            isinstance(node, ast.Name | ast.Attribute)
            and isinstance(node.ctx, ast.Load)
        ):
            functions = self.functions(node)
            entry = self.given(node) if functions else None
            if entry is not None:
                for function in functions:
                    self.entries[function].append(entry)

    def _registers(self, decorator: ast.expr) -> bool:
        """Whether a decorator hands its function to somebody else."""
        func = decorator.func if isinstance(decorator, ast.Call) else decorator
        return (
            isinstance(func, ast.Attribute)
            and name_of(func) not in _PLAIN
            and self.names.value(func, self.scope(func)) is None  # of no module
            and not self.functions(func)
        )

    def given(self, node: ast.AST) -> Entry | None:
        """How a function runs that a name, or a lambda, gives; None: nobody runs it."""
        parent = self.parents.get(node)
        while isinstance(parent, (*_HOLDS, ast.keyword)):
            node, parent = parent, self.parents.get(parent)
        if isinstance(parent, ast.Call):
            return self._given_to(parent, node)
        if isinstance(parent, ast.Assign) and any(
            isinstance(target, ast.Attribute | ast.Subscript) and not _is_plain(target)
            for target in parent.targets
        ):
            threaded = self.walk.imported & self._threaded
            return Entry("thread" if threaded else "callback", parent)
        return None

    def _given_to(self, call: ast.Call, node: ast.AST) -> Entry | None:
        last, value = name_of(call.func), self.names.called.get(call, "")
        if call.func is node:
            return Entry("call", call)
        started = self.started(call)
        if started is node or (isinstance(node, ast.keyword) and started is node.value):
            return Entry("thread", call)
        if value == "signal.signal":
            # Where loops have no handlers of signals, which is Windows, a signal wakes.
            is_other_way = any(
                "NotImplemented" in name_of(getattr(parent, "type", None))
                or name_of(inner) == "platform"
                or getattr(inner, "value", "") == "nt"
                for parent, _ in self.around(call)
                for inner in ast.walk(getattr(parent, "test", parent))
                if isinstance(parent, ast.If | ast.ExceptHandler)
            )
            return None if is_other_way else Entry("signal", call)
        if last == "add_done_callback" and isinstance(call.func, ast.Attribute):
            thread = "submit" in map(called, self.origins(call.func.value))
            return Entry("thread" if thread else "done", call)
        if value == "functools.partial":
            return self.given(call)
        if self._is_threaded(value) or (
            isinstance(call.func, ast.Attribute)
            and any(map(self._is_threaded, self.kinds(call.func.value)))
        ):
            return Entry("thread", call)
        if last in _SPAWNS or next(iter(self._defined(call.func)), None) is not None:
            return Entry("call", call)
        return Entry("callback", call)

    def _reached(self, how: str) -> dict[ast.AST, ast.AST]:
        """The functions that run in a way, each with where that begins."""
        reached: dict[ast.AST, ast.AST] = {
            function: entry.node
            for function, entries in self.entries.items()
            for entry in entries
            if entry.how == how and not isinstance(function, ast.AsyncFunctionDef)
        }
        todo = list(reached)
        while todo:
            function = todo.pop()
            for node in calls(function):
                if (
                    isinstance(node.func, ast.Attribute)
                    and self.receiver(node.func.value) is None
                    and not any(
                        isinstance(kind, Class) for kind in self.kinds(node.func.value)
                    )
                ):
                    continue  # what it calls is a guess
                for inner in self.functions(node.func):
                    if (
                        inner not in reached
                        and not isinstance(inner, ast.AsyncFunctionDef)
                        and all(
                            self.function(entry.node) in reached
                            for entry in self.entries[inner]
                        )  # what the loop calls as well may belong to it
                    ):
                        reached[inner] = reached[function]
                        todo.append(inner)
        return reached

    def _is_threaded(self, value: object) -> bool:
        """Whether something is of a library whose callbacks come from a thread."""
        return isinstance(value, str) and value.partition(".")[0] in self._threaded
