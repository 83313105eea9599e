"""What comes first: who calls whom in a file, and whether a channel is filled first.

A bound lets a producer wait.  Where the taker itself comes to the producer, or is not
there before the producer has ended, it would wait for ever.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from .libraries import WRAPPERS
from .places import name_of
from .scopes import Function, Scope
from .traffic import EVERY, SPAWNS, Traffic, Use
from .uses import Uses

__all__ = ["Order", "Puts"]

#: ``ends``: the producer is awaited and has ended before anybody takes.  ``fills``: who
#: makes the channel puts into it before anybody takes, or nobody is seen who does.
Puts: TypeAlias = Literal["ends", "fills"]

_GROUPS = frozenset(("TaskGroup", "create_task_group", "open_nursery"))
_WAITS = WRAPPERS | {"wait", "as_completed"}
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


class Order:
    """Which functions of a file come to which others.

    Args:
        uses: what is done with the channels of the file.
    """

    def __init__(self, uses: Uses) -> None:
        self._uses = uses
        self._mentions: dict[Function, list[ast.expr]] = defaultdict(list)
        self._waits: dict[Function, set[Function]] = defaultdict(set)
        self._started: dict[Function, set[Function]] = defaultdict(set)
        self._meant: dict[ast.expr, list[Function]] = {}
        for node in uses.nodes:
            if not isinstance(node, ast.Name | ast.Attribute):
                continue
            if not isinstance(node.ctx, ast.Load):
                continue
            meant = list(self._functions(node))
            here = self.around(node)
            if not meant or here is None:
                continue
            self._meant[node] = meant
            self._mentions[here].append(node)
            for one in meant:
                self._started[one].add(here)
            call = uses.parents.get(node)
            if (
                isinstance(call, ast.Call)
                and call.func is node
                and not self._is_spawned(call)
            ):
                is_awaited = self._awaited(call) is not None
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

    def _awaited(self, call: ast.Call) -> ast.AST | None:
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

    # Who takes also puts

    def takers(self, traffic: Traffic) -> set[Function]:
        """The functions that take, and all that they wait for."""
        return self.waits_for(self._getters(traffic))

    def _getters(self, traffic: Traffic) -> set[Function]:
        around = (self.around(use.node) for use in traffic.of("get", "get_now"))
        return {one for one in around if one is not None}

    def tasks(self, traffic: Traffic) -> set[str]:
        """The names under which the tasks are kept that take."""
        takers = self.starts(self._getters(traffic))
        return {
            name_of(target)
            for node in self._uses.nodes
            if isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Call)
            and name_of(node.value.func) in SPAWNS
            and any(
                not takers.isdisjoint(self._meant.get(one, ()))
                for one in ast.walk(node.value)
                if isinstance(one, ast.expr)
            )
            for target in node.targets
        }

    def comes_from_outside(self, use: Use, traffic: Traffic) -> int | None:
        """The line of a loop that puts without taking, through the same function."""
        function = use.function
        takers = self.takers(traffic)
        for here, nodes in self._mentions.items():
            if here in takers:
                continue
            for node in nodes:
                if function in self._meant[node] and self._uses.repeated(node):
                    return node.lineno
        return None

    # What is filled first

    def fills(self, use: Use, traffic: Traffic, maker: Function | None) -> Puts | None:
        """Whether a producer has ended before anybody takes.

        Args:
            use: where it puts.
            traffic: all uses of the channel.
            maker: the function that makes the channel, for a variable of its own.
        """
        producer = use.function
        if use.kind not in ("await", "now"):
            return None
        if producer is None or isinstance(producer, ast.Lambda):
            return None
        getters = self._getters(traffic)
        if maker is not None:
            return self._fills_in(maker, use, traffic, getters)
        if not getters or producer in getters:
            return None
        places = [
            here
            for here, nodes in self._mentions.items()
            if any(producer in self._meant[node] for node in nodes)
        ]
        for here in places:
            if self._fills_in(here, use, traffic, getters) != "ends":
                return None
        return "ends" if places else None

    def _fills_in(
        self, here: Function, use: Use, traffic: Traffic, getters: set[Function]
    ) -> Puts | None:
        """The same, for what one function does."""
        producer = use.function
        assert isinstance(producer, ast.FunctionDef | ast.AsyncFunctionDef)
        if producer is here:
            end: int | None = self._end_of_loop(use)
        else:
            end = self._end_of(here, self.starts([producer]))
        if end is None:
            return None
        first = self._first_taken(here, traffic, getters, {producer})
        if first is not None and first <= end:
            return None
        if use.function is here or first is None:
            return "fills"
        return "ends"

    def _end_of_loop(self, use: Use) -> int:
        """The last line of the outermost loop around a place."""
        end = use.line
        node: ast.AST | None = use.node
        while node is not None and node is not use.function:
            if isinstance(node, _LOOPS):
                end = node.end_lineno or node.lineno
            node = self._uses.parents.get(node)
        return end

    def _end_of(self, here: Function, producers: set[Function]) -> int | None:
        """The line by which all producers have ended that a function starts."""
        ends = [
            self._end(here, node)
            for node in self._mentions[here]
            if not producers.isdisjoint(self._meant[node])
        ]
        known = [one for one in ends if one is not None]
        return max(known) if known and len(known) == len(ends) else None

    def _end(self, here: Function, node: ast.expr) -> int | None:
        """Where what is started at a place has ended; None if it goes on."""
        parents = self._uses.parents
        call = parents.get(node)
        if not isinstance(call, ast.Call):
            return None
        if call.func is not node and not (
            call.args[:1] == [node] and name_of(call.func) in SPAWNS
        ):
            return None  # given to somebody
        spawn = call if call.func is not node else parents.get(call)
        group = self._group(spawn)
        if group is not None:
            return group
        awaited = self._awaited(call)
        if isinstance(awaited, ast.Await | ast.AsyncFor):
            return awaited.end_lineno
        one: ast.AST | None = call
        while one is not None and not isinstance(one, ast.stmt):
            one = parents.get(one)
        names = set()
        if isinstance(one, ast.Assign):
            names = {name_of(target) for target in one.targets}
        elif isinstance(one, ast.Expr) and isinstance(one.value, ast.Call):
            func = one.value.func
            if isinstance(func, ast.Attribute) and func.attr in ("append", "add"):
                names = {name_of(func.value)}
        lines = [
            wait.end_lineno or wait.lineno
            for wait in ast.walk(here)
            if isinstance(wait, ast.Await)
            and wait.lineno > call.lineno
            and self.around(wait) is here
            and any(
                name_of(part) in names and isinstance(part, ast.Name | ast.Attribute)
                for part in ast.walk(wait.value)
            )
        ]
        return min(lines, default=None)

    def _group(self, spawn: ast.AST | None) -> int | None:
        """The last line of the group of tasks in which something is started."""
        if not isinstance(spawn, ast.Call) or not isinstance(spawn.func, ast.Attribute):
            return None
        name = name_of(spawn.func.value)
        node: ast.AST | None = spawn
        while node is not None:
            if isinstance(node, ast.AsyncWith):
                for item in node.items:
                    made = item.context_expr
                    if (
                        isinstance(made, ast.Call)
                        and name_of(made.func) in _GROUPS
                        and item.optional_vars is not None
                        and name_of(item.optional_vars) == name
                    ):
                        return node.end_lineno
            node = self._uses.parents.get(node)
        return None

    def _first_taken(
        self,
        here: Function,
        traffic: Traffic,
        getters: set[Function],
        producers: set[Function],
    ) -> int | None:
        """The first line of a function from which on somebody may take."""
        takers = self.starts(getters)
        lines = [
            use.line
            for use in traffic.of("get", "get_now", "join", "given")
            if self.around(use.node) is here
        ]
        lines += [
            node.lineno
            for node in self._mentions[here]
            if not takers.isdisjoint(self._meant[node])
        ]
        names = {
            name
            for scope, name in traffic.keys
            if isinstance(scope, Scope) and scope is self._uses.scope_of(here)
        }
        if not names:
            return min(lines, default=None)
        shared = any(not isinstance(scope, Scope) for scope, _ in traffic.keys)
        given = False
        for node in ast.walk(here):
            if (
                isinstance(node, ast.Name)
                and node.id in names
                and isinstance(node.ctx, ast.Load)
                and self._is_given(node, takers)
            ):
                inner = self.around(node)
                given = True
                if inner is here:
                    lines.append(node.lineno)
                elif inner is not None and inner not in producers:
                    lines += [
                        one.lineno
                        for one in self._mentions[here]
                        if inner in self._meant[one]
                    ]
        if shared and not given:
            lines.append(here.lineno)  # it is an attribute as well, from the beginning
        return min(lines, default=None)

    def _is_given(self, node: ast.Name, takers: set[Function]) -> bool:
        """Whether a channel goes where somebody may take from it."""
        parent = self._uses.parents.get(node)
        if isinstance(parent, ast.Attribute):
            return False
        if isinstance(parent, ast.keyword):
            parent = self._uses.parents.get(parent)
        if not isinstance(parent, ast.Call):
            return True
        into = {
            one
            for part in (parent.func, *parent.args)
            for one in self._meant.get(part, ())
        }
        # What is known to put only is no taker.
        return not into or not into.isdisjoint(takers) or not self._putters(into)

    def _putters(self, functions: set[Function]) -> bool:
        """Whether each of some functions uses what it has to put."""
        return all(
            any(
                isinstance(node, ast.Attribute)
                and node.attr in ("put", "put_nowait", "send", "send_nowait")
                for inner in self.waits_for([one])
                for node in ast.walk(inner)
            )
            for one in functions
        )


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
