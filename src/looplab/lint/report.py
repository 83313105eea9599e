"""What a run found, and how it is written: text, JSON, GitHub's lines, SARIF."""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from .explain import about
from .findings import RULES, Finding
from .paths import NotCheckedError

__all__ = ["CLEAN", "FINDINGS", "FORMATS", "TROUBLE", "Report", "place"]

#: The exit statuses.
CLEAN, FINDINGS, TROUBLE = 0, 1, 2


@dataclass(slots=True)
class Report:
    """What a run found, in the order in which it was found."""

    findings: list[tuple[str, Finding]] = field(default_factory=list)
    errors: list[tuple[str, NotCheckedError]] = field(default_factory=list)
    #: What was passed over with a note: the path and why.
    skipped: list[tuple[str, str]] = field(default_factory=list)
    checked: int = 0
    exempt: int = 0
    #: How many findings a baseline knows.
    known: int = 0

    @property
    def status(self) -> int:
        """The exit status."""
        if self.errors:
            return TROUBLE
        return FINDINGS if self.findings else CLEAN

    @property
    def unparsed(self) -> int:
        """How many files hold syntax that this Python does not have."""
        return len({path for path, error in self.errors if error.syntax})

    def summary(self) -> str:
        """The counts in words."""
        words = [f"{_count(self.checked, 'file')} checked"]
        words.append(_count(len(self.findings), "finding"))
        if self.known:
            words.append(f"{self.known} known from the baseline")
        if self.errors:
            words.append(f"{len(self.errors)} not checked")
        if self.unparsed:
            files = _count(self.unparsed, "file")
            words.append(f"{files} that {_python()} cannot parse")
        if self.skipped:
            words.append(f"{len(self.skipped)} skipped for their size")
        if self.exempt:
            words.append(f"{self.exempt} exempt as tests (--include-tests checks them)")
        return ", ".join(words)

    def statistics(self) -> list[str]:
        """One line for each rule that found something."""
        counted = Counter(finding.code for _, finding in self.findings)
        width = len(f"{max(counted.values(), default=0):,}")
        return [
            f"{counted[code]:>{width},}  {code}  {RULES[code].name}"
            for code in sorted(counted)
        ]


def place(path: str, finding: Finding) -> str:
    """Where a finding is, on one line."""
    cell = f"cell {finding.cell}:" if finding.cell else ""
    return f"{one_line(path)}:{cell}{finding.line}:{finding.column}"


def one_line(path: str) -> str:
    """A path on one line."""
    if "\n" not in path and "\r" not in path:
        return path
    return path.replace("\n", "\\n").replace("\r", "\\r")


def as_json(report: Report) -> str:
    """The documented shape; see the page of the rules."""
    return _written(
        {
            "version": 1,
            "findings": [
                {
                    "path": path,
                    "cell": finding.cell or None,
                    "line": finding.line,
                    "column": finding.column,
                    "end_line": finding.end_line,
                    "end_column": finding.end_column,
                    "code": finding.code,
                    "severity": finding.severity,
                    "message": finding.message,
                    "section": finding.section,
                }
                for path, finding in report.findings
            ],
            "errors": [
                {
                    "path": path,
                    "cell": error.cell,
                    "line": error.line,
                    "column": error.column,
                    "message": error.message,
                }
                for path, error in report.errors
            ],
            "skipped": [{"path": path, "why": why} for path, why in report.skipped],
            "summary": {
                "checked": report.checked,
                "exempt": report.exempt,
                "findings": len(report.findings),
                "known": report.known,
                "errors": len(report.errors),
                "unparsed": report.unparsed,
                "skipped": len(report.skipped),
                "by_code": dict(
                    sorted(Counter(one.code for _, one in report.findings).items())
                ),
            },
        }
    )


def as_github(report: Report) -> str:
    """Workflow commands: GitHub shows each beside its line."""
    return "\n".join(_github(report))


def _github(report: Report) -> Iterator[str]:
    for path, one in report.findings:
        level = "notice" if one.severity == "note" else one.severity
        where = {"file": path}
        if one.cell:  # GitHub shows a notebook as its JSON, which has other lines
            where["title"] = f"{one.code} {one.section}, cell {one.cell}"
        else:
            where |= {
                "line": str(one.line),
                "endLine": str(one.end_line),
                "col": str(one.column),
                "endColumn": str(one.end_column),
                "title": f"{one.code} {one.section}",
            }
        yield _command(level, where, f"{one.code} {one.message}")
    for path, error in report.errors:
        where = {"file": path, "line": str(error.line or 1), "title": "not checked"}
        yield _command("error", where, error.message)


def _command(level: str, where: Mapping[str, str], message: str) -> str:
    def escaped(text: str, more: str = "") -> str:
        for one in "%\r\n" + more:
            text = text.replace(one, f"%{ord(one):02X}")
        return text

    words = ",".join(f"{key}={escaped(value, ':,')}" for key, value in where.items())
    return f"::{level} {words}::{escaped(message)}"


def as_sarif(report: Report) -> str:
    """A log of the format SARIF 2.1.0 (OASIS)."""
    codes = list(RULES)
    return _written(
        {
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [
                {
                    "tool": {"driver": _driver()},
                    "columnKind": "unicodeCodePoints",
                    "invocations": [
                        {
                            "executionSuccessful": not report.errors,
                            "toolExecutionNotifications": [
                                {
                                    "level": "error",
                                    "message": {"text": error.message},
                                    "locations": [
                                        _location(path, {"startLine": error.line or 1})
                                    ],
                                }
                                for path, error in report.errors
                            ],
                        }
                    ],
                    "results": [
                        _result(path, finding, codes.index(finding.code))
                        for path, finding in report.findings
                    ],
                }
            ],
        }
    )


def _driver() -> dict[str, Any]:
    driver: dict[str, Any] = {
        "name": "looplab lint",
        "rules": [
            {
                "id": rule.code,
                "shortDescription": {"text": rule.name},
                "help": {"text": about(rule.code)},
                "defaultConfiguration": {
                    "level": rule.severity,
                    "enabled": rule.default,
                },
            }
            for rule in RULES.values()
        ],
    }
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        driver["version"] = importlib.metadata.version("looplab")
    return driver


def _result(path: str, finding: Finding, index: int) -> dict[str, Any]:
    region = {
        "startLine": finding.line,
        "startColumn": finding.column,
        "endLine": finding.end_line,
        "endColumn": finding.end_column,
    }
    result = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": finding.severity,
        "message": {"text": finding.message},
        "locations": [_location(path, region if not finding.cell else {})],
        "properties": {"section": finding.section},
    }
    if finding.cell:
        result["properties"] = {"section": finding.section, "cell": finding.cell}
    return result


def _location(path: str, region: Mapping[str, int]) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(path)}}
    if region:
        physical["region"] = dict(region)
    return {"physicalLocation": physical}


def _uri(path: str) -> str:
    """A path as a reference that a reader resolves against the project's folder."""
    data = path.replace("\\", "/") if sys.platform == "win32" else path
    return quote(data.encode(errors="surrogateescape"))


def _written(data: Mapping[str, Any]) -> str:
    return json.dumps(data, indent=2)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _python() -> str:
    return "Python {}.{}".format(*sys.version_info)


#: How a report is written that is not written finding by finding.
FORMATS: Mapping[str, Callable[[Report], str]] = {
    "json": as_json,
    "github": as_github,
    "sarif": as_sarif,
}
