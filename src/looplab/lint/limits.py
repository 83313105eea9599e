"""What holds a producer back, so that a channel without a bound needs none (LAG102)."""

from __future__ import annotations

import ast
import re

from .order import Order
from .places import name_of
from .scopes import Function
from .traffic import Traffic, Use
from .uses import Uses

__all__ = ["limit"]

_PAUSE = re.compile(r"pause|stop_reading")
# Flow control of HTTP/2: the peer sends no more than it was given room for.
_WINDOWS = frozenset(("acknowledge_received_data", "increment_flow_control_window"))
_GATES = re.compile(r"(^|_)(sem|semaphore|limiter|slots?|credits?|tokens?)", re.I)
_KNOWN = frozenset(
    ("range", "list", "tuple", "set", "sorted", "enumerate", "zip", "reversed", "dict")
)
_FUTURES = frozenset(("asyncio.Future", "asyncio.Event", "anyio.Event", "trio.Event"))


def limit(
    use: Use,
    traffic: Traffic,
    uses: Uses,
    order: Order,
    made_in: Function | ast.Lambda | None,
) -> tuple[str, str] | None:
    """The section and the reason why a producer ends; None if nothing says so."""
    function = use.function
    for one in traffic.of("qsize"):
        if one.function is function and _is_compared(one, uses):
            return "lag102-size", f"its size is looked at in line {one.line}"
    for _, name in traffic.keys:
        if name in uses.deleted:
            return "lag102-phase", f"it is deleted in line {uses.deleted[name]}"
    if not uses.calls.isdisjoint(_WINDOWS):
        return "lag102-paused", "the flow control of HTTP/2 holds the peer back"
    if made_in is not None and function is made_in:
        repeat = _repeat(use, uses)
        if repeat is None:
            return "lag102-fixed", f"line {use.line} puts once for each queue"
        if repeat:
            return "lag102-fixed", f"the loop around line {use.line} has an end"
    if function is None or isinstance(function, ast.Lambda):
        return None
    if (
        made_in is not None
        and not uses.repeated(use.node)
        and uses.once(function, made_in)
    ):
        return "lag102-fixed", f"line {use.line} puts once for each queue"
    maker = None if isinstance(made_in, ast.Lambda) else made_in
    if order.fills(use, traffic, maker) == "ends":
        return "lag102-fixed", f"{function.name}() is over before anything is taken"
    inside = list(ast.walk(function))
    owner = uses.owner(function)
    if owner is not None and owner.name.endswith("Pool"):
        return "lag102-pool", f"{owner.name} makes no more items than it may"
    if any(one.function is function for one in traffic.of("get", "get_now")):
        return "lag102-frontier", "who takes also puts; make it a deque if that is all"
    if (
        use.kind != "thread"
        and function in order.takers(traffic)
        and order.comes_from_outside(use, traffic) is None
    ):
        return "lag102-frontier", f"who takes also puts, through {function.name}()"
    if any(one.function is function for one in traffic.of("join")):
        return "lag102-answer", f"{function.name}() gives its caller join() to await"
    if _answered(use, inside, uses, traffic, order):
        return "lag102-answer", f"{function.name}() waits for an answer to what it puts"
    for node in inside:
        if isinstance(node, ast.Call) and _PAUSE.search(name_of(node.func)):
            return (
                "lag102-paused",
                f"{name_of(node.func)}() in line {node.lineno} pauses the source",
            )
        gate = _gate(node)
        if gate and node.lineno <= use.line:  # type: ignore[attr-defined]
            return "lag102-gate", f"{gate} lets in only so many before line {use.line}"
    return None


def _is_compared(use: Use, uses: Uses) -> bool:
    """Whether a size is compared with a bound, rather than with nothing."""
    node: ast.AST | None = use.call or use.node
    while node is not None and not isinstance(node, ast.stmt):
        if isinstance(node, ast.Compare):
            zero = any(
                isinstance(one, ast.Constant) and one.value in (0, 1)
                for one in (node.left, *node.comparators)
            )
            return not zero and isinstance(
                node.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE
            )
        node = uses.parents.get(node)
    return False


def _repeat(use: Use, uses: Uses) -> bool | None:
    """Whether the loop around a place ends by itself; None if there is no loop."""
    ends: bool | None = None
    node: ast.AST | None = use.call or use.node
    while node is not None and node is not use.function:
        if isinstance(node, ast.While | ast.AsyncFor):
            return False
        if isinstance(node, ast.For):
            source = node.iter
            if isinstance(source, ast.Call) and name_of(source.func) not in _KNOWN:
                return False
            ends = True
        node = uses.parents.get(node)
    return ends


def _answered(
    use: Use, inside: list[ast.AST], uses: Uses, traffic: Traffic, order: Order
) -> bool:
    """Whether the function waits, after it has put, for what was put."""
    made = {
        target.id
        for node in inside
        if isinstance(node, ast.Assign | ast.AnnAssign)
        and isinstance(node.value, ast.Call)
        and (
            name_of(node.value.func) == "create_future"
            or uses.value(node.value.func) in _FUTURES
        )
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    carried = {
        name_of(node)
        for node in (ast.walk(use.item) if use.item is not None else ())
        if isinstance(node, ast.Name | ast.Attribute)
    }
    if not made.isdisjoint(carried):
        return True
    # What is awaited must be in the item, or be there before the item is put, or be
    # the task that takes, or an event that another method sets.
    known = carried | order.tasks(traffic) | _set_by_others(use, uses)
    for node in inside:
        if isinstance(node, ast.Assign) and (
            node.lineno <= use.line or name_of(_inside(node.value)) in known
        ):
            known.update(name_of(target) for target in node.targets)
    for node in inside:
        if (
            not isinstance(node, ast.Await)
            or node.lineno <= use.line
            or uses.function(node) is not use.function
        ):
            continue
        value = _inside(node.value)
        if isinstance(value, ast.Name | ast.Attribute) and name_of(value) in known:
            return True
        if isinstance(value, ast.Call):
            func = value.func
            if (
                isinstance(func, ast.Attribute)
                and func.attr in ("wait", "join")
                and not value.args
                and not known.isdisjoint((name_of(func.value), _root(func.value)))
            ):
                return True
            if any(
                isinstance(one, ast.Call)
                and name_of(one.func) == "get"
                and not one.args
                for one in ast.walk(value)
            ):
                return True
    return False


def _set_by_others(use: Use, uses: Uses) -> set[str]:
    """The events that other methods of the producer's class set."""
    owner = None if use.function is None else uses.owner(use.function)
    return {
        name_of(node.func.value)
        for node in (() if owner is None else ast.walk(owner))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "set"
        and not node.args
        and uses.function(node) is not use.function
    }


def _inside(node: ast.expr) -> ast.expr:
    """What a time limit or a shield is around."""
    while isinstance(node, ast.Call) and name_of(node.func) in ("wait_for", "shield"):
        node = node.args[0] if node.args else node.func
    return node


def _root(node: ast.expr) -> str:
    """The name that a dotted name begins with; nothing for ``self``."""
    while isinstance(node, ast.Attribute):
        node = node.value
    name = node.id if isinstance(node, ast.Name) else ""
    return "" if name == "self" else name


def _gate(node: ast.AST) -> str:
    """The name of a semaphore that is passed here, or nothing."""
    found: list[ast.expr] = []
    if isinstance(node, ast.AsyncWith):
        found = [item.context_expr for item in node.items]
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("acquire", "acquire_nowait")
    ):
        found = [node.func.value]
    return next((name_of(one) for one in found if _GATES.search(name_of(one))), "")
