"""The rules as a plugin of flake8, which finds it by its entry point.

flake8 finds and reads the files, knows the settings and the comments, and writes the
report.  Here is only what it cannot know: LAG100 and LAG202 are off unless ``select``
or ``extend-select`` names them in full, tests are exempt, and how to read a notebook.

flake8 itself is not imported here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from .findings import Finding
from .notebooks import check_notebook
from .rules import RULES, check_tree

__all__ = ["LatencyPlugin", "is_test"]


class LatencyPlugin:
    """What flake8 makes for each file (chapter 5).

    Args:
        tree: the file's syntax tree.
        lines: its lines.
        filename: its path as flake8 was given it.
    """

    name = "looplab"
    _with_tests = False
    _codes = frozenset(rule.code for rule in RULES.values() if rule.default)

    def __init__(self, tree: ast.Module, lines: Sequence[str], filename: str) -> None:
        self._tree = tree
        self._lines = lines
        self._filename = filename

    @staticmethod
    def add_options(manager: Any) -> None:
        """Add our setting to flake8's own."""
        manager.add_option(
            "--lag-include-tests",
            action="store_true",
            default=False,
            parse_from_config=True,
            help="LAG rules: check tests too",
        )

    @classmethod
    def parse_options(cls, options: Any) -> None:
        """Take our settings from those that flake8 has read."""
        cls._with_tests = options.lag_include_tests
        asked = {*(options.select or ()), *(options.extend_select or ())}
        cls._codes = frozenset(
            rule.code for rule in RULES.values() if rule.default or rule.code in asked
        )

    def run(self) -> Iterator[tuple[int, int, str, type[LatencyPlugin]]]:
        """Give flake8 the findings; it drops those that a comment silences."""
        if not self._with_tests and is_test(self._filename):
            return
        findings: Iterator[tuple[Finding, int, int, str]]
        if self._filename.endswith(".ipynb"):
            findings = check_notebook(self._tree)
        else:
            findings = (
                (finding, finding.line, finding.column - 1, finding.text)
                for finding in check_tree(self._tree, self._lines)
            )
        for finding, line, column, text in findings:
            if finding.code in self._codes or finding.code == "E999":
                yield line, column, f"{finding.code} {text}", type(self)


def is_test(filename: str) -> bool:
    """Whether a file is a test: tests end, and few of them hurt when they poll."""
    names = " ".join(PurePath(filename).with_suffix("").parts)
    folder = r"(tests?|testing|test_?(kit|client))( |$)"
    module = r"(conftest|test_\S*|\S*_test)$"
    return re.search(f"(^| )({folder}|{module})", names) is not None
