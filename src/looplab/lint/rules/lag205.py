"""LAG205: ``sleep(0)`` that hopes for one iteration."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..file import File
from ..findings import Report, Rule
from ..libraries import SPAWNS
from ..objects import mentions, name_of, own
from ..sleeps import Sleeps, repeats
from .lag204 import behind

RULE = Rule("LAG205", "sleep(0) that hopes for one iteration")

_HOPES = (
    "sleep(0) lets a task run for one iteration, however far it gets: await what it "
    "must have done, or an event"
)


def check(file: File) -> Iterator[Report]:
    """Each ``sleep(0)`` behind the start of a task, or in a loop of sleeps."""
    for call in file.sleeps.zero:
        if _hopes(file.sleeps, call) and behind(file, call) is None:
            yield Report(call, _HOPES)


def _hopes(sleeps: Sleeps, call: ast.Call) -> bool:
    """Whether a sleep stands behind the start of a task, or in a loop of sleeps."""
    statement = sleeps.statement(call)
    if statement is None or repeats(statement):
        return statement is not None
    if sleeps.objects.loop(statement) is not None:
        return False
    for before in sleeps.objects.before(statement):
        nodes = [before, *own(before)]
        if any(isinstance(node, ast.Await) for node in nodes):
            return False
        for node in nodes:
            if (
                isinstance(before, ast.Expr | ast.Assign | ast.AnnAssign)
                and isinstance(node, ast.Call)
                and name_of(node.func) in SPAWNS
                and node.args
            ):
                return _is_used(sleeps, node.args[0], statement)
    return False


def _is_used(sleeps: Sleeps, task: ast.expr, after: ast.stmt) -> bool:
    """Whether what a task works on is used behind a statement.

    Else the sleep may only let the task start, which one iteration is enough for.
    """
    objects = sleeps.objects
    func = task.func if isinstance(task, ast.Call) else task
    things = mentions(task) - {ast.unparse(func), "self", "cls"}
    changed = {
        node.attr
        for function in objects.functions(func)
        for node in own(function)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    around = objects.function(after)
    return around is not None and any(
        isinstance(node, ast.Name | ast.Attribute)
        and isinstance(node.ctx, ast.Load)
        and node.lineno > (after.end_lineno or 0)
        and (ast.unparse(node) in things or name_of(node) in changed)
        for node in own(around)
    )
