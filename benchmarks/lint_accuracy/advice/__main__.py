"""``python -m benchmarks.lint_accuracy.advice``: the advice, applied.

For each finding of ``advice.toml`` a patch does what the message says, to the letter.
A program of ``drivers`` that uses the library runs with the library as it is and
with the patch: both must pass, the finding must be gone, and what was too much must be
less.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import readme
from benchmarks.lint_accuracy.accuracy import lint
from benchmarks.lint_accuracy.corpus import FOLDER, fetch
from tools.common import ROOT, ToolError, say

__all__ = ["Advice", "advice", "main", "table", "tried"]

HERE = Path(__file__).parent
TABLE = HERE / "results.md"


@dataclass(frozen=True, slots=True)
class Advice:
    """A finding whose advice is applied."""

    name: str
    project: str
    file: str
    line: int
    section: str

    @property
    def patch(self) -> Path:
        """What the advice changes."""
        return HERE / f"{self.name}.patch"


def advice(path: Path = HERE / "advice.toml") -> list[Advice]:
    """All of them."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    return [Advice(**one) for one in data["advice"]]


def environment() -> Path:
    """The Python that has what the programs need; made if it is not there.

    Raises:
        ToolError: it cannot be made.
    """
    folder = ROOT / ".venv-lint-accuracy"
    python = folder / "bin" / "python"
    done = folder / "done.txt"
    pinned = (HERE / "requirements.txt").read_text(encoding="utf-8")
    if not done.exists() or done.read_text(encoding="utf-8") != pinned:
        say("Making .venv-lint-accuracy ...")
        words = [sys.executable, "-m", "venv", "--clear", str(folder)]
        install = [str(python), "-m", "pip", "install", "--quiet", "--no-deps"]
        install += ["--requirement", str(HERE / "requirements.txt")]
        for line in (words, install):
            made = subprocess.run(line, capture_output=True, text=True, check=False)
            if made.returncode:
                last = (made.stderr.strip() or "no reason given").splitlines()[-1]
                raise ToolError(f".venv-lint-accuracy cannot be made: {last}")
        done.write_text(pinned, encoding="utf-8")
    return python


def tried(one: Advice, source: Path, python: Path) -> tuple[int, int]:
    """Apply one patch, and run the program before and after.

    Returns:
        What the program counts, before and after.

    Raises:
        ToolError: the program fails, the finding was not there or is not gone, or there
            is no less of what was too much.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, one.project)
        shutil.copytree(source, copy)
        before = _run(one, copy, python)
        if not _finds(one, copy):
            raise ToolError(
                f"{one.name}: {one.section} is not found in line {one.line}"
            )
        done = subprocess.run(
            ["git", "apply", str(one.patch)],
            cwd=folder,
            env=os.environ | {"GIT_CEILING_DIRECTORIES": folder},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise ToolError(f"{one.name}: the patch does not apply: {done.stderr}")
        after = _run(one, copy, python)
        if _finds(one, copy, anywhere=True):
            raise ToolError(f"{one.name}: {one.section} is still found")
    if not after < before:
        raise ToolError(f"{one.name}: {before} before, {after} after")
    return before, after


def _finds(one: Advice, copy: Path, *, anywhere: bool = False) -> bool:
    """Whether the linter finds it, in its line or anywhere near."""
    target = copy / one.file
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(target, folder)
        found, _ = lint({one.project: Path(folder)})
    return any(
        x.section == one.section
        and (x.where[2] == one.line or (anywhere and abs(x.where[2] - one.line) < 15))
        for x in found
    )


def _run(one: Advice, copy: Path, python: Path) -> int:
    done = subprocess.run(
        [str(python), str(HERE / "drivers"), one.name],
        env=os.environ | {"PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if done.returncode:
        last = (done.stderr.strip() or "no reason given").splitlines()[-1]
        raise ToolError(f"{one.name} fails: {last}")
    return int(done.stdout.split()[-1])


def table(every: Sequence[Advice]) -> str:
    """The table of the page, in Markdown."""
    lines = ["| library | place | section of the advice |", "|---|---|---|"]
    lines += [f"| {one.project} | `{one.file}` | `{one.section}` |" for one in every]
    return "\n".join([*lines, ""])


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    top = argparse.ArgumentParser(prog="python -m benchmarks.lint_accuracy.advice")
    top.add_argument("--folder", type=Path, default=FOLDER, help="that of the wheels")
    top.add_argument("--python", type=Path, help="one that has what is needed")
    options = top.parse_args(argv)
    try:
        projects = fetch(options.folder)
        python = options.python or environment()
        for one in advice():
            before, after = tried(one, projects[one.project], python)
            say(f"{one.name}: passes before and after; {before} before, {after} after")
    except ToolError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    TABLE.write_text(table(advice()), encoding="utf-8")
    readme.follow(TABLE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
