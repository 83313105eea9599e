"""The sleeps of a file that are so short that they wait for something else.

``sleep(0)`` is judged by LAG201, LAG202, LAG204 and LAG205, of which one has a say, and
a delay of up to 0.1 s by LAG203.  What they ask in common is here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cached_property

from .libraries import SLEEPS, words
from .objects import INNER, LOOPS, Key, Objects, called, own

#: The longest delay of a loop that is called polling, in seconds.
SHORT = 0.1
# What changes the thing that it is a method of.
_CHANGES = words(
    "set clear append appendleft add remove pop popleft popitem discard update extend "
    "set_result set_exception cancel insert setdefault"
)


class Sleeps:
    """All sleeps of a file that are awaited."""

    def __init__(self, objects: Objects) -> None:
        self.objects = objects
        #: Their seconds.
        self.short: dict[ast.Call, float] = {}
        self.long = set[ast.Call]()
        names = objects.names
        for call, scope in objects.walk.calls:
            value = names.called.get(call, "")
            if value not in SLEEPS or call not in objects.walk.awaited:
                continue
            signature = SLEEPS[value]
            delay = names.argument(call, signature) if signature else ast.Constant(0)
            if isinstance(delay, ast.expr):
                if names.not_positive(delay, scope):
                    self.short[call] = 0
                elif (seconds := names.number(delay, scope)) and seconds <= SHORT:
                    self.short[call] = seconds
                else:
                    self.long.add(call)

    @cached_property
    def zero(self) -> dict[ast.Call, ast.stmt | None]:
        """Those that last one iteration, with the statement that does nothing else."""
        return {c: self.statement(c) for c, delay in self.short.items() if not delay}

    @cached_property
    def pauses(self) -> set[ast.stmt | None]:
        """The statements that do nothing but sleep for one iteration."""
        return set(self.zero.values())

    def statement(self, call: ast.Call) -> ast.stmt | None:
        """The statement that is nothing but a sleep, or a ``for`` of such sleeps."""
        parents = self.objects.parents
        node: ast.AST = call
        while isinstance(node, ast.expr):
            node = parents[node]
        if not isinstance(node, ast.Expr):
            return None
        around = parents[node]
        return around if isinstance(around, ast.stmt) and repeats(around) else node

    @cached_property
    def changes(self) -> dict[Key, set[ast.AST | None]]:
        """The functions that change what is kept somewhere after its first value."""
        changes: dict[Key, set[ast.AST | None]] = {}
        for node in self.objects.nodes:
            place: ast.AST | None = None
            if isinstance(node, ast.Attribute) and node.attr in _CHANGES:
                place = node.value
            elif isinstance(node, ast.Attribute | ast.Name | ast.Subscript):
                place = None if isinstance(node.ctx, ast.Load) else node
            key = None if place is None else self.objects.key(place)
            if key is not None:
                function = self.objects.function(node)
                if function and getattr(function, "name", "") != "__init__":
                    changes.setdefault(key, set()).add(function)
        return changes


def repeats(node: ast.AST) -> bool:
    """Whether a statement is a ``for`` that does nothing but sleep."""
    return (
        isinstance(node, ast.For)
        and len(node.body) == 1
        and isinstance(node.body[0], ast.Expr)
        and called(node.iter) == "range"
    )


def inside(loop: ast.For | ast.AsyncFor | ast.While) -> Iterator[ast.AST]:
    """What is in a loop, but in no function or loop inside it."""
    stack = [*loop.body, *filter(None, [getattr(loop, "test", None)])]
    while stack:
        node = stack.pop()
        if not isinstance(node, (*LOOPS, *INNER)):
            yield node
            stack.extend(ast.iter_child_nodes(node))


def waits(statement: ast.stmt) -> bool:
    """Whether a statement surely awaits something, whatever it comes to."""
    if isinstance(statement, ast.AsyncWith | ast.AsyncFor):
        return True
    return isinstance(
        statement, ast.Expr | ast.Assign | ast.AnnAssign | ast.AugAssign
    ) and any(isinstance(node, ast.Await) for node in own(statement))


def leaves(block: Iterable[ast.stmt]) -> list[ast.stmt]:
    """The statements of a block that leave a loop around it."""
    return [at for at in block if isinstance(at, ast.Break | ast.Return | ast.Raise)]


def catches(handler: ast.ExceptHandler, *words: str) -> bool:
    """Whether the exceptions of a clause have one of some words in their names."""
    names = "" if handler.type is None else ast.unparse(handler.type)
    return any(word in names for word in words)
