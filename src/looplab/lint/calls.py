"""Who calls whom in a file, and who waits for whom."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator

from .libraries import WRAPPERS
from .places import name_of
from .scopes import Function
from .traffic import EVERY, SPAWNS
from .uses import Uses

__all__ = ["Calls"]

_WAITS = WRAPPERS | {"wait", "as_completed"}


class Calls:
    """Which functions of a file come to which others.

    Args:
        uses: what is done with the channels of the file.

    Attributes:
        mentions: by function, the names in it that stand for functions of the file.
        meant: by such a name, the functions that it may stand for.
    """

    def __init__(self, uses: Uses) -> None:
        self._uses = uses
        self.mentions: dict[Function, list[ast.expr]] = defaultdict(list)
        self._waits: dict[Function, set[Function]] = defaultdict(set)
        self._started: dict[Function, set[Function]] = defaultdict(set)
        self.meant: dict[ast.expr, list[Function]] = {}
        for node in uses.nodes:
            if not isinstance(node, ast.Name | ast.Attribute):
                continue
            if not isinstance(node.ctx, ast.Load):
                continue
            meant = list(self._functions(node))
            here = self.around(node)
            if not meant or here is None:
                continue
            self.meant[node] = meant
            self.mentions[here].append(node)
            for one in meant:
                self._started[one].add(here)
            call = uses.parents.get(node)
            if (
                isinstance(call, ast.Call)
                and call.func is node
                and not self._is_spawned(call)
            ):
                is_awaited = self.awaited(call) is not None
                self._waits[here].update(
                    one
                    for one in meant
                    if is_awaited or isinstance(one, ast.FunctionDef)
                )

    def around(self, node: ast.AST) -> Function | None:
        """The function around a place; a lambda is part of that around it."""
        here = self._uses.function(node)
        while isinstance(here, ast.Lambda):
            here = self._uses.function(here)
        return here

    def _functions(self, node: ast.expr) -> Iterator[Function]:
        """What the file defines that a name or a method stands for."""
        uses, name = self._uses, name_of(node)
        if isinstance(node, ast.Name):
            for one in uses.functions(name):
                around = uses.parents.get(one)
                outer = uses.function(one)
                if not isinstance(around, ast.ClassDef) and (
                    outer is None or self._is_inside(node, outer)
                ):
                    yield one
            for owner in uses.classes(name):
                for part in owner.body:
                    if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef) and (
                        part.name in ("__init__", "__aenter__")
                    ):
                        yield part
            return
        assert isinstance(node, ast.Attribute)
        methods = [
            one
            for one in uses.functions(name)
            if isinstance(uses.parents.get(one), ast.ClassDef)
        ]
        value = node.value
        if isinstance(value, ast.Call):
            value = value.func
        if isinstance(value, ast.Name) and value.id in ("self", "cls", "super"):
            mine = uses.owner(node)
            for one in methods:
                its = uses.parents[one]
                if isinstance(its, ast.ClassDef) and (
                    mine is None or uses.is_related(mine, its)
                ):
                    yield one
        elif (
            len(methods) == 1
            and name not in EVERY
            # That of another object, so hardly one of the class around the place.
            and uses.owner(node) is not uses.parents[methods[0]]
        ):
            yield methods[0]

    def _is_inside(self, node: ast.AST, outer: ast.AST) -> bool:
        here: ast.AST | None = node
        while here is not None and here is not outer:
            here = self._uses.parents.get(here)
        return here is outer

    def _is_spawned(self, node: ast.AST) -> bool:
        call = self._uses.parents.get(node)
        return (
            isinstance(call, ast.Call)
            and call.func is not node
            and (name_of(call.func) in SPAWNS or "threadsafe" in name_of(call.func))
        )

    def awaited(self, call: ast.Call) -> ast.AST | None:
        """The await of what a call returns, or the like; None if it goes on alone."""
        parents = self._uses.parents
        node: ast.AST = call
        while node in parents:
            node, before = parents[node], node
            if isinstance(node, ast.Await):
                return node
            if isinstance(node, ast.AsyncFor):
                return node if node.iter is before else None
            if isinstance(node, ast.Call):
                if name_of(node.func) not in _WAITS | SPAWNS:
                    return None
            elif isinstance(node, ast.Attribute | ast.stmt | ast.Lambda):
                return None
        return None

    def waits_for(self, functions: Iterable[Function]) -> set[Function]:
        """The functions and all that they call and wait for."""
        return _closure(functions, self._waits)

    def starts(self, functions: Iterable[Function]) -> set[Function]:
        """The functions and all that come to one of them, or start one."""
        return _closure(functions, self._started)


def _closure(
    first: Iterable[Function], edges: dict[Function, set[Function]]
) -> set[Function]:
    """All that can be reached."""
    seen: set[Function] = set()
    todo = list(first)
    while todo:
        one = todo.pop()
        if one not in seen:
            seen.add(one)
            todo.extend(edges.get(one, ()))
    return seen
