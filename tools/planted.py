"""Plant bugs and see whether the tests catch them: ``python -m tools.planted``.

``planted_bugs.toml`` names, for each bug, a piece of a source file, what stands there
instead, and the tests that should see it.  Each bug is planted alone, in a copy of
``src``, so the project's own files are never touched.  A bug that no test catches is a
hole in the tests: the command says so, and ends with status 1.

``python -m tools.planted clock`` takes those whose name begins with ``clock``;
``python -m tools.planted checks`` takes the refusals of the exercises' checks instead
(:mod:`tools.planted_checks`), ``python -m tools.planted mutants`` small faults of any
module (:mod:`tools.planted_mutants`).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.common import ROOT, ToolError, say

__all__ = ["Bug", "caught", "main", "read"]

LIST = Path(__file__).with_name("planted_bugs.toml")
TIMEOUT = 600  # seconds for the tests of one bug, which take a few


@dataclass(frozen=True, slots=True)
class Bug:
    """One bug: the file below ``src``, the text, its replacement, and the tests."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def plant(self, source: Path) -> None:
        """Put the bug into the copy of the sources at *source*.

        Raises:
            ToolError: the text is not there exactly once.
        """
        path = source / self.file
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        count = text.count(self.old)
        if count != 1:
            raise ToolError(
                f"{self.name}: {self.file} holds its text {count} times and not once; "
                f"fix the entry in {LIST.name}."
            )
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")


def read(path: Path = LIST) -> list[Bug]:
    """The bugs of a list.

    Raises:
        ToolError: an entry lacks something, or two have one name.
    """
    bugs = []
    for raw in tomllib.loads(path.read_text(encoding="utf-8")).get("bug", ()):
        try:
            bug = Bug(**{**raw, "tests": tuple(raw["tests"])})
        except (KeyError, TypeError) as error:
            raise ToolError(f"{path.name}: {raw.get('name', '?')}: {error}") from None
        if bug.old == bug.new or not bug.tests:
            raise ToolError(f"{path.name}: {bug.name} changes nothing or has no tests.")
        bugs.append(bug)
    names = [bug.name for bug in bugs]
    if len(set(names)) < len(names):
        raise ToolError(f"{path.name}: two bugs have one name.")
    return bugs


def caught(bug: Bug, root: Path = ROOT) -> bool:
    """Whether the tests of a bug fail with it.

    Raises:
        ToolError: they could not be run, or the bug could not be planted.
    """
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "src")
        skip = shutil.ignore_patterns("__pycache__")
        shutil.copytree(root / "src", source, ignore=skip)
        bug.plant(source)
        command = [sys.executable, "-B", "-m", "pytest", "-x", "-q"]
        command += ["-p", "no:cacheprovider", "-p", "no:xdist", *bug.tests]
        environ = {**os.environ, "PYTHONPATH": str(source)}
        try:
            done = subprocess.run(
                command,
                cwd=root,
                env=environ,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=TIMEOUT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return True  # a test that never ends is no pass
    if done.returncode in (0, 1):
        return done.returncode == 1
    raise ToolError(f"{bug.name}: pytest could not run:\n{done.stdout[-2000:]}")


def main(words: Sequence[str]) -> int:
    """Plant the bugs that the words select, and report."""
    if words and words[0] == "checks":
        from tools import planted_checks  # has all exercises imported

        return planted_checks.main(words[1:])
    if words and words[0] == "mutants":
        from tools import planted_mutants  # has pytest imported

        try:
            return planted_mutants.main(words[1:])
        except ToolError as error:
            print(f"error: {error}", file=sys.stderr)
            return error.code
    try:
        bugs = [bug for bug in read() if not words or bug.name.startswith(tuple(words))]
        if not bugs:
            raise ToolError(f"no bug's name begins with {' or '.join(words)}.")
        missed = []
        for bug in bugs:
            seen = caught(bug)
            say(f"{'caught' if seen else 'MISSED':7} {bug.name}")
            if not seen:
                missed.append(bug.name)
    except ToolError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    say(f"{len(bugs) - len(missed)} of {len(bugs)} planted bugs were caught.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
