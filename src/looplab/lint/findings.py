"""What a rule is, and what a finding is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

__all__ = ["LONGEST", "RULES", "Finding", "Rule", "Severity"]

#: How much a finding matters.  It has no part in the exit status of the command.
Severity = Literal["error", "warning", "note"]

#: The most characters that a message has.
LONGEST = 120


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule (chapter 5).

    Args:
        code: what a finding is called, for example ``LAG101``.
        name: the rule in a few words.
        severity: how much its findings matter, at most.
        default: whether the rule is on unless it is asked for.
    """

    code: str
    name: str
    severity: Severity
    default: bool = True


#: All rules, by code.
RULES: Mapping[str, Rule] = MappingProxyType(
    {
        rule.code: rule
        for rule in (
            Rule("LAG101", "channel that can grow without limit", "error"),
            Rule("LAG102", "channel that another thing limits", "note", default=False),
            Rule("LAG201", "polling with sleep(0)", "warning"),
            Rule("LAG202", "any other sleep(0)", "note", default=False),
            Rule("LAG203", "polling with a short delay", "warning"),
            Rule("LAG204", "sleep(0) after a queue operation", "warning"),
            Rule("LAG301", "task for each item, held by a semaphore", "warning"),
            Rule("LAG302", "lock of threads held across an await", "error"),
            Rule("LAG303", "event of asyncio set in a thread", "error"),
        )
    }
)


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
    #: The section of the page of the rules, such as ``lag101-callback``.
    section: str = ""
    #: How much it matters; the rule's own severity is the most.
    severity: Severity = "warning"
    #: The last line, from 1.
    end_line: int = 0
    #: The column behind the last character, from 1.
    end_column: int = 0
    #: The cell of a notebook, from 1; 0 in a file.
    cell: int = 0

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.code} {self.message} [{self.section}]"
