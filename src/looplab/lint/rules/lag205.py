"""LAG205: ``sleep(0)`` that hopes for one iteration."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..file import File
from ..findings import Report, Rule
from ..objects import name_of, own
from ..sleeps import Sleeps, block_of, only_sleeps

RULE = Rule("LAG205", "sleep(0) that hopes for one iteration")

_HOPES = (
    "sleep(0) lets a task run for one iteration, however far it gets: await what it "
    "must have done, or an event"
)
_SPAWNS = frozenset(("create_task", "ensure_future", "start_soon"))


def check(file: File) -> Iterator[Report]:
    """Each ``sleep(0)`` behind the start of a task, or in a loop of sleeps."""
    sleeps = file.sleeps
    for call in sleeps.zero:
        is_other = sleeps.undrained(call) or sleeps.polled(call) or sleeps.after(call)
        if not is_other and _hopes(sleeps, call):
            yield Report(call, _HOPES)


def _hopes(sleeps: Sleeps, call: ast.Call) -> bool:
    """Whether a sleep stands behind the start of a task, or in a loop of sleeps."""
    statement: ast.AST = call
    parents = sleeps.objects.parents
    while not isinstance(statement, ast.stmt):
        statement = parents[statement]
    around = parents[statement]
    if only_sleeps(around, statement):
        return True
    if sleeps.around(call) is not None:
        return False
    block = getattr(around, block_of(around, statement) or "", [])
    for before in reversed(block[: block.index(statement)] if block else []):
        nodes = [before, *own(before)]
        if any(isinstance(node, ast.Await) for node in nodes):
            return False
        if isinstance(before, ast.Expr | ast.Assign | ast.AnnAssign) and any(
            isinstance(node, ast.Call) and name_of(node.func) in _SPAWNS
            for node in nodes
        ):
            return True
    return False
