"""The command ``looplab lint``."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from . import check_lines, selected, split
from .paths import EXEMPT, NotCheckedError, Patterns, decode, expand, project_root, read
from .rules import RULES, Finding
from .settings import Settings, SettingsError, find, load

__all__ = ["CLEAN", "FINDINGS", "TROUBLE", "add_arguments", "run"]

#: The exit statuses.
CLEAN, FINDINGS, TROUBLE = 0, 1, 2

_STDIN = "<stdin>"
_EPILOG = """\
exit status:
  0  everything was checked and nothing was found
  1  there are findings
  2  bad usage, or something could not be checked (the rest still was)

patterns:
  name.py stands for files of this name, name/ for folders and all in them,
  docs/*.py and docs/old/ for paths from the project's folder.

settings: the options from --select to --exclude are also keys of the table
[tool.looplab.lint] in the nearest pyproject.toml. An option replaces its key.
Comments are read as flake8 reads them: '# noqa', '# noqa: LAG101'.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = "Find what makes an asyncio event loop late:\n" + "\n".join(
        f"  {rule.code}  {rule.name} ({rule.severity}{'' if rule.default else ', off'})"
        for rule in RULES.values()
    )
    parser.epilog = _EPILOG
    add = parser.add_argument
    add(
        "paths",
        nargs="*",
        default=["."],
        metavar="PATH",
        help="a file, a folder, or - for standard input (default: this folder)",
    )
    add("--format", choices=("text", "json"), default="text", help="default: text")

    def several(name: str, metavar: str, about: str) -> None:
        add(name, action="append", metavar=metavar, help=about)

    several("--select", "CODES", "apply these rules only, for example LAG101,LAG202")
    several("--extend-select", "CODES", "apply these rules too, for example LAG202")
    several("--ignore", "CODES", "do not apply these rules")
    several("--exempt", "PATTERNS", f"what is exempt (default: {','.join(EXEMPT)})")
    several("--extend-exempt", "PATTERNS", "what is exempt as well")
    add(
        "--include-tests",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="check tests too: nothing is exempt",
    )
    several("--exclude", "PATTERNS", "leave these out, whether or not they are tests")
    add("--disable-noqa", action="store_true", help="report what comments silence")
    add("--config", metavar="FILE", help="the pyproject.toml to read")
    add("--isolated", action="store_true", help="read no settings from any file")
    add(
        "--stdin-filename",
        metavar="NAME",
        help="call standard input so, in the output and where tests are exempt",
    )
    add("-q", "--quiet", action="store_true", help="do not count at the end")


@dataclass(slots=True)
class _Report:
    """What a run found, in the order in which it was found."""

    findings: list[tuple[str, Finding]] = field(default_factory=list)
    errors: list[tuple[str, NotCheckedError]] = field(default_factory=list)
    checked: int = 0
    exempt: int = 0

    @property
    def status(self) -> int:
        """The exit status."""
        if self.errors:
            return TROUBLE
        return FINDINGS if self.findings else CLEAN

    def summary(self) -> str:
        """The counts in words."""
        words = [f"{_count(self.checked, 'file')} checked"]
        words.append(_count(len(self.findings), "finding"))
        if self.errors:
            words.append(f"{len(self.errors)} not checked")
        if self.exempt:
            words.append(f"{self.exempt} exempt as tests (--include-tests checks them)")
        return ", ".join(words)

    def as_json(self) -> dict[str, Any]:
        """The documented shape; see the page of the rules."""
        return {
            "version": 1,
            "findings": [
                {
                    "path": path,
                    "line": finding.line,
                    "column": finding.column,
                    "code": finding.code,
                    "severity": finding.severity,
                    "message": finding.message,
                }
                for path, finding in self.findings
            ],
            "errors": [
                {
                    "path": path,
                    "line": error.line,
                    "column": error.column,
                    "message": error.message,
                }
                for path, error in self.errors
            ],
            "summary": {
                "checked": self.checked,
                "exempt": self.exempt,
                "findings": len(self.findings),
                "errors": len(self.errors),
            },
        }


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Check what the options name.

    Args:
        options: the parsed command line.
        parser: says what is wrong with it, and exits with 2.

    Returns:
        The exit status: 0 clean, 1 findings, 2 something could not be checked.
    """
    root = project_root()
    try:
        settings = _settings(options)
        codes = selected(
            settings.select, settings.extend_select or (), settings.ignore or ()
        )
    except ValueError as error:
        parser.error(str(error))
    exempt: tuple[str, ...] = ()
    if not settings.include_tests:
        first = EXEMPT if settings.exempt is None else settings.exempt
        exempt = (*first, *(settings.extend_exempt or ()))
    tests = Patterns(exempt, root)
    report = _Report()
    shown = options.format == "text"
    # A name that is not text must not stop the report.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")

    def not_checked(path: str, error: NotCheckedError) -> None:
        report.errors.append((path, error))
        if shown:
            place = f"{error.line or 1}:{error.column or 1}"
            _say(f"{_line(path)}:{place}: error: {error.message}", sys.stderr)

    exclude = Patterns(settings.exclude or (), root)
    for path in expand(options.paths, exclude, not_checked):
        name = (options.stdin_filename or _STDIN) if path == "-" else path
        if tests.match(name):
            report.exempt += 1
            continue
        try:
            findings = _check(path, codes, not options.disable_noqa)
        except NotCheckedError as error:
            not_checked(name, error)
            continue
        report.checked += 1
        for finding in findings:
            report.findings.append((name, finding))
            if shown:
                _say(f"{_line(name)}:{finding}")
    if not shown:
        _say(json.dumps(report.as_json(), indent=2))
    elif not options.quiet:
        sys.stdout.flush()
        _say(report.summary(), sys.stderr)
    return report.status


def _check(path: str, codes: frozenset[str], noqa: bool) -> list[Finding]:
    """Check one file, or standard input."""
    text = decode(sys.stdin.buffer.read()) if path == "-" else read(path)
    try:
        return check_lines(split(text), codes, noqa=noqa)
    except SyntaxError as error:
        version = "{}.{}".format(*sys.version_info)
        raise NotCheckedError(
            f"Python {version} cannot parse it: {error.msg}",
            error.lineno or None,
            error.offset or None,
        ) from None
    except (RecursionError, MemoryError):
        raise NotCheckedError("is nested too deeply for Python's parser") from None
    except ValueError as error:
        raise NotCheckedError(f"is not Python source: {error}") from None


def _settings(options: argparse.Namespace) -> Settings:
    """Those of the file, with the options in their place where there are some."""
    settings = Settings()
    if options.config is not None and options.isolated:
        raise SettingsError("--config and --isolated exclude each other")
    if options.config is not None:
        settings = load(Path(options.config))
    elif not options.isolated:
        path = find(Path.cwd())
        if path is not None:
            settings = load(path)
    given = {}
    for one in dataclasses.fields(Settings):
        value = getattr(options, one.name)
        if isinstance(value, list):
            value = tuple(
                word for text in value for word in text.replace(",", " ").split()
            )
        if value is not None:
            given[one.name] = value
    return dataclasses.replace(settings, **given)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _line(path: str) -> str:
    """A path on one line."""
    if "\n" not in path and "\r" not in path:
        return path
    return path.replace("\n", "\\n").replace("\r", "\\r")


def _say(text: str, stream: TextIO | None = None) -> None:
    print(text, file=stream or sys.stdout)
