"""LAG204: ``sleep(0)`` after what it does not hold back."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..file import File
from ..findings import Report, Rule
from ..libraries import CHANNELS, SAYS, words
from ..objects import Objects, called, name_of, own
from ..polls import poll

RULE = Rule("LAG204", "sleep(0) after what it does not hold back")

_QUEUE = "sleep(0) after {name}() does not make the other side keep up: {advice}"
_NAMES = words("queue channel inbox outbox mailbox pending jobs stream")
_SAYS = SAYS | words("append qsize len max min")
_STREAMS = frozenset(("asyncio.StreamWriter", "asyncio.open_connection"))


def check(file: File) -> Iterator[Report]:
    """Each ``sleep(0)`` behind a method of a queue, or a write that nobody drains."""
    for call in file.sleeps.zero:
        func = behind(file, call)
        if func is not None and poll(file.sleeps, call) is None:
            advice = f"await {ast.unparse(func.value)}.drain()"
            if func.attr != "write":
                advice = _advice(func.attr, file.bounds.get(func))
            yield Report(call, _QUEUE.format(name=func.attr, advice=advice))


def behind(file: File, call: ast.Call) -> ast.Attribute | None:
    """What a loop puts, takes or writes in the statement before a sleep."""
    sleeps, objects = file.sleeps, file.objects
    statement = sleeps.statement(call)
    loop = objects.loop(statement or call)
    if statement is None or loop is None:
        return None
    before = next(
        (other for other in objects.before(statement)
         if other not in sleeps.pauses and not _is_idle(other)), None
    )  # fmt: skip
    value = getattr(before, "value", None)
    awaited = isinstance(value, ast.Await)
    operation = value.value if isinstance(value, ast.Await) else value
    func = getattr(operation, "func", None)
    if not isinstance(operation, ast.Call) or not isinstance(func, ast.Attribute):
        return None
    if func.attr == "write":
        drained = any(name_of(node) == "drain" for node in own(loop))
        return func if not drained and _is_writer(objects, func.value) else None
    many = {"put": 1, "put_nowait": 1, "send_nowait": 1, "get": 0}.get(func.attr)
    if many != len(operation.args) or awaited == func.attr.endswith("_nowait"):
        return None
    kinds = objects.kinds(func.value)
    name = name_of(func.value).lower()
    is_queue = (
        func in file.bounds
        or not awaited
        or any(kind in CHANNELS for kind in kinds)
        or (not kinds and (name == "q" or any(word in name for word in _NAMES)))
    )
    return func if is_queue else None


def _is_idle(statement: ast.stmt) -> bool:
    """Whether a statement only counts, or says something: no work for who takes."""
    return isinstance(statement, ast.Expr | ast.Assign | ast.AugAssign) and all(
        called(node) in _SAYS
        for node in own(statement)
        if isinstance(node, ast.Await | ast.Call)
    )


def _is_writer(objects: Objects, node: ast.expr) -> bool:
    """Whether an expression is the writer of a stream, by its kind or name."""
    kinds = objects.kinds(node)
    return kinds <= _STREAMS if kinds else "writer" in name_of(node).lower()


def _advice(name: str, bound: bool | None) -> str:
    """What to do about a sleep behind a method of a queue."""
    wait = name.removesuffix("_nowait")
    if name != wait and bound:
        return f"await {wait}() in place of {name}() and sleep(0)"
    if name != wait:
        return f"bound the queue, and await {wait}() in place of both"
    if bound is None:
        return "leave it out, and see that the queue has a bound"
    return "leave it out" if bound else "leave it out and bound the queue"
