"""The rules as a plugin of flake8, which finds it by its entry point.

flake8 reads the file, parses it, and looks at ``# noqa``, ``select``, ``ignore`` and
``per-file-ignores``.  Its settings ``lag-include-tests``, ``lag-exempt`` and
``lag-extend-exempt`` are ours.  LAG202 is off unless ``select`` or ``extend-select``
names it in full.

flake8 itself is not imported here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .check import check_tree
from .findings import RULES
from .paths import EXEMPT, Patterns, project_root

__all__ = ["LatencyPlugin"]


class LatencyPlugin:
    """What flake8 makes for each file (chapter 5).

    Args:
        tree: the file's syntax tree.
        lines: its lines.
        filename: its path as flake8 was given it.
    """

    name = "looplab"
    _exempt = Patterns((), Path())
    _codes = frozenset(rule.code for rule in RULES.values() if rule.default)

    def __init__(self, tree: ast.Module, lines: Sequence[str], filename: str) -> None:
        self._tree = tree
        self._lines = lines
        self._filename = filename

    @staticmethod
    def add_options(manager: Any) -> None:
        """Add our settings to flake8's own."""
        manager.add_option(
            "--lag-include-tests",
            action="store_true",
            default=False,
            parse_from_config=True,
            help="LAG rules: check tests too; nothing is exempt",
        )
        manager.add_option(
            "--lag-exempt",
            metavar="patterns",
            default=",".join(EXEMPT),
            comma_separated_list=True,
            parse_from_config=True,
            help=f"LAG rules: the files that are exempt (default: {','.join(EXEMPT)})",
        )
        manager.add_option(
            "--lag-extend-exempt",
            metavar="patterns",
            default="",
            comma_separated_list=True,
            parse_from_config=True,
            help="LAG rules: more files that are exempt",
        )

    @classmethod
    def parse_options(cls, options: Any) -> None:
        """Take our settings from those that flake8 has read."""
        patterns: tuple[str, ...] = ()
        if not options.lag_include_tests:
            patterns = (*options.lag_exempt, *options.lag_extend_exempt)
        cls._exempt = Patterns(patterns, project_root())
        asked = {*(options.select or ()), *(options.extend_select or ())}
        cls._codes = frozenset(
            rule.code for rule in RULES.values() if rule.default or rule.code in asked
        )

    def run(self) -> Iterator[tuple[int, int, str, type[LatencyPlugin]]]:
        """Give flake8 the findings; it drops those that a comment silences."""
        if self._exempt.match(self._filename):
            return
        for finding in check_tree(self._tree, self._lines):
            if finding.code in self._codes:
                text = f"{finding.code} {finding.message} [{finding.section}]"
                yield finding.line, finding.column - 1, text, type(self)
