"""What runs in a thread of its own, and what it does to the loop (LAG203 and LAG303).

Nothing of asyncio may be touched from another thread.  An event that a thread sets is
the usual case: the tasks that wait for it become ready, and the loop, asleep in the
operating system, does not notice.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from .channels import Channels
from .findings import LONGEST
from .places import Places, name_of
from .scopes import PARAMETER, Mark, Scope
from .walk import Walk

__all__ = ["Threads"]

_SET = "{name}.set() in a thread does not wake the loop: use {call}({name}.set)"
_CALL = "loop.call_soon_threadsafe"
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
# Which argument is called in a thread.
_STARTS = {"threading.Thread": 1, "asyncio.to_thread": 0, "threading.Timer": 1}
# What changes the thing that it is a method of.
_CHANGES = frozenset(
    ("set", "clear", "append", "add", "remove", "pop", "popleft", "discard", "update")
)


class Threads:
    """The functions of a file that run in threads.

    Args:
        walk: what was found in the file.
        channels: what its names stand for.
        tree: the file.
    """

    def __init__(self, walk: Walk, channels: Channels, tree: ast.Module) -> None:
        self._names = channels
        self._places = Places(tree, walk) if self._may(walk, channels) else None
        self._bodies: list[tuple[ast.AST, ast.Call]] = []
        if self._places is None:
            return
        for call, _, _ in walk.calls:
            started = self._started(call)
            if started is not None:
                self._bodies.extend((one, call) for one in self._meant(started))

    @staticmethod
    def _may(walk: Walk, channels: Channels) -> bool:
        """Whether anything is started in a thread: most files need no closer look."""
        return any(
            channels.called.get(call) in _STARTS
            or name_of(call.func) == "run_in_executor"
            for call, _, _ in walk.calls
        )

    def _started(self, call: ast.Call) -> ast.expr | None:
        """What a call starts in a thread."""
        place = _STARTS.get(self._names.called.get(call, ""))
        if place is None and name_of(call.func) == "run_in_executor":
            place = 1
        if place is None:
            return None
        for keyword in call.keywords:
            if keyword.arg in ("target", "function"):
                return keyword.value
        return call.args[place] if place < len(call.args) else None

    def _meant(self, node: ast.expr) -> Iterator[ast.AST]:
        """The functions of the file that an expression names."""
        places = self._places
        assert places is not None
        if isinstance(node, ast.Lambda):
            yield node
            return
        if not isinstance(node, ast.Name | ast.Attribute):
            return
        ours = isinstance(node, ast.Attribute)
        for one in places.nodes:
            if isinstance(one, ast.FunctionDef) and one.name == name_of(node):
                around = places.parents.get(one)
                if isinstance(around, ast.ClassDef) == ours and (
                    not ours or around is places.owner(node)
                ):
                    yield one

    # An event that is set

    def events(self) -> Iterator[tuple[ast.expr, str]]:
        """Events of asyncio that a thread sets (LAG303)."""
        seen: set[ast.AST] = set()
        for function, start in self._bodies:
            for node in _own(function):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Attribute)
                    and node.func.attr == "set"
                    and not node.args
                    and node not in seen
                    and self._is_event(node.func.value, function, start)
                ):
                    seen.add(node)
                    yield node, _said(node.func.value)

    def _is_event(self, node: ast.expr, function: ast.AST, start: ast.Call) -> bool:
        """Whether an expression is surely an event of asyncio."""
        places = self._places
        assert places is not None
        if isinstance(node, ast.Attribute):
            owner = places.owner(node)
            ours = isinstance(node.value, ast.Name) and node.value.id == "self"
            values = [
                value
                for target, value in _assigned(places.nodes)
                if isinstance(target, ast.Attribute)
                and target.attr == node.attr
                and (not ours or places.owner(target) is owner)
            ]
            return bool(values) and all(map(self._makes_event, values))
        if not isinstance(node, ast.Name):
            return False
        found, where = self._names.bindings(node.id, places.scope(node))
        if any(isinstance(one, Mark) for one in found):
            passed = self._passed(node.id, function, start)
            return (
                found == [PARAMETER]
                and where is places.scope(node)
                and passed is not None
                and self._is_known(passed, places.scope(start))
            )
        return self._is_known(node, where)

    def _is_known(self, node: ast.expr, scope: Scope) -> bool:
        """The same, for a name that is no parameter."""
        if not isinstance(node, ast.Name):
            return isinstance(node, ast.Call) and self._makes_event(node)
        found, _ = self._names.bindings(node.id, scope)
        return bool(found) and all(
            isinstance(one, ast.Call) and self._makes_event(one) for one in found
        )

    def _makes_event(self, value: ast.expr | None) -> bool:
        return (
            isinstance(value, ast.Call)
            and self._names.called.get(value) == "asyncio.Event"
        )

    @staticmethod
    def _passed(name: str, function: ast.AST, start: ast.Call) -> ast.expr | None:
        """What a thread is given for a parameter of its function."""
        if not isinstance(function, ast.FunctionDef):
            return None
        every = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
        if every[:1] in (["self"], ["cls"]):
            every = every[1:]
        if name not in every:
            return None
        given: Sequence[ast.expr] = ()
        by_name = {one.arg: one.value for one in start.keywords}
        if "target" in by_name:
            args = by_name.get("args")
            given = args.elts if isinstance(args, ast.Tuple | ast.List) else ()
        elif name_of(start.func) == "to_thread":
            given = start.args[1:]
            if name in by_name:
                return by_name[name]
        elif name_of(start.func) == "run_in_executor":
            given = start.args[2:]
        place = every.index(name)
        return given[place] if place < len(given) else None

    # What a loop asks for

    def changes(self, loop: ast.While) -> bool:
        """Whether what a loop asks is changed by a thread."""
        if not self._bodies:
            return False
        asked = {
            name_of(node)
            for node in ast.walk(loop.test)
            if isinstance(node, ast.Name | ast.Attribute)
        } - {"self", "is_set", "not", "len"}
        for function, _ in self._bodies:
            for node in _own(function):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    changed = node.func.attr in _CHANGES
                    if changed and name_of(node.func.value) in asked:
                        return True
            outside = _outside(function)
            for target, _ in _assigned(_own(function)):
                if name_of(target) in asked and (
                    isinstance(target, ast.Attribute) or name_of(target) in outside
                ):
                    return True
        return False


def _said(event: ast.expr) -> str:
    """The message for an event, in at most 120 characters."""
    for name in (ast.unparse(event), name_of(event), "event"):
        text = _SET.format(name=name, call=_CALL)
        if len(text) <= LONGEST:
            return text
    return text


def _own(function: ast.AST) -> Iterator[ast.AST]:
    """What is in a function, but in no function inside it."""
    stack: list[ast.AST] = []
    if isinstance(function, ast.Lambda):
        stack.append(function.body)
    elif isinstance(function, ast.FunctionDef):
        stack.extend(function.body)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, _FUNCTIONS):
            stack.extend(ast.iter_child_nodes(node))


def _assigned(
    nodes: Sequence[ast.AST] | Iterator[ast.AST],
) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    """What is assigned, and what to it."""
    for node in nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield target, node.value
        elif isinstance(node, ast.AnnAssign | ast.AugAssign):
            yield node.target, node.value


def _outside(function: ast.AST) -> set[str]:
    """The names that a function binds elsewhere."""
    return {
        name
        for node in _own(function)
        if isinstance(node, ast.Global | ast.Nonlocal)
        for name in node.names
    }
