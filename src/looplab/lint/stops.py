"""Where a bound would stop a producer for ever, though somebody takes.

It waits in ``put()`` with a lock that who takes needs, or after who takes was
cancelled.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from .order import Order
from .places import name_of
from .traffic import Traffic, Use
from .uses import Uses

__all__ = ["put_after_cancel", "shared_lock"]


def shared_lock(
    use: Use, traffic: Traffic, uses: Uses, order: Order
) -> tuple[str, int] | None:
    """The lock under which a producer puts and which who takes needs, and where.

    Who takes needs it *before* it takes, or the producer puts more than once under it.
    One item, and a lock behind the ``get()`` that has made room for it, do no harm.

    Args:
        use: where it puts.
        traffic: all uses of the channel.
        uses: those of the whole file.
        order: which functions come to which others.
    """
    if use.kind not in ("await", "now"):
        return None
    held = list(_around(use, uses))
    if not held:
        return None
    needed = {
        uses.key(item)
        for function in order.takers(traffic)
        for item, _ in _entered(function)
    }
    first = {
        uses.key(item)
        for get in traffic.of("get")
        if get.function is not None
        for item, line in _entered(get.function)
        if line <= get.line
    }
    for item, block, several in held:
        key = uses.key(item)
        many = several or any(
            one is not use and one.node in ast.walk(block) for one in traffic.puts
        )
        if key is not None and key in (needed if many else first):
            return name_of(item), block.lineno
    return None


def _around(use: Use, uses: Uses) -> Iterator[tuple[ast.expr, ast.AsyncWith, bool]]:
    """What is held where a producer puts, since when, and whether a loop is inside."""
    node: ast.AST = use.node
    several = False
    while node in uses.parents and node is not use.function:
        node = uses.parents[node]
        several = several or isinstance(node, ast.For | ast.AsyncFor | ast.While)
        if isinstance(node, ast.AsyncWith):
            for item in node.items:
                if isinstance(item.context_expr, ast.Name | ast.Attribute):
                    yield item.context_expr, node, several


def _entered(function: ast.AST) -> Iterator[tuple[ast.expr, int]]:
    """What a function enters, and where."""
    for node in ast.walk(function):
        if isinstance(node, ast.AsyncWith):
            for item in node.items:
                if isinstance(item.context_expr, ast.Name | ast.Attribute):
                    yield item.context_expr, node.lineno


def put_after_cancel(
    puts: Iterable[Use], traffic: Traffic, order: Order
) -> tuple[int, int] | None:
    """The line of a ``put()`` that follows the end of who takes, and of that end."""
    tasks: set[str] | None = None
    for use in puts:
        if use.kind != "await" or use.function is None:
            continue
        for node in ast.walk(use.function):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "cancel"
                and node.lineno < use.line
            ):
                tasks = order.tasks(traffic) if tasks is None else tasks
                if name_of(node.func.value) in tasks:
                    return use.line, node.lineno
    return None
