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
from typing import TypeAlias

# The sleeps on the ways to a point that pass no other await; None: no such way.
_Ways: TypeAlias = "frozenset[ast.Call] | None"
# The ways out of a block: to its end, and by break, continue, return or an exception.
_Outs: TypeAlias = "dict[str, _Ways]"
_NONE: frozenset[ast.Call] = frozenset()
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_TIMEOUTS = frozenset(
    ("timeout", "timeout_at", "fail_after", "fail_at", "move_on_after", "move_on_at")
)
# An expression of these alone cannot raise, or so seldom that nobody means it.
_SAFE = (
    ast.Name, ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Lambda,
    ast.BoolOp, ast.IfExp, ast.expr_context, ast.boolop, ast.Not, ast.UnaryOp, ast.Is,
    ast.IsNot, ast.NamedExpr, ast.JoinedStr, ast.keyword,
)  # fmt: skip


def _merge(*ways: _Ways) -> _Ways:
    """The ways that lead to one point from several."""
    there = [way for way in ways if way is not None]
    return _NONE.union(*there) if there else None


def _join(first: _Ways, then: _Ways) -> _Ways:
    """The ways that go through one stretch and then another."""
    return None if first is None or then is None else first | then


def _add(outs: _Outs, more: _Outs) -> None:
    """Add ways out."""
    for how, ways in more.items():
        outs[how] = _merge(outs.get(how), ways)


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


def _rest(value: ast.AST) -> ast.AST:
    """What an awaited expression waits for: ``wait_for(x, 1)`` waits for ``x``."""
    while (
        isinstance(value, ast.Call)
        and value.args
        and _called(value) in ("wait_for", "shield")
    ):
        value = value.args[0]
    return value


def _called(node: ast.expr) -> str:
    """The last name of what is called; nothing if that is no call."""
    func = node.func if isinstance(node, ast.Call) else None
    return str(getattr(func, "attr", getattr(func, "id", "")))


def _is_timeout(context: ast.expr) -> bool:
    """Whether the entry of an ``async with`` only sets a limit of time."""
    return _called(context) in _TIMEOUTS


class Rounds:
    """Follows loops, which may pass some of the calls that sleep."""

    def __init__(self, sleeps: Set[ast.Call]) -> None:
        self._sleeps = sleeps
        self._polled: dict[ast.While, frozenset[ast.Call]] = {}

    def polled(self, loop: ast.While) -> frozenset[ast.Call]:
        """The sleeps that a round of *loop* can pass with no other await."""
        if loop not in self._polled:
            outs = self._block(loop.body, self._expressions([loop.test], _NONE))
            self._polled[loop] = _merge(outs["end"], outs.get("continue")) or _NONE
        return self._polled[loop]

    def _block(self, statements: Sequence[ast.stmt], ways: _Ways) -> _Outs:
        outs: _Outs = {}
        for statement in statements:
            if ways is None:
                break
            after = self._statement(statement, ways)
            ways = after.pop("end", None)
            _add(outs, after)
        return outs | {"end": ways}

    def _statement(self, node: ast.stmt, ways: _Ways) -> _Outs:
        if isinstance(node, _FUNCTIONS):
            return {"end": ways}
        if isinstance(node, ast.Break):
            return {"break": ways}
        if isinstance(node, ast.Continue):
            return {"continue": ways}
        if isinstance(node, ast.If):
            return self._if(node, ways)
        if isinstance(node, ast.While | ast.For | ast.AsyncFor):
            return self._loop(node, ways)
        if isinstance(node, ast.Try | ast.TryStar):
            return self._try(node, ways)
        if isinstance(node, ast.With | ast.AsyncWith):
            return self._with(node, ways)
        if isinstance(node, ast.Match):
            return self._match(node, ways)
        ways = self._expressions([node], ways)
        outs = {"raise": ways} if _can_raise(node) else {}
        if not isinstance(node, ast.Return | ast.Raise):
            outs["end"] = ways
        return outs

    def _if(self, node: ast.If, ways: _Ways) -> _Outs:
        outs: _Outs = {}
        while True:  # not recursion: a chain of elif can be long
            ways = self._expressions([node.test], ways)
            if _can_raise(node.test):
                _add(outs, {"raise": ways})
            _add(outs, self._block(node.body, ways))
            if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
                _add(outs, self._block(node.orelse, ways))
                return outs
            node = node.orelse[0]

    def _loop(self, node: ast.While | ast.For | ast.AsyncFor, ways: _Ways) -> _Outs:
        is_while = isinstance(node, ast.While)
        test = node.test if isinstance(node, ast.While) else node.iter
        ways = self._expressions([test], ways)
        if isinstance(node, ast.AsyncFor):
            ways = None
        outs = self._block(node.body, ways)
        end = _merge(ways, outs.pop("end"), outs.pop("continue", None))
        if is_while and isinstance(test, ast.Constant) and test.value:
            end = None
        left = outs.pop("break", None)
        _add(outs, {"raise": ways, **self._block(node.orelse, end)})
        return outs | {"end": _merge(outs["end"], left)}

    def _with(self, node: ast.With | ast.AsyncWith, ways: _Ways) -> _Outs:
        contexts = [item.context_expr for item in node.items]
        ways = self._expressions(contexts, ways)
        if isinstance(node, ast.AsyncWith) and not all(map(_is_timeout, contexts)):
            ways = None
        outs = self._block(node.body, ways)
        if any(_called(context) == "suppress" for context in contexts):
            _add(outs, {"end": outs.get("raise")})
        _add(outs, {"raise": ways})
        return outs

    def _match(self, node: ast.Match, ways: _Ways) -> _Outs:
        ways = self._expressions([node.subject], ways)
        outs: _Outs = {"raise": ways}
        for case in node.cases:
            if case.guard is not None:
                ways = self._expressions([case.guard], ways)
            _add(outs, self._block(case.body, ways))
            pattern = case.pattern
            if case.guard is None and (
                isinstance(pattern, ast.MatchAs) and pattern.pattern is None
            ):
                return outs  # takes everything
        _add(outs, {"end": ways})
        return outs

    def _try(self, node: ast.Try | ast.TryStar, ways: _Ways) -> _Outs:
        outs = self._block(node.body, ways)
        caught = outs.pop("raise", None)
        _add(outs, self._block(node.orelse, outs.pop("end")))
        for handler in node.handlers:
            name = getattr(handler.type, "attr", getattr(handler.type, "id", ""))
            # Only an await can be cancelled.
            begin = None if name == "CancelledError" else caught
            _add(outs, self._block(handler.body, begin))
        if not node.handlers:
            _add(outs, {"raise": caught})
        # Every way out leads through `finally`, which is followed once for all.
        inside = self._block(node.finalbody, _NONE)
        adds, entry = inside.pop("end"), _merge(*outs.values())
        outs = {how: _join(ways, adds) for how, ways in outs.items()}
        _add(outs, {how: _join(entry, ways) for how, ways in inside.items()})
        return outs

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
                if _rest(node.value) not in self._sleeps:
                    return None
            elif isinstance(node, ast.Yield) or (
                isinstance(node, ast.comprehension) and node.is_async
            ):
                return None
            elif isinstance(node, ast.Call) and node in self._sleeps:
                passed.append(node)
            stack.extend(ast.iter_child_nodes(node))
        return ways.union(passed)
