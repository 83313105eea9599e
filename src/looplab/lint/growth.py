"""Whether a channel without a bound can grow, and what to do about it.

An error is only what grows as long as somebody sends: a producer that the file shows
and that nothing in the file holds back.  The advice depends on how that producer puts,
because a bound makes ``await put()`` wait and ``put_nowait()`` raise.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from .findings import Severity
from .limits import limit
from .places import name_of
from .scopes import Function
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
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_ENDS = frozenset(
    [
        "sentinel",
        "stop",
        "stopped",
        "done",
        "end",
        "ended",
        "exc",
        "err",
        "error",
        "exception",
        "finish",
        "finished",
        "quit",
        "shutdown",
        "poison",
        "close",
        "closed",
        "disconnect",
        "complete",
        "completed",
        "eof",
        "signal",
        "terminate",
        "terminated",
        "termination",
        "terminator",
    ]
)
_ENDING = re.compile(r"disconnect|close|shutdown|startup|complete|end|stop|error")


def judge(
    traffic: Traffic, uses: Uses, made_in: Function | ast.Lambda | None
) -> Verdict:
    """Say what the file shows of a channel without a bound.

    Args:
        traffic: its uses.
        uses: those of the whole file.
        made_in: the function that makes it; None for a module or a class.
    """
    puts = traffic.puts
    real = [use for use in puts if use.kind != "given" and not _is_end(use.item)]
    del real[_MOST:]
    if not real:
        return _unseen(traffic, puts)
    free = []
    for use in real:
        reason = limit(use, traffic, uses, made_in)
        if reason is None:
            free.append(use)
        else:
            held = reason
    if not free:
        return _note(*held)
    if (
        not traffic.of("get")
        and traffic.of("get_now")
        and all(use.kind == "now" for use in free)
    ):
        return Verdict(
            "lag101-batch",
            "warning",
            "is emptied by get_nowait() only: flush or refuse at a size in line "
            f"{free[0].line}, no bound",
        )
    return _advice(free, puts, uses)


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


# What is put


def _is_end(item: ast.expr | None) -> bool:
    """Whether what is put says that nothing more will come."""
    if item is None:
        return False
    if isinstance(item, ast.Constant):
        # `put(None)` once says the end; in each iteration it says another thing.
        return item.value is None or isinstance(item.value, bool)
    if isinstance(item, ast.Tuple):
        return any(_is_end(one) for one in item.elts if isinstance(one, ast.Name))
    if isinstance(item, ast.Dict):
        words = [one.value for one in item.values if isinstance(one, ast.Constant)]
        # What is the same each time is a signal, too: {"type": "websocket.connect"}.
        return len(words) == len(item.values) or any(
            isinstance(one, str) and _ENDING.search(one) for one in words
        )
    node: ast.expr = item.func if isinstance(item, ast.Call) else item
    name = name_of(node)
    if not name:
        return False
    if isinstance(item, ast.Call) and any(_is_closing(one) for one in item.args):
        return True
    return _says_end(name) or (
        not isinstance(item, ast.Call) and name.isupper() and len(name) > 1
    )


def _says_end(name: str) -> bool:
    """Whether a word of a name is one for the end: ``StopSignal``, ``_DONE``."""
    return any(word.lower() in _ENDS for word in _WORD.findall(name))


def _is_closing(node: ast.expr) -> bool:
    """Whether an argument is a member of an enumeration such as ``Kind.closed``."""
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id[:1].isupper()
        and _says_end(node.attr)
    )


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
