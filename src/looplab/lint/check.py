"""All rules, applied to the syntax tree of a file."""

from __future__ import annotations

import ast
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from .channels import Channels, Made
from .findings import LONGEST, RULES, Finding, Severity
from .growth import Verdict, judge
from .libraries import LIBRARIES
from .order import Order
from .polling import Polling
from .tasks import held_locks, storms
from .threads import Threads
from .traffic import Key
from .uses import Uses
from .walk import Walk

__all__ = ["check_tree"]

# So many channels of one variable are looked at one by one.
_SEVERAL = 20
# So many channels of a file are followed to a sleep(0).
_MOST = 100
# What overrides these keeps its items in a place of its own.
_STORES = frozenset(("_init", "_put", "put_nowait", "put", "full"))


def check_tree(tree: ast.Module, lines: Sequence[str]) -> list[Finding]:
    """All findings of all rules in a syntax tree, sorted; no comment is looked at.

    Args:
        tree: what ``ast.parse`` returned.
        lines: the lines of the same source, with their ends.

    Returns:
        The findings of every rule, also of those that are off by default.
    """
    if not mentions_libraries(lines):
        return []
    walk = Walk(tree)
    if not walk.libraries:
        return []
    return sorted(_Check(tree, walk, lines).findings())


def mentions_libraries(lines: Iterable[str]) -> bool:
    """Whether a file can import one of the libraries: most cannot, and need no walk."""
    text = "".join(lines)
    if any(name in text for name in LIBRARIES):
        return True
    if text.isascii():
        return False
    # Python reads a name that is written in other letters of the same form, too.
    plain = unicodedata.normalize("NFKC", text)
    return any(name in plain for name in LIBRARIES)


class _Check:
    """The findings of one file."""

    def __init__(self, tree: ast.Module, walk: Walk, lines: Sequence[str]) -> None:
        self._tree = tree
        self._walk = walk
        self._lines = lines
        self._channels = Channels(walk)
        self._known: Uses | None = None
        self._ordered: Order | None = None
        self._bound: Mapping[ast.AST, bool] | None = None
        self._looked: Counter[frozenset[Key]] = Counter()
        self._verdicts: dict[frozenset[Key], Verdict] = {}

    @property
    def _uses(self) -> Uses:
        """Who uses which channel; few files have any, so few need to know."""
        if self._known is None:
            self._known = Uses(self._tree, self._walk, self._channels)
        return self._known

    @property
    def _order(self) -> Order:
        """Who calls whom, and what comes first."""
        if self._ordered is None:
            self._ordered = Order(self._uses)
        return self._ordered

    def _bounds(self) -> Mapping[ast.AST, bool]:
        """Whether what is used at each place has a bound; one without is enough."""
        if self._bound is None:
            bound: dict[ast.AST, bool] = {}
            for made, has in [
                *((one, True) for one in self._channels.bounded[:_MOST]),
                *((one, False) for one in self._channels.made[:_MOST]),
            ]:
                if made.how != "class":
                    traffic = self._uses.traffic(self._kept(made), made.node)
                    bound.update((use.node, has) for use in traffic.uses)
            self._bound = bound
        return self._bound

    def findings(self) -> Iterator[Finding]:
        """All of them, in no order."""
        for made in self._channels.made:
            verdict = self._verdict(made)
            yield self._finding(
                made.node, verdict.code, verdict.section, verdict.severity,
                _message(made, verdict),
            )  # fmt: skip
        threads = Threads(self._walk, self._channels, self._tree)
        polling = Polling(self._walk, self._channels, self._bounds, threads.changes)
        for call, code, message, section in polling.found():
            yield self._finding(call, code, section, RULES[code].severity, message)
        for node, message in storms(self._walk, self._tree):
            yield self._finding(node, "LAG301", "lag301", "warning", message)
        for node, message in held_locks(self._walk, self._channels, self._tree):
            yield self._finding(node, "LAG302", "lag302", "error", message)
        for node, message in threads.events():
            yield self._finding(node, "LAG303", "lag303", "error", message)

    def _finding(
        self, node: ast.expr, code: str, section: str, severity: Severity, message: str
    ) -> Finding:
        end_line = node.end_lineno or node.lineno
        return Finding(
            node.lineno,
            _column(node.lineno, node.col_offset, self._lines),
            code,
            message,
            section,
            severity,
            end_line,
            _column(end_line, node.end_col_offset or 0, self._lines),
        )

    # LAG101 and LAG102

    def _verdict(self, made: Made) -> Verdict:
        if made.how == "class":
            if made.owner is not None and _STORES & {
                getattr(node, "name", "") for node in made.owner.node.body
            }:
                return Verdict(
                    "lag102-storage",
                    "note",
                    "may need no bound: its class says how it keeps items",
                    "LAG102",
                )
            return Verdict(
                "lag101-class",
                "warning",
                "makes each object without a bound: take a {name} and pass it on",
            )
        uses = self._uses
        kept, inside = self._kept(made), self._inside(made)
        same = frozenset(kept)
        # In a variable it may be one of several, and each is looked at; but who writes
        # hundreds of them into one is a program, and they are all alike.
        self._looked[same] += 1
        several = inside is not None and self._looked[same] < _SEVERAL
        if several or same not in self._verdicts:
            traffic = uses.traffic(kept, made.node)
            self._verdicts[same] = judge(traffic, uses, self._order, inside)
        return self._verdicts[same]

    def _inside(self, made: Made) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The function that makes a channel for a variable of its own."""
        function = self._uses.function(made.node)
        local = (
            any(key[0] is self._walk.scopes.get(function) for key in self._kept(made))
            if function is not None
            else False
        )
        return function if local and not isinstance(function, ast.Lambda) else None

    def _kept(self, made: Made) -> list[Key]:
        """Where a channel is kept as soon as it is made."""
        uses = self._uses
        node: ast.AST | None = made.node
        while node is not None and not isinstance(node, ast.stmt):
            if isinstance(node, ast.NamedExpr):
                return self._targets([node.target], made)
            if (
                isinstance(node, ast.Call)
                and node is not made.node
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in ("setdefault", "append", "add")
            ):
                key = uses.key(node.func.value)
                return [key] if key is not None else []
            if isinstance(node, ast.keyword) and made.how == "call" and node.arg:
                return [(None, node.arg)]
            node = uses.parents.get(node)
        if isinstance(node, ast.Assign):
            return self._targets(node.targets, made)
        if isinstance(node, ast.AnnAssign):
            return self._targets([node.target], made)
        return []

    def _targets(self, targets: Sequence[ast.expr], made: Made) -> list[Key]:
        uses = self._uses
        found = []
        for target in targets:
            elements = target.elts if isinstance(target, ast.Tuple) else [target]
            value = getattr(uses.parents.get(target), "value", None)
            if (
                isinstance(value, ast.Tuple)
                and len(value.elts) == len(elements)
                and made.node in value.elts
            ):
                elements = [elements[value.elts.index(made.node)]]
            for element in elements:
                key = uses.key(element)
                owner = uses.owner(element)
                if key is not None and isinstance(element, ast.Name):
                    scope = uses.scope(element)
                    if scope.kind == "class" and owner is not None:
                        key = (owner, element.id)  # an attribute of its objects
                        uses.know(key)
                if key is not None:
                    found.append(key)
        return found


def _message(made: Made, verdict: Verdict) -> str:
    """What is said of a channel, in at most 120 characters: names give way first."""
    words = verdict.words
    if made.pair:
        words = words.replace("put", "send").replace("QueueFull", "WouldBlock")
        words = words.replace("qsize()", "statistics()")
    last = made.name.rsplit(".", 1)[-1]
    text = ""
    for name, called in (
        (made.name, made.name), (last, made.name), (last, last), ("it", last),
        ("it", "..."),
    ):  # fmt: skip
        text = f"{name} " + words.format(
            bound=_bound(made, called, 1000 if made.ordered else 1),
            many=_bound(made, called, 1000), name=made.bound,
        )  # fmt: skip
        if len(text) <= LONGEST:
            return text
    return text[: LONGEST - 3] + "..."


def _bound(made: Made, called: str, number: int) -> str:
    """How to give the channel a bound, in words."""
    bound = f"{made.bound}={number}"
    if made.pair:
        return f"pass {number}"
    if made.how == "factory":
        return f"write lambda: {called}({bound})"
    return f"add {bound}" if made.how == "partial" else f"pass {bound}"


def _column(line: int, offset: int, lines: Sequence[str]) -> int:
    """The column in characters, from 1; the tree counts bytes from 0."""
    text = lines[line - 1] if line <= len(lines) else ""
    if not text.isascii():
        offset = len(text.encode()[:offset].decode(errors="replace"))
    return offset + 1
