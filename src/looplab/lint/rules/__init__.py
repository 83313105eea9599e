"""The rules: each is a module with a ``RULE``, and a ``check`` that reports places."""

from __future__ import annotations

import ast
import unicodedata
from collections.abc import Mapping, Sequence
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType

from ..file import File
from ..findings import Finding, Rule
from ..libraries import LIBRARIES
from ..walk import Walk

__all__ = ["RULES", "check_tree"]


_MODULES = [import_module(f".{each.name}", __name__) for each in iter_modules(__path__)]

#: All rules, by code.
RULES: Mapping[str, Rule] = MappingProxyType(
    {module.RULE.code: module.RULE for module in _MODULES}
)


def check_tree(tree: ast.Module, lines: Sequence[str]) -> list[Finding]:
    """All findings of all rules in a syntax tree, sorted; no comment is looked at.

    Args:
        tree: what ``ast.parse`` returned.
        lines: the lines of the same source, with their ends.

    Returns:
        The findings of every rule, also of those that are off by default.
    """
    text = "".join(lines)
    # Python reads a name that is written in other letters of the same form, too.
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    if not any(name in plain for name in LIBRARIES):
        return []  # most files, and they need no walk
    walk = Walk(tree)
    if walk.imported.isdisjoint(LIBRARIES):
        return []
    file = File(tree, walk)
    findings = {}
    for module in _MODULES:
        code = module.RULE.code
        for report in module.check(file):
            row, offset = report.node.lineno, report.node.col_offset
            line = lines[row - 1].removeprefix("\ufeff") if row <= len(lines) else ""
            column = len(line.encode()[:offset].decode()) + 1
            section = report.section or code.lower()
            findings[row, column, code] = Finding(
                row, column, code, report.message, section
            )
    return sorted(findings.values())
