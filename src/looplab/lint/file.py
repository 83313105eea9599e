"""What the rules ask of one file: its objects, its channels, and its sleeps."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from .channels import Channels, Made
from .objects import Body, Key, Objects, Use
from .scopes import Scope
from .sleeps import Sleeps
from .walk import Walk

PUT = frozenset(("put", "send"))
PUT_NOW = frozenset(("put_nowait", "send_nowait"))
_GET = frozenset(("get", "receive", "__anext__", "get_nowait", "receive_nowait"))


@dataclass(slots=True, eq=False)
class Traffic:
    """All that a file does with one channel without a bound."""

    uses: list[Use]
    keys: set[Key]
    #: Whether it is kept for longer than a function runs.
    outlives: bool
    puts: list[Use] = field(init=False)
    gets: list[Use] = field(init=False)

    def __post_init__(self) -> None:
        self.puts = [use for use in self.uses if use.name in PUT | PUT_NOW]
        self.gets = [
            use for use in self.uses
            if use.name in _GET
            and not (use.call and use.call.func is use.node and use.call.args)
        ]  # fmt: skip

    @property
    def takers(self) -> set[Body | None]:
        """The functions that take."""
        return {use.function for use in self.gets}


class File:
    """What the rules know of a file."""

    def __init__(self, tree: ast.Module, walk: Walk) -> None:
        self.walk = walk
        self.channels = Channels(walk)
        self.objects = Objects(tree, walk, self.channels)

    @cached_property
    def traffic(self) -> dict[Made, Traffic]:
        """What is done with each channel without a bound, by what makes it."""
        places = {
            made: frozenset(self._kept(made)) or self.objects.placed.get(made.node, [])
            for made in self.channels.made
        }
        shared = {keys: self._traffic(keys) for keys in map(frozenset, places.values())}
        return {made: shared[frozenset(keys)] for made, keys in places.items()}

    @cached_property
    def bounds(self) -> dict[ast.AST, bool]:
        """For each attribute that is asked of a channel whether that has a bound."""
        bounds: dict[ast.AST, bool] = {}
        for keys in {frozenset(self._kept(made)) for made in self.channels.bounded}:
            bounds.update((use.node, True) for use in self.objects.reach(keys)[0])
        for traffic in self.traffic.values():
            bounds.update((use.node, False) for use in traffic.uses)
        return bounds

    @cached_property
    def sleeps(self) -> Sleeps:
        """Its short sleeps."""
        return Sleeps(self.objects)

    def _traffic(self, keys: Iterable[Key]) -> Traffic:
        uses, reached = self.objects.reach(keys)
        outlives = any(
            not isinstance(where, Scope) or where.kind != "function"
            for where, _ in reached
        )
        return Traffic(uses, reached, outlives)

    def _kept(self, made: Made) -> Iterator[Key]:
        """Where a channel is kept as soon as it is made."""
        objects = self.objects
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
            elif isinstance(node, ast.keyword) and node.arg not in (
                None, "default_factory", "factory"
            ):  # fmt: skip
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
