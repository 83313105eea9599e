"""LAG101: a channel of which the file shows that it grows.

The advice never orders a bound.  It names what a bound would do to this code.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from ..channels import Made
from ..file import PUT, PUT_NOW, File
from ..findings import Report, Rule, shorten
from ..growth import Growth, Shown
from ..objects import Key, Objects, Use, name_of, own

RULE = Rule("LAG101", "channel that grows")

_MOST = 20  # so many callers of a function are looked at


def check(file: File) -> Iterator[Report]:
    """The channels without a bound that grow."""
    # It may be made in several places, of which the first is reported.
    first = {traffic: made for made, traffic in reversed(file.traffic.items())}
    for traffic, made in first.items():
        growth = Growth(file, traffic)
        shown, ends = growth.shown()
        if shown:
            section, variants = _advice(growth, shown, ends)
            yield Report(made.node, _message(made, variants), section)


def _advice(
    growth: Growth, shown: list[Shown], ends: list[Use]
) -> tuple[str, list[str]]:
    """The section, and words, shorter ones last."""
    order = tuple(_WHY)
    first = min(shown, key=lambda evidence: order.index(evidence.why))
    section, words = _worst(growth, first, shown, ends)
    why = _WHY[first.why].format(line=first.line, put=first.use.line)
    whys = [why, f"line {first.use.line} puts"]
    if first.why == "callers":
        whys.insert(0, why.replace("callers", f"callers of {first.function}()"))
    return section, [f"grows: {why}; {words}" for why in whys]


def _message(made: Made, variants: list[str]) -> str:
    """What is said of a channel that grows: names give way first."""
    if made.pair:
        variants = [
            words.replace("put", "send").replace("QueueFull", "WouldBlock")
            for words in variants
        ]
    last = made.name.rsplit(".", 1)[-1]
    texts = [f"{name} {words}" for words in variants for name in (made.name, last)]
    return shorten("{name}", *texts, f"it {variants[-1]}")


def _worst(
    growth: Growth, first: Shown, shown: list[Shown], ends: list[Use]
) -> tuple[str, str]:
    """The section, and what to do, for the worst that a bound could bring."""
    traffic, objects = growth.traffic, growth.objects
    puts = [evidence.use for evidence in shown]
    line = first.use.line
    locked = next(filter(None, (_locked(growth, put) for put in puts)), None)
    if locked is not None:
        lock, get = locked
        return "lag101-lock", (
            f"bound it, with put() outside {lock}, which line {get} takes too"
        )
    back = next(
        (
            use
            for use in traffic.puts
            if use.function in traffic.takers
            and not growth.is_end(use)
            and (use.call in objects.walk.awaited or use.name in PUT_NOW)
            and getattr(use.call, "func", None) is use.node
        ),
        None,
    )
    if back is not None:
        return "lag101-back", (
            f"line {back.line} takes and puts, so must not wait: hold line {line} back"
        )
    if traffic.gets and all(map(growth.is_batched, traffic.gets)):
        return "lag101-batch", (
            f"line {traffic.gets[0].line} takes in batches: no put() may wait; "
            "drop or flush at a size"
        )
    never = f", never the end (line {ends[0].line})" if ends else ""
    full = next(filter(None, (growth.handler(put, "Full") for put in puts)), None)
    if full is not None:
        return "lag101-callback", (
            f"bound it: QueueFull, handled in line {full.lineno}, needs a bound"
        )
    if first.why == "thread":
        joined = _joined(objects)
        if joined is not None:
            return "lag101-thread", (
                f"bound it, drop on the loop{never}; line {joined} joins it: no "
                ".result()"
            )
        return "lag101-thread", f"bound it, and drop or refuse on the loop{never}"
    if any(map(growth.is_one_of, puts)):
        return "lag101-fanout", (
            f"bound each; when one is full drop the item or its reader{never}"
        )
    late = next((use for use in traffic.puts if _is_final(objects, use)), None)
    if late is not None and first.use.name in PUT:
        return "lag101-finally", (
            f"bound it, and put in line {late.line} outside finally: it may wait "
            "for ever"
        )
    if first.use.name in PUT and first.why != "callback":
        return "lag101-await", "bound it, and let put() wait, or drop or refuse"
    if first.why in ("loop", "flood", "stream") and isinstance(
        first.use.function, ast.AsyncFunctionDef
    ):
        return (
            "lag101-await",
            f"bound it, and await put(), or drop or refuse{never}",
        )
    return "lag101-callback", f"bound it, and drop or refuse on QueueFull{never}"


def _locked(growth: Growth, use: Use) -> tuple[str, int] | None:
    """A lock around a put that is around a get, too: its name, and that line."""
    held = _locks(growth.objects, use.node) if use.name in PUT else {}
    for get in growth.traffic.gets if held else ():
        mine = [(get.line, key) for key in _locks(growth.objects, get.node)]
        # Who has taken an item and then needs the lock stops as well.
        after = own(get.function) if get.function is not None else ()
        mine += [(line, key) for line, key, _ in _entered(growth.objects, after)]
        for line, key in mine:
            if key in held:
                return held[key], line
    return None


def _entered(
    objects: Objects, nodes: Iterable[ast.AST]
) -> Iterator[tuple[int, Key, str]]:
    """What ``with`` statements hold: the line, where it is kept, and its name."""
    for node in nodes:
        if isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                key = objects.key(item.context_expr)
                if key is not None:
                    yield node.lineno, key, name_of(item.context_expr)


def _locks(objects: Objects, node: ast.AST, depth: int = 3) -> dict[Key, str]:
    """The locks that are held at a place, here or by who calls."""
    around = [
        parent
        for parent, child in objects.around(node)
        if not isinstance(child, ast.withitem)
    ]
    locks = {key: name for _, key, name in _entered(objects, around)}
    function = objects.function(node)
    if function is not None and depth:
        for entry in objects.entries.get(function, [])[:_MOST]:
            if entry.how == "call":
                locks |= _locks(objects, entry.node, depth - 1)
    return locks


def _joined(objects: Objects) -> int | None:
    """Where a thread is waited for in a function that runs on the loop."""
    for node in objects.nodes:
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("join", "shutdown")
            and any(map(objects.is_thread, objects.kinds(node.func.value)))
            and objects.function(node) not in objects.threads
            and all(keyword.arg != "wait" for keyword in node.keywords)
        ):
            return node.lineno
    return None


def _is_final(objects: Objects, use: Use) -> bool:
    """Whether a put that waits is in a ``finally``."""
    return use.name in PUT and any(
        isinstance(parent, ast.Try | ast.TryStar) and child in parent.finalbody
        for parent, child in objects.around(use.node)
    )


_WHY = {
    "thread": "a thread puts (line {put})",
    "callback": "a callback puts (line {put})",
    "callers": "callers put (line {put})",
    "stream": "'async for' puts (line {put})",
    "loop": "the loop in line {line} puts and is never held back",
    "flood": "the loop in line {line} puts and is never held back",
}
