"""Whether a channel without a bound can grow, and what to do about it.

An error is only what grows as long as somebody sends: a producer that the file shows
and that nothing in the file holds back.  The advice depends on how that producer puts,
because a bound makes ``await put()`` wait and ``put_nowait()`` raise.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from .ends import is_end
from .findings import Severity
from .limits import limit
from .order import Order
from .places import name_of
from .scopes import Function
from .stops import put_after_cancel, shared_lock
from .traffic import Traffic, Use
from .uses import Uses

__all__ = ["Verdict", "judge"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is said of one channel.

    Args:
        section: that of the page of the rules.
        severity: how much it matters.
        code: that of the rule.
        words: what to do; ``{bound}`` stands for how to pass a bound.
    """

    section: str
    severity: Severity
    words: str
    code: str = "LAG101"


#: So many producers are looked at: a file with more was not written by hand.
_MOST = 50


def judge(
    traffic: Traffic,
    uses: Uses,
    order: Order,
    made_in: Function | ast.Lambda | None,
) -> Verdict:
    """Say what the file shows of a channel without a bound.

    Args:
        traffic: its uses.
        uses: those of the whole file.
        order: which of its functions come to which others.
        made_in: the function that makes it; None for a module or a class.
    """
    puts = traffic.puts
    real = [use for use in puts if use.kind != "given" and not is_end(use, uses)]
    del real[_MOST:]
    if not real:
        return _unseen(traffic, puts)
    maker = None if isinstance(made_in, ast.Lambda) else made_in
    # What is put once fits: ends, and the like, are put into what is empty.
    first = [
        use
        for use in puts
        if use.kind == "await"
        and (len(puts) > 1 or uses.repeated(use.node))
        and order.fills(use, traffic, maker) is not None
    ]
    free, held = [], None
    for use in real:
        reason = limit(use, traffic, uses, order, made_in)
        if reason is not None:
            held = reason
        elif order.fills(use, traffic, maker) is None:
            free.append(use)
        elif use not in first:
            first.append(use)
    if not free and first and held is None:
        return Verdict(
            "lag101-fill",
            "warning",
            f"is filled in line {first[0].line} before anybody takes: no bound as it "
            "is; use a list, or start who takes first",
        )
    if not free:
        return _note(*(held or ("lag102-fixed", "it is filled first")))
    takes = traffic.of("get", "get_now")
    waits = traffic.of("get")
    kinds = ("now", "await") if waits else ("now",)
    if (
        takes
        and all(_is_unless_empty(use, uses) for use in waits)
        and all(use.kind in kinds for use in free)
    ):
        how = "while it is not empty" if waits else "by get_nowait()"
        return Verdict(
            "lag101-batch",
            "warning",
            f"is emptied {how} only: flush or refuse at a size in line "
            f"{free[0].line}, no bound",
        )
    back = _puts_back(traffic, uses, order)
    if back is not None:
        return _back(back, free, traffic, order)
    if first:
        line = first[0].line
        return Verdict(
            "lag101-fill",
            "error",
            f"grows, and is filled in line {line} before anybody takes: first start "
            "who takes, then {bound}",
        )
    for use in free:
        locked = shared_lock(use, traffic, uses, order)
        if locked is None:
            continue
        lock, line = locked
        return Verdict(
            "lag101-lock",
            "error",
            f"grows: {{bound}}, await put() outside of {lock} (line {line}), which who "
            "takes needs, too",
        )
    cancelled = put_after_cancel(puts, traffic, order)
    if cancelled is not None and any(use.kind == "await" for use in free):
        put, cancel = cancelled
        return Verdict(
            "lag101-cancel",
            "error",
            f"grows: {{bound}}, and no put() in line {put} once line {cancel} has "
            "cancelled who takes",
        )
    return _advice(free, puts, uses)


def _puts_back(traffic: Traffic, uses: Uses, order: Order) -> Use | None:
    """A place at which who takes puts, and would wait for itself."""
    takers = order.takers(traffic)
    gets = traffic.of("get")
    for use in traffic.puts:
        function = use.function
        if function not in takers or use.kind == "handed":
            continue
        # Who empties it, and then says the end, has made room.
        if not is_end(use, uses) or any(
            order.calls.around(one.node) is function for one in gets
        ):
            return use
    return None


def _back(back: Use, free: list[Use], traffic: Traffic, order: Order) -> Verdict:
    """What to do where a bound would stop who takes."""
    use = next((one for one in free if one.line != back.line), free[0])
    line: int | None = use.line
    if line == back.line:
        line = order.comes_from_outside(use, traffic) or line
    says = f"grows; who takes puts too (line {back.line}): no bound; "
    if use.kind == "await" or isinstance(use.function, ast.AsyncFunctionDef):
        how = f"before line {line} a semaphore, released when an item is done"
    else:
        how = f"in line {line} refuse or drop when qsize() is too high"
    return Verdict("lag101-back", "error", says + how)


def _is_unless_empty(use: Use, uses: Uses) -> bool:
    """Whether a place is in ``while not queue.empty()``, and so never waits."""
    node: ast.AST = use.node
    while node in uses.parents and node is not use.function:
        node = uses.parents[node]
        if isinstance(node, ast.While | ast.If) and any(
            isinstance(one, ast.Call)
            and isinstance(one.func, ast.Attribute)
            and one.func.attr in ("empty", "qsize")
            and uses.key(one.func.value) == uses.key(use.node.value)
            for one in ast.walk(node.test)
        ):
            return True
    return False


def _unseen(traffic: Traffic, puts: list[Use]) -> Verdict:
    """No producer is in the file."""
    given = next((use for use in puts if use.kind == "given"), None)
    if given is not None:
        return Verdict(
            "lag101-elsewhere",
            "warning",
            f"gives its {given.node.attr} away in line {given.line}: if it may come "
            "often, {many}, and handle a full one",
        )
    if puts and not traffic.escapes and traffic.of("get") and _is_local(traffic):
        return _note("lag102-end", f"only its end is put, in line {puts[0].line}")
    return Verdict(
        "lag101-elsewhere",
        "warning",
        "has its producers elsewhere: if they 'await put()', {bound}; "
        "else handle QueueFull",
    )


def _is_local(traffic: Traffic) -> bool:
    return not any(
        isinstance(key[0], ast.ClassDef) or key[0] is None for key in traffic.keys
    )


def _note(section: str, reason: str) -> Verdict:
    return Verdict(section, "note", f"has no bound and needs none: {reason}", "LAG102")


def _advice(free: list[Use], puts: list[Use], uses: Uses) -> Verdict:
    """What to do about producers that nothing holds back."""
    last = [use for use in puts if use.kind == "await" and _is_last(use, uses)]
    fan_out = next((use for use in free if _is_fan_out(use)), None)
    by_kind = {use.kind: use for use in reversed(free)}
    waits = by_kind.get("await")
    at_once = next((use for use in puts if use.kind in ("now", "handed")), None)
    if (thread := by_kind.get("thread")) is not None:
        return Verdict(
            "lag101-thread",
            "error",
            "grows: {bound}; in line "
            f"{thread.line}, off the loop's thread, "
            "run_coroutine_threadsafe(put(...), loop).result()",
        )
    if fan_out is not None:
        lines = sorted({fan_out.line, *(use.line for use in last[:1])})
        where = f"line{'s' * (len(lines) > 1)} {' and '.join(map(str, lines))}"
        return Verdict(
            "lag101-fanout",
            "error",
            f"grows: {{many}}, put_nowait() in {where}; on QueueFull drop the item or "
            "the reader",
        )
    if waits is not None and at_once is not None:
        return Verdict(
            "lag101-mixed",
            "error",
            f"grows: {{many}}; put() in line {waits.line} then waits, line "
            f"{at_once.line} must handle QueueFull",
        )
    if waits is not None and last:
        return Verdict(
            "lag101-finally",
            "error",
            f"grows: {{bound}}, and move put() in line {last[0].line} out of "
            "'finally', where it may wait for ever",
        )
    if waits is not None:
        return Verdict(
            "lag101-await",
            "error",
            f"grows: {{bound}}, so that 'await put()' in line {waits.line} waits",
        )
    now = by_kind.get("now")
    if now is None:
        return Verdict(
            "lag101-callback",
            "error",
            "grows: {many}; in line "
            f"{by_kind['handed'].line} hand over a function that handles QueueFull",
        )
    if _handles_full(now):
        return Verdict(
            "lag101-callback",
            "error",
            f"grows: {{many}}; line {now.line} handles QueueFull, "
            "which is never raised without a bound",
        )
    if isinstance(now.function, ast.AsyncFunctionDef) and all(
        isinstance(use.function, ast.AsyncFunctionDef) for use in puts
    ):
        return Verdict(
            "lag101-nowait",
            "error",
            f"grows: {{bound}} and 'await put()' in line {now.line} "
            "in place of put_nowait()",
        )
    return Verdict(
        "lag101-callback",
        "error",
        f"grows: {{many}}; on QueueFull in line {now.line} "
        "drop, refuse or pause the source",
    )


# Where it is put


def _is_fan_out(use: Use) -> bool:
    """Whether one item goes into the channels of several readers."""
    if use.call is None or use.call.func is not use.node:
        return False
    target = use.node.value
    here: ast.AST | None = use.function
    if here is None:
        return False
    for node in ast.walk(here):
        if isinstance(node, ast.For) and isinstance(target, ast.Name):
            names = {
                one.id for one in ast.walk(node.target) if isinstance(one, ast.Name)
            }
            if target.id in names and any(one is use.node for one in ast.walk(node)):
                return True
    return False


def _is_last(use: Use, uses: Uses) -> bool:
    """Whether a place is in a ``finally``, where a producer comes that is cancelled."""
    node: ast.AST = use.node
    while node in uses.parents and node is not use.function:
        parent = uses.parents[node]
        if isinstance(parent, ast.Try | ast.TryStar) and node in parent.finalbody:
            return True
        node = parent
    return False


def _handles_full(use: Use) -> bool:
    """Whether an except clause for a full channel is around a place."""
    return use.function is not None and any(
        isinstance(node, ast.Try)
        and any(
            "Full" in name_of(one) or "Block" in name_of(one)
            for handler in node.handlers
            if handler.type is not None
            for one in ast.walk(handler.type)
        )
        and any(one is use.node for part in node.body for one in ast.walk(part))
        for node in ast.walk(use.function)
    )
