"""The rules: each is a module with a ``RULE``, and a ``check`` that reports places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Protocol

from ..file import File
from ..findings import Report, Rule
from . import (
    lag100,
    lag101,
    lag201,
    lag202,
    lag203,
    lag204,
    lag205,
    lag301,
    lag302,
    lag303,
)

__all__ = ["MODULES", "RULES"]


class Module(Protocol):
    """What the module of a rule has."""

    RULE: Rule

    def check(self, file: File) -> Iterator[Report]:
        """All that the rule says of a file."""
        raise NotImplementedError


MODULES: tuple[Module, ...] = (
    lag100, lag101, lag201, lag202, lag203, lag204, lag205, lag301, lag302, lag303,
)  # fmt: skip

#: All rules, by code.
RULES: Mapping[str, Rule] = MappingProxyType(
    {module.RULE.code: module.RULE for module in MODULES}
)
