"""What a rule is, and what a finding is."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

__all__ = ["LONGEST", "RULES", "Finding", "Report", "Rule", "shorten"]

#: The most characters that a message has.
LONGEST = 120


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule (chapter 5).

    Args:
        code: what a finding is called, for example ``LAG101``.
        name: the rule in a few words.
        default: whether the rule is on unless it is asked for.
    """

    code: str
    name: str
    default: bool = True


#: All rules, by code.
RULES: Mapping[str, Rule] = MappingProxyType(
    {
        rule.code: rule
        for rule in (
            Rule("LAG100", "channel without a bound", default=False),
            Rule("LAG101", "channel that grows"),
            Rule("LAG201", "polling with sleep(0)"),
            Rule("LAG202", "any other sleep(0)", default=False),
            Rule("LAG203", "polling with a short delay"),
            Rule("LAG204", "sleep(0) after what it does not hold back"),
            Rule("LAG205", "sleep(0) that hopes for one iteration"),
            Rule("LAG301", "task for each item, held by a semaphore"),
            Rule("LAG302", "lock of threads held across an await"),
            Rule("LAG303", "object of a loop touched off it"),
        )
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """What a rule says of a place: a finding without its line."""

    node: ast.expr
    code: str
    section: str
    message: str


@dataclass(frozen=True, order=True, slots=True)
class Finding:
    """One place in a source that a rule objects to (chapter 5).

    Findings sort by line, then column.
    """

    #: From 1.
    line: int
    #: From 1, in characters.
    column: int
    #: The rule's code.
    code: str
    #: What is wrong and what to do, in at most 120 characters.
    message: str
    #: The place in the book, as in ``lint_rules.html#lag101-callback``.
    section: str

    @property
    def text(self) -> str:
        """The message, and where the book explains it."""
        return f"{self.message} [lint_rules.html#{self.section}]"

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.code} {self.text}"


def shorten(template: str, *names: str) -> str:
    """The template with the first of some names with which it is short enough."""
    text = ""
    for name in names:
        text = template.replace("{name}", name)
        if len(text) <= LONGEST:
            return text
    return text[: LONGEST - 3] + "..."
