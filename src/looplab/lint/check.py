"""All rules, applied to the syntax tree of a file."""

from __future__ import annotations

import ast
import unicodedata
from collections.abc import Sequence

from .file import File
from .findings import Finding
from .libraries import LIBRARIES
from .rules import MODULES
from .walk import Walk


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
    if not walk.libraries:
        return []
    file = File(tree, walk)
    findings = {}
    for module in MODULES:
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
