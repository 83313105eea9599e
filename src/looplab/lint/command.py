"""The command ``looplab lint``."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from . import check_lines, selected, split
from .baseline import Baseline, Mark
from .explain import about
from .findings import LONGEST, RULES, Finding
from .notebooks import cells
from .paths import (
    EXEMPT,
    MAX_BYTES,
    NotCheckedError,
    Patterns,
    TooLargeError,
    decode,
    expand,
    project_root,
    read,
)
from .report import CLEAN, FINDINGS, FORMATS, TROUBLE, Report, one_line, place
from .settings import Settings, SettingsError, find, load

__all__ = ["CLEAN", "FINDINGS", "TROUBLE", "add_arguments", "run"]

_STDIN = "<stdin>"
_EPILOG = """\
exit status:
  0  nothing was found (or --exit-zero), exempt or too large files apart
  1  there are findings
  2  bad usage, or something could not be checked (the rest still was)

patterns:
  name.py stands for files of this name, name/ for folders and all in them,
  docs/*.py and docs/old/ for paths from the project's folder.

settings: the options from --select to --max-bytes are also keys of the table
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
    add(
        "--explain",
        metavar="CODE",
        help="print what LAG101, or lag101-await, means and how to mend it",
    )
    add("--format", choices=("text", *FORMATS), default="text", help="default: text")
    add("--statistics", action="store_true", help="count the findings of each rule")
    add("--exit-zero", action="store_true", help="exit with 0 where findings are")

    def several(name: str, metavar: str, about: str) -> None:
        add(name, action="append", metavar=metavar, help=about)

    several("--select", "CODES", "apply these rules only, for example LAG101,LAG202")
    several("--extend-select", "CODES", "apply these rules too, for example LAG202")
    several("--ignore", "CODES", "do not apply these rules")
    several("--per-file-ignores", "PATTERN:CODES", "nor these in files of a pattern")
    several("--exempt", "PATTERNS", f"what is exempt (default: {','.join(EXEMPT)})")
    several("--extend-exempt", "PATTERNS", "what is exempt as well")
    add(
        "--include-tests",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="check tests too: nothing is exempt",
    )
    several("--exclude", "PATTERNS", "leave these out, whether or not they are tests")
    add("--baseline", metavar="FILE", help="do not report the findings in this file")
    add(
        "--max-bytes",
        type=int,
        metavar="BYTES",
        help=f"skip larger files (default: {MAX_BYTES}; 0: none)",
    )
    add("--update-baseline", action="store_true", help="write all findings into it")
    add("--disable-noqa", action="store_true", help="report what comments silence")
    add("--config", metavar="FILE", help="the pyproject.toml to read")
    add("--isolated", action="store_true", help="read no settings from any file")
    add(
        "--stdin-filename",
        metavar="NAME",
        help="call standard input so, in the output and where tests are exempt",
    )
    add("-q", "--quiet", action="store_true", help="do not count at the end")


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Check what the options name.

    Args:
        options: the parsed command line.
        parser: says what is wrong with it, and exits with 2.

    Returns:
        The exit status: 0 clean, 1 findings, 2 something could not be checked.
    """
    try:
        if options.explain is not None:
            _say(about(options.explain).rstrip())
            return CLEAN
        job = _Job(options)
    except SettingsError as error:
        _say(f"looplab lint: error: {error}", sys.stderr)
        return TROUBLE
    except ValueError as error:
        parser.error(str(error))
    # A name that is not text must not stop the report.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        return job.run()
    except SettingsError as error:  # a baseline that cannot be written
        _say(f"looplab lint: error: {error}", sys.stderr)
        return TROUBLE


class _Job:
    """One run.

    Raises:
        ValueError: the options or the settings mean nothing.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._settings = settings = _settings(options)
        self._codes = selected(
            settings.select, settings.extend_select or (), settings.ignore or ()
        )
        self._root = project_root()
        exempt: tuple[str, ...] = ()
        if not settings.include_tests:
            first = EXEMPT if settings.exempt is None else settings.exempt
            exempt = (*first, *(settings.extend_exempt or ()))
        self._tests = Patterns(exempt, self._root)
        self._ignores = [
            (Patterns((pattern,), self._root), selected([], codes))
            for pattern, codes in settings.per_file_ignores or ()
        ]
        self._limit = MAX_BYTES if settings.max_bytes is None else settings.max_bytes
        self._shown = options.format == "text"
        self._report = Report()
        self._marks: list[Mark] = []
        path = settings.baseline
        if options.update_baseline and path is None:
            raise SettingsError("--update-baseline needs --baseline FILE")
        known = path is not None and not options.update_baseline
        self._baseline = Baseline.read(Path(str(path))) if known else Baseline()

    def run(self) -> int:
        """Check everything, write the report, return the exit status."""
        report, options = self._report, self._options
        exclude = Patterns(self._settings.exclude or (), self._root)
        for path in expand(options.paths, exclude, self._not_checked):
            name = (options.stdin_filename or _STDIN) if path == "-" else path
            if self._tests.match(name):
                report.exempt += 1
                continue
            self._file(path, name)
        if options.update_baseline:
            Baseline.write(Path(str(self._settings.baseline)), self._marks)
        if not self._shown:
            text = FORMATS[options.format](report)
            if text:
                _say(text)
        if options.statistics and self._shown:
            for line in report.statistics():
                _say(line)
        if self._shown and not options.quiet:
            sys.stdout.flush()
            _say(report.summary(), sys.stderr)
        if options.exit_zero or options.update_baseline:
            return TROUBLE if report.errors else CLEAN
        return report.status

    def _file(self, path: str, name: str) -> None:
        report = self._report
        left_out = frozenset[str]().union(
            *(codes for pattern, codes in self._ignores if pattern.match(name))
        )
        try:
            text = self._text(path)
            found, lines = self._check(text, path, name)
        except NotCheckedError as error:
            self._not_checked(name, error)
            return
        except TooLargeError as error:
            report.skipped.append((name, str(error)))
            if self._shown:
                _say(f"{one_line(name)}: note: {error}", sys.stderr)
            return
        report.checked += 1
        for finding, line in found:
            if finding.code in left_out:
                continue
            mark = (self._relative(name), finding.code, lines[line - 1].strip())
            self._marks.append(mark)
            if self._options.update_baseline or self._baseline.knows(mark):
                report.known += 1
                continue
            report.findings.append((name, finding))
            if self._shown:
                _say(
                    f"{place(name, finding)}: {finding.code} {finding.message} "
                    f"[{finding.section}]"
                )

    def _text(self, path: str) -> str:
        if path != "-":
            return read(path, self._limit)
        if sys.stdin is None or getattr(sys.stdin, "closed", False):
            raise NotCheckedError("standard input is closed")
        try:
            data = sys.stdin.buffer.read(self._limit + 1 if self._limit else -1)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise NotCheckedError(f"cannot be read: {why}") from None
        if self._limit and len(data) > self._limit:
            raise TooLargeError(
                f"skipped: it has more than {self._limit:,} bytes "
                "(--max-bytes 0 checks it)"
            )
        return decode(data)

    def _check(
        self, text: str, path: str, name: str
    ) -> tuple[list[tuple[Finding, int]], list[str]]:
        """The findings, each with its line in what was checked, and those lines."""
        noqa = not self._options.disable_noqa
        if not name.endswith(".ipynb"):
            lines = split(text)
            with _python_errors():
                found = check_lines(lines, self._codes, noqa=noqa)
            return [(one, one.line) for one in found], lines
        notebook = cells(text)
        if self._limit and sum(map(len, notebook.lines)) > self._limit:
            raise TooLargeError(
                f"skipped: its code has more than {self._limit:,} characters "
                "(--max-bytes 0 checks it)"
            )
        with _python_errors(notebook.starts):
            found = check_lines(notebook.lines, self._codes, noqa=noqa, notebook=True)
        placed = []
        for one in found:
            cell, line = notebook.starts[one.line - 1]
            _, end = notebook.starts[one.end_line - 1]
            moved = dataclasses.replace(
                one,
                cell=cell,
                line=line,
                end_line=end,
                message=_in_cells(one.message, notebook.starts),
            )
            placed.append((moved, one.line))
        return placed, notebook.lines

    def _relative(self, name: str) -> str:
        """A path as a baseline names it: from the project's folder, with slashes."""
        full = os.path.abspath(name)  # noqa: PTH100
        try:
            return Path(full).relative_to(self._root).as_posix()
        except ValueError:
            return name

    def _not_checked(self, path: str, error: NotCheckedError) -> None:
        self._report.errors.append((path, error))
        if self._shown:
            cell = f"cell {error.cell}:" if error.cell else ""
            where = f"{cell}{error.line or 1}:{error.column or 1}"
            _say(f"{one_line(path)}:{where}: error: {error.message}", sys.stderr)


def _in_cells(message: str, starts: list[tuple[int, int]]) -> str:
    """A message that names lines, with the cells that these are in."""

    def cell(match: re.Match[str]) -> str:
        number, line = starts[int(match[1]) - 1]
        return f"cell {number} line {line}"

    text = re.sub(r"\bline (\d+)", cell, message)
    if len(text) > LONGEST:
        text = re.sub(r"\b(cell \d+) line \d+", r"\1", text)
    return text


@contextlib.contextmanager
def _python_errors(starts: list[tuple[int, int]] | None = None) -> Iterator[None]:
    """Turn what Python's parser raises into one clear line."""
    try:
        yield
    except SyntaxError as error:
        version = "{}.{}".format(*sys.version_info)
        line, cell = error.lineno or None, None
        if starts and line is not None:
            cell, line = starts[min(line, len(starts)) - 1]
        raise NotCheckedError(
            f"Python {version} cannot parse it: {error.msg}",
            line,
            error.offset or None,
            cell=cell,
            syntax=True,
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
    if options.max_bytes is not None and options.max_bytes < 0:
        raise SettingsError(f"--max-bytes must be 0 or more, not {options.max_bytes}")
    given: dict[str, Any] = {}
    for one in dataclasses.fields(Settings):
        value = getattr(options, one.name)
        if one.name == "per_file_ignores" and value is not None:
            value = tuple(map(_ignored, value))
        elif isinstance(value, list):
            value = tuple(word for text in value for word in _words(text))
        if value is not None:
            given[one.name] = value
    return dataclasses.replace(settings, **given)


def _ignored(text: str) -> tuple[str, tuple[str, ...]]:
    """One ``PATTERN:CODES``."""
    pattern, colon, codes = text.rpartition(":")
    if not colon or not pattern or not _words(codes):
        raise SettingsError(
            f"--per-file-ignores takes PATTERN:CODES, as 'a.py:LAG101', not {text!r}"
        )
    return pattern, tuple(_words(codes))


def _words(text: str) -> list[str]:
    return text.replace(",", " ").split()


def _say(text: str, stream: TextIO | None = None) -> None:
    print(text, file=stream or sys.stdout)
