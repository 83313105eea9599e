"""What the linter costs beside flake8: ``python -m benchmarks.lint_cost``.

CPU seconds of whole processes on the standard library's asyncio and one file more, in
which something is planted that must be found.  It prints a table of medians, and puts
it into the README.
"""

from __future__ import annotations

import asyncio
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from benchmarks import readme
from tools.common import say

TABLE = Path(__file__).with_name("lint_cost.md")
ROUNDS = 3
PLANT = "import asyncio\nq = asyncio.Queue()\nasync def put(x): await q.put(x)\n"
# flake8 as it is where looplab is not installed.
ALONE = """\
import importlib.metadata, sys
every = importlib.metadata.distributions
importlib.metadata.distributions = lambda **words: (
    each for each in every(**words) if each.metadata["name"] != "looplab"
)
from flake8.main.cli import main
sys.exit(main())
"""
OPTIONS = ["--isolated", "--jobs=1", "."]
COMMANDS = {
    "flake8 alone": ["-c", ALONE, *OPTIONS],
    "flake8 with the LAG rules": ["-m", "flake8", "--lag-include-tests", *OPTIONS],
    "looplab lint": ["-m", "looplab.lint", "--lag-include-tests", *OPTIONS],
}


def turn(name: str, folder: Path) -> float:
    """The CPU seconds of one process, which must find what is planted."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, *COMMANDS[name]], cwd=folder, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    reported = "planted.py:2:5: LAG101" in done.stdout
    assert reported == (name != "flake8 alone"), done.stdout + done.stderr
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure, print, write."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        skip = shutil.ignore_patterns("__pycache__")
        shutil.copytree(Path(asyncio.__file__).parent, folder / "asyncio", ignore=skip)
        (folder / "planted.py").write_text(PLANT, encoding="utf-8")
        files = list(folder.rglob("*.py"))
        lines = sum(path.read_bytes().count(b"\n") for path in files)
        rounds = [
            {name: turn(name, folder) for name in COMMANDS} for _ in range(ROUNDS)
        ]
    rows = ["| command | CPU seconds | ratio to flake8 alone |", "|---|--:|--:|"]
    for name in COMMANDS:
        seconds = statistics.median(each[name] for each in rounds)
        ratios = sorted(each[name] / each["flake8 alone"] for each in rounds)
        rows.append(
            f"| {name} | {seconds:.2f} | {statistics.median(ratios):.2f} "
            f"({ratios[0]:.2f} to {ratios[-1]:.2f}) |"
        )
    about = (
        f"{len(files)} files, {lines:,} lines, medians of {ROUNDS} rounds, with the "
        f"start of Python {platform.python_version()}; flake8 {version('flake8')}."
    )
    readme.write(TABLE, "\n".join([*rows, "", about, ""]))
    say(TABLE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
