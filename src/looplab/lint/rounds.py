"""Whether a loop can go round with no other await than a sleep.

That is what makes a ``while`` loop poll (LAG201 and LAG203).  A loop that awaits a
queue in every round waits properly, whatever else it does.  A loop that awaits one only
when there is something in it spins while there is nothing::

    while True:
        if queue.empty():
            await asyncio.sleep(0)      # one round with nothing but this
            continue
        await handle(queue.get_nowait())

So the statements of a loop are followed along every way through one round.  What cannot
raise leads to no ``except``, and the entry of a timeout is no await: it does not wait.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = ["Rounds", "rest"]

# The sleeps on the ways to a point that pass no other await; None: no such way.
_Ways: TypeAlias = "frozenset[ast.Call] | None"
_NONE: frozenset[ast.Call] = frozenset()
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _merge(*ways: _Ways) -> _Ways:
    """The ways that lead to one point from several."""
    there = [one for one in ways if one is not None]
    return _NONE.union(*there) if there else None


def _join(first: _Ways, then: _Ways) -> _Ways:
    """The ways that go through one stretch and then another."""
    return None if first is None or then is None else first | then


_TIMEOUTS = frozenset(
    ("timeout", "timeout_at", "fail_after", "fail_at", "move_on_after", "move_on_at")
)
# An expression of these alone cannot raise, or so seldom that nobody means it.
_SAFE = (
    ast.Name,
    ast.Constant,
    ast.Tuple,
    ast.List,
    ast.Set,
    ast.Dict,
    ast.Lambda,
    ast.BoolOp,
    ast.IfExp,
    ast.expr_context,
    ast.boolop,
    ast.Not,
    ast.UnaryOp,
    ast.Is,
    ast.IsNot,
    ast.NamedExpr,
    ast.JoinedStr,
    ast.keyword,
)


def _can_raise(*nodes: ast.AST) -> bool:
    """Whether something in the nodes can raise, as a reader would think of it."""
    for node in nodes:
        if isinstance(node, ast.Pass | ast.Global | ast.Nonlocal):
            continue
        if isinstance(node, ast.Compare):
            if not all(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
                return True
            if _can_raise(node.left, *node.comparators):
                return True
        elif isinstance(node, ast.Assign):
            if not all(isinstance(one, ast.Name) for one in node.targets):
                return True
            if _can_raise(node.value):
                return True
        elif isinstance(node, ast.AnnAssign | ast.Expr | ast.Return):
            if node.value is not None and _can_raise(node.value):
                return True
        elif not isinstance(node, _SAFE) or (
            not isinstance(node, ast.Lambda) and _can_raise(*ast.iter_child_nodes(node))
        ):
            return True
    return False


def rest(value: ast.AST) -> ast.AST:
    """What an awaited expression waits for: ``wait_for(x, 1)`` waits for ``x``."""
    while isinstance(value, ast.Call) and value.args:
        name = getattr(value.func, "attr", getattr(value.func, "id", ""))
        if name not in ("wait_for", "shield"):
            break
        value = value.args[0]
    return value


def _is_timeout(context: ast.expr) -> bool:
    """Whether the entry of an ``async with`` only sets a limit of time."""
    if not isinstance(context, ast.Call):
        return False
    name = getattr(context.func, "attr", getattr(context.func, "id", ""))
    return name in _TIMEOUTS


def _suppresses(context: ast.expr) -> bool:
    """Whether a ``with`` goes on behind its block when something was raised in it."""
    if not isinstance(context, ast.Call):
        return False
    name = getattr(context.func, "attr", getattr(context.func, "id", ""))
    return name == "suppress"


@dataclass(slots=True)
class _Exits:
    """Where control leaves a block otherwise than at its end."""

    breaks: list[_Ways] = field(default_factory=list)
    continues: list[_Ways] = field(default_factory=list)
    raises: list[_Ways] = field(default_factory=list)

    def kinds(self) -> tuple[list[_Ways], list[_Ways], list[_Ways]]:
        """All three."""
        return self.breaks, self.continues, self.raises

    def loop(self) -> _Exits:
        """Those of a loop inside: it has its own break and continue."""
        return _Exits(raises=self.raises)


class Rounds:
    """Follows loops.

    Args:
        sleeps: the calls that sleep.
    """

    def __init__(self, sleeps: Set[ast.Call]) -> None:
        self._sleeps = sleeps
        self._polled: dict[ast.While, frozenset[ast.Call]] = {}

    def polled(self, loop: ast.While) -> frozenset[ast.Call]:
        """The sleeps that a round of *loop* can pass with no other await."""
        if loop not in self._polled:
            exits = _Exits()
            start = self._expressions([loop.test], _NONE)
            end = self._block(loop.body, start, exits)
            self._polled[loop] = _merge(end, *exits.continues) or _NONE
        return self._polled[loop]

    def _block(
        self, statements: Sequence[ast.stmt], ways: _Ways, exits: _Exits
    ) -> _Ways:
        for statement in statements:
            if ways is None:
                break
            ways = self._statement(statement, ways, exits)
        return ways

    def _statement(self, node: ast.stmt, ways: _Ways, exits: _Exits) -> _Ways:
        if isinstance(node, _FUNCTIONS):
            return ways
        if isinstance(node, ast.Break):
            exits.breaks.append(ways)
            return None
        if isinstance(node, ast.Continue):
            exits.continues.append(ways)
            return None
        if isinstance(node, ast.If):
            return self._if(node, ways, exits)
        if isinstance(node, ast.While | ast.For | ast.AsyncFor):
            return self._loop(node, ways, exits)
        if isinstance(node, ast.Try | ast.TryStar):
            return self._try(node, ways, exits)
        if isinstance(node, ast.With | ast.AsyncWith):
            return self._with(node, ways, exits)
        if isinstance(node, ast.Match):
            return self._match(node, ways, exits)
        ways = self._expressions([node], ways)
        if _can_raise(node):
            exits.raises.append(ways)
        return None if isinstance(node, ast.Return | ast.Raise) else ways

    def _if(self, node: ast.If, ways: _Ways, exits: _Exits) -> _Ways:
        ends: list[_Ways] = []
        while True:  # not recursion: a chain of elif can be long
            ways = self._expressions([node.test], ways)
            if _can_raise(node.test):
                exits.raises.append(ways)
            ends.append(self._block(node.body, ways, exits))
            if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
                node = node.orelse[0]
                continue
            return _merge(*ends, self._block(node.orelse, ways, exits))

    def _loop(
        self, node: ast.While | ast.For | ast.AsyncFor, ways: _Ways, exits: _Exits
    ) -> _Ways:
        inner = exits.loop()
        endless = False
        if isinstance(node, ast.While):
            endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
            ways = self._expressions([node.test], ways)
        else:
            ways = self._expressions([node.iter], ways)
            if isinstance(node, ast.AsyncFor):
                ways = None
        exits.raises.append(ways)
        end = self._block(node.body, ways, inner)
        after = None if endless else _merge(ways, end, *inner.continues)
        after = self._block(node.orelse, after, exits)
        return _merge(after, *inner.breaks)

    def _with(
        self, node: ast.With | ast.AsyncWith, ways: _Ways, exits: _Exits
    ) -> _Ways:
        contexts = [item.context_expr for item in node.items]
        ways = self._expressions(contexts, ways)
        if isinstance(node, ast.AsyncWith) and not all(map(_is_timeout, contexts)):
            ways = None
        exits.raises.append(ways)
        before = len(exits.raises)
        end = self._block(node.body, ways, exits)
        if any(_suppresses(context) for context in contexts):
            return _merge(end, *exits.raises[before:])
        return end

    def _match(self, node: ast.Match, ways: _Ways, exits: _Exits) -> _Ways:
        ways = self._expressions([node.subject], ways)
        exits.raises.append(ways)
        ends: list[_Ways] = []
        for case in node.cases:
            if case.guard is not None:
                ways = self._expressions([case.guard], ways)
            ends.append(self._block(case.body, ways, exits))
            pattern = case.pattern
            if case.guard is None and (
                isinstance(pattern, ast.MatchAs) and pattern.pattern is None
            ):
                break  # takes everything
        else:
            ends.append(ways)
        return _merge(*ends)

    def _try(self, node: ast.Try | ast.TryStar, ways: _Ways, exits: _Exits) -> _Ways:
        caught = _Exits()
        end = self._block(node.body, ways, caught)
        start = _merge(*caught.raises)
        after = _Exits(caught.breaks, caught.continues)
        end = self._block(node.orelse, end, after)
        ends = [end]
        for handler in node.handlers:
            ends.append(self._block(handler.body, start, after))
        if not node.handlers:
            after.raises.append(start)
        # Every way out leads through `finally`, which is followed once for all.
        inside = _Exits()
        adds = self._block(node.finalbody, _NONE, inside)
        end = _merge(*ends)
        outs = _Exits(*([_merge(*some)] for some in after.kinds()))
        entry = _merge(end, *(some[0] for some in outs.kinds()))
        for mine, out, some in zip(
            exits.kinds(), outs.kinds(), inside.kinds(), strict=True
        ):
            mine.append(_join(out[0], adds))
            mine.extend(_join(entry, one) for one in some)
        return _join(end, adds)

    def _expressions(self, nodes: Iterable[ast.AST], ways: _Ways) -> _Ways:
        """Through expressions: an await ends every way, unless it is of a sleep."""
        if ways is None:
            return None
        passed: list[ast.Call] = []
        stack = list(nodes)
        while stack:
            node = stack.pop()
            if isinstance(node, ast.Lambda | ast.GeneratorExp):
                continue  # these run later, perhaps elsewhere
            if isinstance(node, ast.Await | ast.YieldFrom):
                if rest(node.value) not in self._sleeps:
                    return None
            elif isinstance(node, ast.Yield) or (
                isinstance(node, ast.comprehension) and node.is_async
            ):
                return None
            elif isinstance(node, ast.Call) and node in self._sleeps:
                passed.append(node)
            stack.extend(ast.iter_child_nodes(node))
        return ways.union(passed)
