"""What is done with one channel: each use of it, and of which kind that is."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from .places import name_of
from .scopes import Function, Scope

__all__ = ["EVERY", "SPAWNS", "Key", "Kind", "Traffic", "Use", "kind_of"]

#: Where a thing is kept: a scope and a name, or a class (None: any) and an attribute.
Key: TypeAlias = "tuple[Scope | ast.ClassDef | None, str]"

_WAITING = frozenset(("put", "send"))
_AT_ONCE = frozenset(("put_nowait", "send_nowait"))
_GET = frozenset(("get", "receive", "__anext__"))
_GET_AT_ONCE = frozenset(("get_nowait", "receive_nowait"))
_OTHER = frozenset(("join", "qsize", "statistics"))
EVERY = _WAITING | _AT_ONCE | _GET | _GET_AT_ONCE | _OTHER
#: What makes a task of a coroutine, or of a function and its arguments.
SPAWNS = frozenset(("create_task", "ensure_future", "start_soon", "spawn"))

#: What is done with a channel.  ``handed``: its method and an item are handed to what
#: calls it later.  ``given``: the method itself is given away, and who has it may put.
Kind = Literal[
    "await", "now", "thread", "handed", "given", "get", "get_now", "join", "qsize"
]


@dataclass(frozen=True, slots=True, eq=False)
class Use:
    """One place at which something is done with a channel."""

    kind: Kind
    node: ast.Attribute
    call: ast.Call | None
    function: Function | ast.Lambda | None

    @property
    def line(self) -> int:
        """Where it is."""
        return self.node.end_lineno or self.node.lineno

    @property
    def item(self) -> ast.expr | None:
        """What is put, as far as it is written there."""
        if self.call is None:
            return None
        if self.call.func is self.node:
            return self.call.args[0] if self.call.args else None
        if self.node not in self.call.args:
            return None
        after = self.call.args.index(self.node) + 1
        return self.call.args[after] if after < len(self.call.args) else None


@dataclass(slots=True)
class Traffic:
    """All that the file shows of one channel."""

    uses: list[Use] = field(default_factory=list)
    keys: set[Key] = field(default_factory=set)
    #: Whether it is handed to code that is not in the file.
    escapes: bool = False

    def of(self, *kinds: Kind) -> list[Use]:
        """The uses of some kinds."""
        return [one for one in self.uses if one.kind in kinds]

    @property
    def puts(self) -> list[Use]:
        """All that puts."""
        return self.of("await", "now", "thread", "handed")


def kind_of(
    node: ast.Attribute,
    call: ast.Call | None,
    awaited: Collection[ast.AST],
    parents: Mapping[ast.AST, ast.AST],
) -> Kind | None:
    """Return what a method of a channel is used for; None if it is nothing of its own.

    Args:
        node: names the method.
        call: what it stands in, if that is a call.
        awaited: all calls of the file that are awaited.
        parents: what each node of the file stands in.
    """
    name = node.attr
    if name in _OTHER:
        return "join" if name == "join" else "qsize"
    if name in _GET | _GET_AT_ONCE:
        if call is not None and call.func is node and call.args:
            return None  # that of a dict
        return "get" if name in _GET else "get_now"
    if call is None:
        return "given"
    if call.func is not node:
        if name_of(call.func).endswith("threadsafe"):
            return "thread"
        last = call.args[-1:] == [node] or node not in call.args
        return "given" if last else "await" if name in _WAITING else "handed"
    if name in _AT_ONCE:
        return "now"
    if call in awaited or _is_sync(node.value):
        return "await"
    around = parents.get(call)
    outer = name_of(around.func) if isinstance(around, ast.Call) else ""
    if outer.endswith("threadsafe"):
        return "thread"
    return "handed" if outer in SPAWNS else None


def _is_sync(node: ast.expr) -> bool:
    """Whether it is the end of a janus queue that blocks its thread."""
    return isinstance(node, ast.Attribute) and node.attr == "sync_q"
