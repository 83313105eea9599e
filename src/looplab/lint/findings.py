"""What a rule is, and what a finding is."""

from __future__ import annotations

import ast
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """What a rule says of a place: a finding without its line."""

    node: ast.expr
    message: str  # what is wrong, and what to do
    section: str = ""  # of the page of the rules; none for the rule's own


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
