"""What the rules ask of one file: its objects, its channels, and its sleeps."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cached_property

from .channels import Channels, Made
from .names import Scope
from .objects import Key, Objects
from .sleeps import Sleeps
from .walk import Walk

PUT = frozenset(("put", "send"))
PUT_NOW = frozenset(("put_nowait", "send_nowait"))
_GET = frozenset(("get", "receive", "__anext__", "get_nowait", "receive_nowait"))


class Traffic:
    """All that a file does with one channel without a bound."""

    def __init__(self, objects: Objects, keys: Iterable[Key]) -> None:
        self.uses, self.keys = objects.reach(keys)
        #: Whether it is kept for longer than a function runs.
        self.outlives = any(
            not isinstance(where, Scope) or where.kind != "function"
            for where, _ in self.keys
        )
        self.puts = [use for use in self.uses if use.name in PUT | PUT_NOW]
        self.gets = [
            use for use in self.uses
            if use.name in _GET
            and not (use.call and use.call.func is use.node and use.call.args)
        ]  # fmt: skip
        #: The functions that take.
        self.takers = {use.function for use in self.gets}


class File:
    """What the rules know of a file."""

    def __init__(self, tree: ast.Module, walk: Walk) -> None:
        self.channels = Channels(walk)
        self.objects = Objects(tree, walk, self.channels)

    @cached_property
    def traffic(self) -> dict[Made, Traffic]:
        """What is done with each channel without a bound, by what makes it."""
        places = {made: self._places(made) for made in self.channels.made}
        shared = {keys: Traffic(self.objects, keys) for keys in set(places.values())}
        return {made: shared[keys] for made, keys in places.items()}

    @cached_property
    def bounds(self) -> dict[ast.AST, bool]:
        """For each attribute that is asked of a channel whether that has a bound."""
        bounds: dict[ast.AST, bool] = {}
        for keys in set(map(self._places, self.channels.bounded)):
            bounds.update((use.node, True) for use in self.objects.reach(keys)[0])
        for traffic in self.traffic.values():
            bounds.update((use.node, False) for use in traffic.uses)
        return bounds

    @cached_property
    def sleeps(self) -> Sleeps:
        """Its short sleeps."""
        return Sleeps(self.objects)

    def _places(self, made: Made) -> frozenset[Key]:
        """Where a channel is kept as soon as it is made."""
        return frozenset(self.objects.placed.get(made.node, ()))
