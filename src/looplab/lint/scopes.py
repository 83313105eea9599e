"""What a file binds its names to, scope by scope."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias


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


@dataclass(eq=False)
class Def(Mark):
    """A function of the file."""

    node: Function


UNKNOWN = Mark()
PARAMETER = Mark()

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
# A dotted name that was imported, an expression that was assigned, a class, a mark.
Binding: TypeAlias = "str | ast.expr | Class | Mark"
Value: TypeAlias = "str | Class | None"


@dataclass(slots=True, eq=False)
class Scope:
    """What a module, class, function or comprehension binds."""

    kind: Literal["module", "class", "function", "comprehension"]
    parent: Scope | None = None
    owner: Class | None = None
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
    """Where a call says its bound.

    Args:
        position: that of the positional argument.
        name: that of the argument.
        default: the expression used if it is left out; None for 0.
        zero: whether a bound of 0 means none, as in asyncio.  In a channel of anyio or
            trio it means that a sender waits for the receiver.
    """

    position: int
    name: str
    default: ast.expr | None = None
    zero: bool = True
