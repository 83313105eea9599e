"""Who puts into a channel, who gets from it, and under which names it goes.

A channel is followed through the file: from the place that makes it into variables,
attributes, containers, and the parameters of functions that the file defines.  An
attribute of ``self`` is one of its class and of those related to it; an attribute of
anything else may be of any class.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator

from .names import Names
from .places import Places, name_of
from .scopes import Function, Scope, Value
from .traffic import EVERY, Key, Traffic, Use, kind_of
from .walk import Walk

__all__ = ["Uses"]

_ADDS = frozenset(("add", "append", "appendleft", "insert", "setdefault"))
_TAKES = frozenset(
    ("get", "pop", "popleft", "popitem", "values", "items", "copy", "setdefault")
)
_COPIES = frozenset(("list", "tuple", "set", "sorted", "reversed", "enumerate", "iter"))


class Uses(Places):
    """The uses of all channels of a file.

    Args:
        tree: the file.
        walk: what was found in it.
        names: what names stand for.
    """

    def __init__(self, tree: ast.Module, walk: Walk, names: Names) -> None:
        self._names = names
        self._functions: dict[str, list[Function]] = defaultdict(list)
        self._classes: dict[str, list[ast.ClassDef]] = defaultdict(list)
        self._flows: dict[Key, list[tuple[Key, ast.AST]]] = defaultdict(list)
        self._leaves: set[Key] = set()
        self._at: dict[Key, list[Use]] = defaultdict(list)
        self._attributes: dict[str, set[Key]] = defaultdict(set)
        self._references: dict[str, list[ast.AST]] = defaultdict(list)
        self.deleted: dict[str, int] = {}  # attributes, and where
        self.calls: set[str] = set()  # the names of all that is called
        super().__init__(tree, walk)
        for node in self.nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self._functions[node.name].append(node)
            elif isinstance(node, ast.ClassDef):
                self._classes[node.name].append(node)
        for node in self.nodes:
            self._look(node)
            if isinstance(node, ast.Name | ast.Attribute):
                name = name_of(node)
                if name in self._functions:
                    self._references[name].append(node)
                if isinstance(node.ctx, ast.Del) and isinstance(node, ast.Attribute):
                    self.deleted[name] = node.lineno

    def key(self, node: ast.AST) -> Key | None:
        """Where the thing is kept that an expression names; None if it names none."""
        while True:
            if isinstance(node, ast.Subscript | ast.Starred | ast.Await) or (
                isinstance(node, ast.Attribute) and node.attr in ("async_q", "sync_q")
            ):
                node = node.value
            elif isinstance(node, ast.Call):
                inner = node.func
                if (
                    isinstance(inner, ast.Attribute)
                    and inner.attr in _TAKES
                    and (node.args or inner.attr != "get")  # that of a channel
                ):
                    node = inner.value
                elif isinstance(inner, ast.Name) and inner.id in _COPIES and node.args:
                    node = node.args[0]
                else:
                    return None
            else:
                break
        if isinstance(node, ast.Name):
            scope = self.scope(node)
            return self._names.bindings(node.id, scope)[1], node.id
        if isinstance(node, ast.Attribute):
            value = node.value
            ours = isinstance(value, ast.Name) and value.id in ("self", "cls")
            key = (self.owner(node) if ours else None, node.attr)
            self._attributes[node.attr].add(key)
            return key
        return None

    def know(self, key: Key) -> None:
        """Note an attribute that no expression names, such as a field of a class."""
        self._attributes[key[1]].add(key)

    # Looking at the file

    def _look(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._flow(node.value, target)
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr):
            if node.value is not None:
                self._flow(node.value, node.target)
        elif isinstance(node, ast.For | ast.comprehension):
            self._flow(node.iter, node.target)
        elif isinstance(node, ast.Call):
            self._call(node)
        elif isinstance(node, ast.Return | ast.Yield):
            for one in self._leaf(node.value):
                self._leaves.add(one)
        elif isinstance(node, ast.Attribute) and node.attr in EVERY:
            self._use(node)

    def _leaf(self, node: ast.expr | None) -> Iterator[Key]:
        """The keys of what an expression may be."""
        if isinstance(node, ast.IfExp):
            yield from self._leaf(node.body)
            yield from self._leaf(node.orelse)
        elif isinstance(node, ast.BoolOp):
            for value in node.values:
                yield from self._leaf(value)
        elif isinstance(node, ast.Tuple | ast.List | ast.Set):
            for element in node.elts:
                yield from self._leaf(element)
        elif isinstance(node, ast.Dict):
            for value in node.values:
                yield from self._leaf(value)
        elif node is not None:
            key = self.key(node)
            if key is not None:
                yield key

    def _flow(self, value: ast.expr, target: ast.expr) -> None:
        if (
            isinstance(value, ast.Tuple)
            and isinstance(target, ast.Tuple)
            and len(value.elts) == len(target.elts)
        ):
            for part, to in zip(value.elts, target.elts, strict=True):
                self._flow(part, to)
            return
        targets = list(self._leaf(target))
        for key in self._leaf(value):
            self._flows[key].extend((other, value) for other in targets)

    def _call(self, call: ast.Call) -> None:
        func = call.func
        self.calls.add(name_of(func))
        if isinstance(func, ast.Attribute) and func.attr in _ADDS:
            into = self.key(func.value)
            for value in call.args:
                for key in self._leaf(value):
                    if into is not None:
                        self._flows[key].append((into, call))
            return
        arguments, targets = list(call.args), list(self._defined(func))
        if not targets:
            # `start_soon(worker, queue)`, `partial(worker, queue)`, ...
            for place, value in enumerate(call.args):
                targets = list(self._defined(value))
                if targets:
                    arguments = arguments[place + 1 :]
                    break
        for target in targets:
            self._pass(arguments, call.keywords, target)
        if not targets and not self._is_copy(func):
            values = [*call.args, *(keyword.value for keyword in call.keywords)]
            for value in values:
                self._leaves.update(self._leaf(value))

    @staticmethod
    def _is_copy(func: ast.expr) -> bool:
        return isinstance(func, ast.Name) and func.id in (*_COPIES, "len", "id", "bool")

    def _defined(self, node: ast.expr) -> Iterable[Function | ast.ClassDef]:
        """What the file defines under the name that an expression ends with."""
        while isinstance(node, ast.Subscript):
            node = node.value
        name = getattr(node, "attr", getattr(node, "id", None))
        if not isinstance(name, str):
            return ()
        return [*self._functions.get(name, ()), *self._classes.get(name, ())]

    def _pass(
        self,
        arguments: list[ast.expr],
        keywords: list[ast.keyword],
        target: Function | ast.ClassDef,
    ) -> None:
        """Follow what is passed into the parameters of a function of the file."""
        function: Function | None = None
        if isinstance(target, ast.ClassDef):
            for one in self._functions.get("__init__", ()):
                if self.parents[one] is target:
                    function = one
        else:
            function = target
        if function is None:  # a dataclass, or the like
            for keyword in keywords:
                for key in self._leaf(keyword.value):
                    self._flows[key].append(((None, str(keyword.arg)), keyword.value))
            return
        every = function.args
        names = [one.arg for one in (*every.posonlyargs, *every.args)]
        if names and names[0] in ("self", "cls"):
            names = names[1:]
        inside = self._walk.scopes[function]
        pairs = list(zip(names, arguments, strict=False))
        pairs += [(word.arg, word.value) for word in keywords if word.arg]
        for name, value in pairs:
            for key in self._leaf(value):
                self._flows[key].append(((inside, name), value))

    def _use(self, node: ast.Attribute) -> None:
        key = self.key(node.value)
        if key is None:
            return
        parent = self.parents[node]
        call = parent if isinstance(parent, ast.Call) else None
        kind = kind_of(node, call, self._walk.awaited, self.parents)
        if kind is not None:
            self._at[key].append(Use(kind, node, call, self.function(node)))

    # Answers

    def traffic(self, keys: Iterable[Key], made: ast.AST) -> Traffic:
        """All that is done with what is kept at some places.

        Args:
            keys: the places.
            made: what is kept there first.
        """
        first = set(keys)
        todo, seen = list(first), set[Key]()
        block = frozenset[ast.AST](self._block(made, first))
        while todo:
            key = todo.pop()
            if key in seen:
                continue
            seen.add(key)
            todo.extend(
                other
                for other, place in self._flows.get(key, ())
                if key not in first or self._is_in(place, block)
            )
            if not isinstance(key[0], Scope):
                todo.extend(
                    other
                    for other in self._attributes.get(key[1], ())
                    if not isinstance(other[0], Scope) and self._related(key, other)
                )
        uses = [
            use
            for key in seen
            for use in self._at.get(key, ())
            if key not in first or self._is_in(use.node, block)
        ]
        uses.sort(key=lambda use: (use.line, use.node.col_offset))
        return Traffic(uses, seen, not seen.isdisjoint(self._leaves))

    def _block(self, made: ast.AST, keys: set[Key]) -> list[ast.stmt]:
        """The statements of the branch that makes one channel of several in a variable.

        None of them: the variable has this one only, or is more than a variable.
        """
        for scope, name in keys:
            if not isinstance(scope, Scope) or scope.kind != "function":
                return []
            if len([one for one in scope.bindings[name] if not _is_none(one)]) < 2:
                return []
        here = made
        while here in self.parents and not isinstance(here, ast.stmt):
            here = self.parents[here]
        parent = self.parents.get(here)
        for field_name in getattr(parent, "_fields", ()):
            block = getattr(parent, field_name)
            if isinstance(block, list) and here in block:
                return block
        return []

    def _is_in(self, node: ast.AST, block: frozenset[ast.AST]) -> bool:
        """Whether a place is in a block; an empty one stands for everything."""
        here: ast.AST | None = node
        while block and here is not None and here not in block:
            here = self.parents.get(here)
        return here is not None

    def value(self, node: ast.expr) -> Value:
        """What an expression stands for where it is."""
        return self._names.value(node, self.scope(node))

    def functions(self, name: str) -> list[Function]:
        """The functions and methods of the file that have a name."""
        return self._functions.get(name, [])

    def classes(self, name: str) -> list[ast.ClassDef]:
        """The classes of the file that have a name."""
        return self._classes.get(name, [])

    def scope_of(self, function: Function) -> Scope | None:
        """What a function binds."""
        return self._walk.scopes.get(function)

    def is_related(self, one: ast.ClassDef, other: ast.ClassDef) -> bool:
        """Whether two classes are one, or one derives from the other."""
        return one is other or self._derives(one, other) or self._derives(other, one)

    def once(
        self, function: Function | ast.Lambda | None, maker: Function | ast.Lambda
    ) -> bool:
        """Whether who makes a channel starts a function once, outside a loop."""
        for _ in range(9):
            if function is maker:
                return True
            if function is None or isinstance(function, ast.Lambda):
                return False
            places = self._references.get(function.name, ())
            if len(places) != 1 or self.repeated(places[0]):
                return False
            function = self.function(places[0])
        return False

    def _related(self, one: Key, other: Key) -> bool:
        """Whether two attributes of one name may be the same."""
        first, second = one[0], other[0]
        if not isinstance(first, ast.ClassDef) or not isinstance(second, ast.ClassDef):
            return True
        return self.is_related(first, second)

    def _derives(self, one: ast.ClassDef, base: ast.ClassDef, depth: int = 9) -> bool:
        for node in one.bases:
            for parent in self._classes.get(name_of(node), ()):
                if parent is base or (depth and self._derives(parent, base, depth - 1)):
                    return True
        return False


def _is_none(what: object) -> bool:
    """Whether a binding is ``x = None``, which only says that there is none yet."""
    return isinstance(what, ast.Constant) and what.value is None
