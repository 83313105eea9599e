"""What a file binds its names to, scope by scope, and what an expression stands for.

A name that is bound in two ways is not guessed at: the rules say nothing about it.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Literal, TypeAlias

#: How many names stand for names, and classes derive from classes, at most.
DEPTH = 50
_LITERAL = (ast.Constant, ast.UnaryOp, ast.unaryop)


@dataclass(slots=True, eq=False)
class Class:
    """A class of the file, which may derive from a channel."""

    node: ast.ClassDef
    scope: Scope
    analysed: bool = False
    signature: Signature | None = None

    def defines(self, *methods: str) -> bool:
        """Whether it has one of some methods of its own."""
        return any(getattr(node, "name", "") in methods for node in self.node.body)


class Mark:
    """A binding that says nothing about the value."""


@dataclass(eq=False)
class Default(Mark):
    """A parameter with a default; whoever calls may pass another thing."""

    node: ast.expr
    scope: Scope


UNKNOWN = Mark()
PARAMETER = Mark()

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
# What has code of its own.
Body: TypeAlias = Function | ast.Lambda
# A dotted name that was imported, an expression, a function, a class, a mark.
Binding: TypeAlias = "str | ast.expr | Function | Class | Mark"
Value: TypeAlias = "str | Class | None"


@dataclass(slots=True, eq=False)
class Scope:
    """What a module, class, function or comprehension binds."""

    kind: Literal["module", "class", "function", "comprehension"]
    parent: Scope | None = None
    owner: Class | None = None
    node: Body | None = None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)

    def bind(self, name: str, what: Binding) -> None:
        """Note that *name* is bound here."""
        self.bindings.setdefault(name, []).append(what)

    def outer(self) -> Iterator[Scope]:
        """This scope and those around it in which a name is looked up."""
        yield self
        scope = self.parent
        while scope is not None:
            if scope.kind != "class":
                yield scope
            scope = scope.parent


@dataclass(frozen=True, slots=True)
class Signature:
    """Where a call says its bound."""

    position: int
    name: str
    # Whether 0, which it is if it is left out, means no bound, as in asyncio.  In a
    # channel of anyio or trio it means that a sender waits for the receiver.
    zero: bool = True


class Names:
    """Says what an expression stands for, as far as the file tells it for sure."""

    def __init__(self) -> None:
        # Answers by scope and name, so that names that are assigned to one another in
        # turn take no longer than others; an answer not yet known counts as None.
        self._values: dict[tuple[Scope, str], Value] = {}
        self._constants: dict[tuple[Scope, str], frozenset[Any]] = {}
        self._depth = 0

    def bindings(self, name: str, scope: Scope) -> tuple[list[Binding], Scope]:
        """All bindings of *name* where it is looked up, and the scope that is."""
        for outer in scope.outer():
            if name in outer.globals:
                while outer.parent is not None:
                    outer = outer.parent
                return outer.bindings.get(name, []), outer
            bound = outer.bindings.get(name) or outer.bindings.get(f"*{name}")
            if bound and name not in outer.nonlocals:
                return bound, outer
        return [], scope

    def value(self, node: ast.expr, scope: Scope) -> Value:
        """A dotted name, a class of the file, or None for anything else."""
        attributes = []
        while True:
            if isinstance(node, ast.Attribute):
                attributes.append(node.attr)
            elif not isinstance(node, ast.Subscript) or attributes:
                break
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        value = self.named(node.id, scope)
        if not attributes:
            return value
        if value is None and len(attributes) == 1 and node.id in ("self", "cls"):
            around = scope.parent  # the class around a method
            if around and around.kind == "class" and attributes[0] in around.bindings:
                return self.named(attributes[0], around)
        if not isinstance(value, str):
            return None
        return ".".join([value, *reversed(attributes)])

    def named(self, name: str, scope: Scope) -> Value:
        """What a name stands for: one thing, wherever it is bound, or None."""
        bound, where = self.bindings(name, scope)
        key = (where, name)
        if key in self._values or self._depth > DEPTH:
            return self._values.get(key)
        self._values[key] = None
        values: set[Value] = set()
        self._depth += 1
        for what in bound:
            if isinstance(what, str | Class):
                values.add(what)
            elif isinstance(what, Default):
                values.add(self.value(what.node, what.scope))
            elif isinstance(what, Mark | ast.stmt):
                values.add(None)
            elif not (isinstance(what, ast.Constant) and what.value is None):
                # `asyncio = None` is what is left where the import failed.
                values.add(self.value(what, where))
        self._depth -= 1
        if len(values) == 1:
            self._values[key] = values.pop()
        return self._values[key]

    def constants(self, node: ast.expr, scope: Scope) -> frozenset[Any]:
        """All that an expression may be, if it surely is a constant; else nothing."""
        if self.value(node, scope) == "math.inf":
            return frozenset((math.inf,))
        if isinstance(node, ast.Name):
            bound, where = self.bindings(node.id, scope)
            key = (where, node.id)
            if key not in self._constants and self._depth <= DEPTH:
                self._constants[key] = frozenset()
                self._depth += 1
                values = [
                    self.constants(what, where) if isinstance(what, ast.expr) else ()
                    for what in bound
                ]
                self._depth -= 1
                self._constants[key] = frozenset(chain(*values) if all(values) else ())
            return self._constants.get(key, frozenset())
        try:
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "float":
                return frozenset((float(ast.literal_eval(*node.args)),))
            if all(isinstance(part, _LITERAL) for part in ast.walk(node)):
                return frozenset((eval(ast.unparse(node)),))
        except (TypeError, ValueError, RecursionError, MemoryError):
            pass
        return frozenset()

    def not_positive(self, node: ast.expr, scope: Scope) -> bool:
        """Whether *node* is surely a constant that is 0, negative, False or None."""
        values = self.constants(node, scope)
        return bool(values) and all(
            value is None or (isinstance(value, int | float) and value <= 0)
            for value in values
        )

    def number(self, node: ast.expr, scope: Scope) -> float | None:
        """The number that an expression surely is, if it is a constant."""
        values = self.constants(node, scope)
        (value,) = values if len(values) == 1 else (None,)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return value
