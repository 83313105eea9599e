"""What the linter costs beside flake8 alone: ``python -m benchmarks.lint``.

It makes or uses ``.venv-bench``, measures, prints a table and writes
``benchmarks/lint_results.json``.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import common, readme
from tools.common import ROOT, ToolError, say

RESULTS = ROOT / "benchmarks" / "lint_results.json"
ROUNDS = 7

ALONE = "flake8 alone"
PLUGIN = "flake8 with the LAG rules"
COMMAND = "looplab lint"
NAMES = (ALONE, PLUGIN, COMMAND)
NOTES = {
    ALONE: "with pycodestyle, pyflakes and mccabe, which are parts of it",
    PLUGIN: "the same and our plugin",
    COMMAND: "our rules alone",
}
AIM = (PLUGIN, 1.5, "at most 1.5 of flake8 with no plugins")

PLANTED = "planted.py"
PLANT = "import asyncio\n\nqueue = asyncio.Queue()\n"
FINDING = "planted.py:3:9: LAG101 "

# The standard library says of itself where it is.
WHERE = "import os; print(os.path.dirname(os.__file__))"
START = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); "
    "from looplab.cli import main; sys.exit(main())"
)


@dataclass(frozen=True)
class Tree:
    """What is linted.

    Args:
        title: The title of the table, with places for files and lines.
        packages: Packages of the standard library; none for a single small file.
        about: What the reader must know of it.
    """

    title: str
    packages: tuple[str, ...]
    about: str


TREES = (
    Tree(
        "Linting {files} files with {lines} lines",
        (
            "asyncio",
            "concurrent",
            "email",
            "http",
            "json",
            "logging",
            "unittest",
            "xml",
        ),
        "The files are packages of the standard library, asyncio among them.",
    ),
    Tree(
        "Linting one file of {lines} lines",
        (),
        "This is what starting costs, as an editor does at each save.",
    ),
)


class NotDoneError(Exception):
    """A linter did not do the work that it was timed for."""


def plant(tree: Tree, stdlib: Path, folder: Path) -> tuple[int, int]:
    """Make a tree; one file in it has a finding.

    Returns:
        How many files and how many lines it has.
    """
    for name in tree.packages:
        skip = shutil.ignore_patterns("__pycache__", "test", "tests", "*.pyc")
        shutil.copytree(stdlib / name, folder / name, ignore=skip)
    (folder / PLANTED).write_text(PLANT, encoding="utf-8")
    files = sorted(folder.rglob("*.py"))
    return len(files), sum(path.read_bytes().count(b"\n") for path in files)


def words(name: str, python: str, settings: Path) -> list[str]:
    """The command of one row; it runs in the tree's folder."""
    if name == COMMAND:
        lint = ["lint", "--isolated", "--lag-include-tests", "."]
        return [python, "-I", "-c", START, str(ROOT / "src"), *lint]
    path = settings / ("plugin.cfg" if name == PLUGIN else "alone.cfg")
    flake8 = [python, "-I", "-m", "flake8"]
    return [*flake8, "--jobs=1", f"--config={path}", "."]


def write_settings(folder: Path, *, is_installed: bool = False) -> None:
    """The configurations of flake8: without our plugin, and with it.

    Args:
        folder: Where they are written.
        is_installed: Whether flake8 finds the plugin by itself, since looplab is
            installed beside it; naming it once more would be an error.
    """
    (folder / "alone.cfg").write_text("[flake8]\n", encoding="utf-8")
    lines = ["[flake8]", "lag-include-tests = true"]
    if not is_installed:
        lines += [
            "[flake8:local-plugins]",
            "extension = LAG = looplab.lint.plugin:LatencyPlugin",
            f"paths = {ROOT / 'src'}",
        ]
    (folder / "plugin.cfg").write_text("\n".join(lines), encoding="utf-8")


def children() -> float:
    """The CPU seconds of all processes that were waited for.

    Raises:
        ToolError: The system does not tell.
    """
    try:
        import resource
    except ImportError:
        raise ToolError(
            "this system does not tell the CPU time of a process."
        ) from None
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def turn(
    name: str, python: str, folder: Path, settings: Path, timeout: float
) -> tuple[float, list[str]]:
    """One measurement: CPU seconds of the process, and the lines that it printed.

    Raises:
        NotDoneError: It failed, or took too long.
    """
    before = children()
    done = common.fresh(words(name, python, settings), timeout, folder)
    cpu = children() - before
    status, out, err = done.returncode, done.stdout, done.stderr
    if status not in (0, 1) or (status == 1 and not out.strip()):
        last = (err.strip() or out.strip() or "no output").splitlines()[-1]
        raise NotDoneError(f"{name} ended with status {status}: {last}")
    lines = [line.removeprefix("./") for line in out.splitlines()]
    return cpu, lines


def check(printed: dict[str, list[str]]) -> None:
    """Whether all did their work, and the same work.

    Args:
        printed: The lines of each row.

    Raises:
        NotDoneError: One did not.
    """
    ours = {name: [x for x in some if " LAG" in x] for name, some in printed.items()}
    rest = {
        name: [x for x in some if " LAG" not in x] for name, some in printed.items()
    }
    if ours[ALONE]:
        raise NotDoneError(f"{ALONE} had our plugin too")
    if not any(line.startswith(FINDING) for line in ours[COMMAND]):
        raise NotDoneError(f"{COMMAND} did not report what was planted")
    if sorted(ours[PLUGIN]) != sorted(ours[COMMAND]):
        raise NotDoneError(f"{PLUGIN} and {COMMAND} report different findings")
    if rest[PLUGIN] != rest[ALONE]:
        raise NotDoneError(f"{PLUGIN} and {ALONE} report different findings of flake8")


def measure(
    tree: Tree, python: str, stdlib: Path, rounds: int, timeout: float
) -> dict[str, Any]:
    """Measure one tree in interleaved rounds.

    Raises:
        ToolError: A linter did not do its work.
    """
    values: dict[str, list[float]] = {name: [] for name in NAMES}
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        folder, settings = Path(one), Path(other)
        write_settings(settings)
        files, lines = plant(tree, stdlib, folder)
        title = tree.title.format(files=f"{files:,}", lines=f"{lines:,}")
        try:
            # Not timed: it compiles what was edited, and shows that all do their work.
            check(
                {
                    name: turn(name, python, folder, settings, timeout)[1]
                    for name in NAMES
                }
            )
            for number in range(rounds):
                first = number % len(NAMES)  # nobody is always first
                for name in (*NAMES[first:], *NAMES[:first]):
                    cpu, _ = turn(name, python, folder, settings, timeout)
                    values[name].append(cpu)
                say(f"  {title}: round {number + 1} of {rounds}")
        except NotDoneError as error:
            raise ToolError(f"{error}; no results were written.") from None
    return group(title, tree.about, values)


def group(title: str, about: str, values: common.Values) -> dict[str, Any]:
    """One table."""
    return common.group(
        title,
        "s",
        "CPU time of the whole process, with the start of Python: the median of "
        f"{len(values[ALONE])} rounds. In a round each row runs once, as one fresh "
        f"process; ratios are taken within the round. {about}",
        values,
        ALONE,
        notes=NOTES,
        aim=AIM,
    )


def versions(python: str) -> dict[str, str]:
    """The versions of flake8 and its parts.

    Raises:
        ToolError: flake8 is not there.
    """
    names = ("flake8", "mccabe", "pycodestyle", "pyflakes")
    code = (
        "import importlib.metadata as m, json; "
        f"print(json.dumps({{n: m.version(n) for n in {names!r}}}))"
    )
    done = common.fresh([python, "-I", "-c", code], 60)
    if done.returncode:
        raise ToolError(
            "flake8 is not in .venv-bench: remove the folder and run again."
        )
    return dict(json.loads(done.stdout))


def run(argv: Sequence[str] | None = None) -> None:
    """Measure, print, write."""
    options = common.parser("benchmarks.lint", __doc__, ROUNDS).parse_args(argv)
    python = common.environment(options.python)
    where = common.fresh([python, "-I", "-c", WHERE], 60).stdout.strip()
    groups = []
    for tree in TREES:
        timeout = options.timeout
        table = measure(tree, python, Path(where), options.rounds, timeout)
        groups.append(table)
        say(f"\n{readme.section(table)}\n")
    results = common.about(python, "python -m benchmarks.lint")
    results |= {"packages": versions(python), "groups": groups}
    path = options.output or (RESULTS if options.rounds >= ROUNDS else None)
    common.publish(results, path)


if __name__ == "__main__":
    sys.exit(common.status(run))
