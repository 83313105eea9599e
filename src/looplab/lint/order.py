"""What comes first: whether who takes also puts, and whether a channel is filled first.

A bound lets a producer wait.  Where the taker itself comes to the producer, or is not
there before the producer has ended, it would wait for ever.
"""

from __future__ import annotations

import ast
from typing import Literal, TypeAlias

from .calls import Calls
from .places import name_of
from .scopes import Function, Scope
from .traffic import SPAWNS, Traffic, Use
from .uses import Uses

__all__ = ["Order", "Puts"]

#: ``ends``: the producer is awaited and has ended before anybody takes.  ``fills``: who
#: makes the channel puts into it before anybody takes, or nobody is seen who does.
Puts: TypeAlias = Literal["ends", "fills"]

_GROUPS = frozenset(("TaskGroup", "create_task_group", "open_nursery"))
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


class Order:
    """In which order the functions of a file put into its channels and take from them.

    Args:
        uses: what is done with the channels of the file.

    Attributes:
        calls: who calls whom.
    """

    def __init__(self, uses: Uses) -> None:
        self._uses = uses
        self.calls = Calls(uses)

    def takers(self, traffic: Traffic) -> set[Function]:
        """The functions that take, and all that they wait for."""
        return self.calls.waits_for(self._getters(traffic))

    def _getters(self, traffic: Traffic) -> set[Function]:
        around = (self.calls.around(use.node) for use in traffic.of("get", "get_now"))
        return {one for one in around if one is not None}

    def tasks(self, traffic: Traffic) -> set[str]:
        """The names under which the tasks are kept that take."""
        takers = self.calls.starts(self._getters(traffic))
        return {
            name_of(target)
            for node in self._uses.nodes
            if isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Call)
            and name_of(node.value.func) in SPAWNS
            and any(
                not takers.isdisjoint(self.calls.meant.get(one, ()))
                for one in ast.walk(node.value)
                if isinstance(one, ast.expr)
            )
            for target in node.targets
        }

    def comes_from_outside(self, use: Use, traffic: Traffic) -> int | None:
        """The line of a loop that puts without taking, through the same function."""
        function = use.function
        takers = self.takers(traffic)
        for here, nodes in self.calls.mentions.items():
            if here in takers:
                continue
            for node in nodes:
                if function in self.calls.meant[node] and self._uses.repeated(node):
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
            for here, nodes in self.calls.mentions.items()
            if any(producer in self.calls.meant[node] for node in nodes)
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
            end = self._end_of(here, self.calls.starts([producer]))
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
            for node in self.calls.mentions[here]
            if not producers.isdisjoint(self.calls.meant[node])
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
        awaited = self.calls.awaited(call)
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
            and self.calls.around(wait) is here
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
        takers = self.calls.starts(getters)
        lines = [
            use.line
            for use in traffic.of("get", "get_now", "join", "given")
            if self.calls.around(use.node) is here
        ]
        lines += [
            node.lineno
            for node in self.calls.mentions[here]
            if not takers.isdisjoint(self.calls.meant[node])
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
                inner = self.calls.around(node)
                given = True
                if inner is here:
                    lines.append(node.lineno)
                elif inner is not None and inner not in producers:
                    lines += [
                        one.lineno
                        for one in self.calls.mentions[here]
                        if inner in self.calls.meant[one]
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
            for one in self.calls.meant.get(part, ())
        }
        # What is known to put only is no taker.
        return not into or not into.isdisjoint(takers) or not self._putters(into)

    def _putters(self, functions: set[Function]) -> bool:
        """Whether each of some functions uses what it has to put."""
        return all(
            any(
                isinstance(node, ast.Attribute)
                and node.attr in ("put", "put_nowait", "send", "send_nowait")
                for inner in self.calls.waits_for([one])
                for node in ast.walk(inner)
            )
            for one in functions
        )
