"""All rules, applied to the syntax tree of a file."""

from __future__ import annotations

import ast
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from .channels import Channels, Made
from .findings import Finding, Report, shorten
from .growth import Growth, Traffic
from .libraries import LIBRARIES
from .objects import Key, Objects
from .polling import polls
from .scopes import Scope
from .tasks import held_locks, storms
from .threads import off_loop
from .walk import Walk

__all__ = ["check_tree"]


def check_tree(tree: ast.Module, lines: Sequence[str]) -> list[Finding]:
    """All findings of all rules in a syntax tree, sorted; no comment is looked at.

    Args:
        tree: what ``ast.parse`` returned.
        lines: the lines of the same source, with their ends.

    Returns:
        The findings of every rule, also of those that are off by default.
    """
    if not _mentions_libraries(lines):
        return []
    walk = Walk(tree)
    if not walk.libraries:
        return []
    findings = {}
    for report in _reports(tree, walk):
        node = report.node
        column = len(_line(lines, node.lineno).encode()[: node.col_offset].decode())
        place = (node.lineno, column + 1, report.code)
        findings[place] = Finding(*place, report.message, report.section)
    return sorted(findings.values())


def _line(lines: Sequence[str], number: int) -> str:
    return lines[number - 1].removeprefix("\ufeff") if number <= len(lines) else ""


def _mentions_libraries(lines: Iterable[str]) -> bool:
    """Whether a file can import one of the libraries: most cannot, and need no walk."""
    text = "".join(lines)
    if any(name in text for name in LIBRARIES):
        return True
    if text.isascii():
        return False
    # Python reads a name that is written in other letters of the same form, too.
    plain = unicodedata.normalize("NFKC", text)
    return any(name in plain for name in LIBRARIES)


def _reports(tree: ast.Module, walk: Walk) -> Iterator[Report]:
    names = Channels(walk)
    objects = Objects(tree, walk, names)
    kept = {
        made: list(_kept(made, objects)) or objects.placed.get(made.node, [])
        for made in names.made
    }
    by_keys = {keys: _traffic(keys, objects) for keys in map(frozenset, kept.values())}
    traffics = {made: by_keys[frozenset(keys)] for made, keys in kept.items()}
    bounds: dict[ast.AST, bool] = {}
    bounded = {frozenset(_kept(made, objects)) for made in names.bounded}
    for keys in bounded:
        bounds.update((use.node, True) for use in objects.reach(keys)[0])
    for traffic in by_keys.values():
        bounds.update((use.node, False) for use in traffic.uses)
    free = {node for node, bound in bounds.items() if not bound}
    judged: dict[frozenset[Key], tuple[str, list[str]] | None] = {}
    for made, traffic in traffics.items():
        yield Report(made.node, "LAG100", "lag100", _without_bound(made))
        same = frozenset(kept[made])
        if same not in judged:
            judged[same] = Growth(objects, traffic, free).advice()
        advice = judged[same]
        if advice is not None:
            yield Report(made.node, "LAG101", advice[0], _message(made, advice[1]))
    yield from polls(objects, bounds)
    yield from storms(objects)
    yield from held_locks(objects)
    yield from off_loop(objects)


def _traffic(keys: Iterable[Key], objects: Objects) -> Traffic:
    uses, reached = objects.reach(keys)
    outlives = any(
        not isinstance(where, Scope) or where.kind != "function" for where, _ in reached
    )
    return Traffic(uses, reached, outlives)


def _kept(made: Made, objects: Objects) -> Iterator[Key]:
    """Where a channel is kept as soon as it is made."""
    if made.how == "class":
        return
    node: ast.AST | None = made.node
    while node is not None and not isinstance(node, ast.stmt):
        key = None
        if isinstance(node, ast.NamedExpr):
            key = objects.key(node.target)
        elif (
            isinstance(node, ast.Call)
            and node is not made.node
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("setdefault", "append", "add")
        ):
            key = objects.key(node.func.value)
        elif isinstance(node, ast.keyword) and made.how == "call" and node.arg:
            call = objects.parents.get(node)
            owner = objects.receiver(call) if isinstance(call, ast.Call) else None
            key = (owner, node.arg)
        if key is not None:
            objects.know(key)
            yield key
            return
        node = objects.parents.get(node)
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign):
        targets = [node.target]
    for target in targets:
        elements = target.elts if isinstance(target, ast.Tuple) else [target]
        value = getattr(node, "value", None)
        if (
            isinstance(value, ast.Tuple)
            and len(value.elts) == len(elements)
            and made.node in value.elts
        ):
            elements = [elements[value.elts.index(made.node)]]
        for element in elements:
            key = objects.key(element)
            around = objects.parents.get(node) if node is not None else None
            if isinstance(element, ast.Name) and isinstance(around, ast.ClassDef):
                key = (around, element.id)  # an attribute of its objects
                objects.know(key)
            if key is not None:
                yield key


def _without_bound(made: Made) -> str:
    return shorten(
        f"{{name}} has no bound: pass {made.bound}, or say what limits it and who "
        "must notice when it is full",
        made.name, made.name.rsplit(".", 1)[-1], "it",
    )  # fmt: skip


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
