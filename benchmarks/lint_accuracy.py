"""How often the linter is right: ``python -m benchmarks.lint_accuracy``.

It fetches the wheels that ``lint_accuracy.toml`` lists, in a folder that is kept, lints
them with the rules that are on by default, and holds each finding against what a reader
of the code said of it there.  It fails if a finding has not been judged, or if one that
was judged is not found any more; ``--open`` prints those that have not been judged.  Of
findings of one kind, which is a section of the page of the rules, three at most count
in a project, so that none can decide the figure alone; the plain count is beside it.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import tomllib
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from benchmarks import readme
from looplab.lint import Finding, check_source
from looplab.lint.plugin import is_test
from tools.common import ROOT, ToolError, say

DATA = Path(__file__).with_name("lint_accuracy.toml")
TABLE = Path(__file__).with_name("lint_accuracy.md")
WHEELS = ROOT / "_build" / "lint_accuracy"
VERDICTS = ("act", "harmless", "wrong")
#: So many findings of one kind count in one project.
MOST = 3


def wheel(project: str, folder: Path) -> Path:
    """The wheel of a project, such as ``redis==8.1.0``; it is fetched if need be."""
    name, _, version = project.partition("==")
    start = f"{name.replace('-', '_').replace('.', '_')}-{version}-".lower()
    for _ in range(2):
        for path in folder.glob("*.whl"):
            if path.name.lower().replace(".", "_").startswith(start.replace(".", "_")):
                return path
        words = ["download", "-q", "--no-deps", "--ignore-requires-python"]
        words += ["--only-binary=:all:", project]
        subprocess.run(
            [sys.executable, "-m", "pip", *words, "-d", str(folder)], check=False
        )
    raise ToolError(f"there is no wheel of {project} in {folder}, and pip brings none.")


def lint(path: Path) -> Iterator[tuple[str, Finding]]:
    """The findings in a wheel, with their files; tests are passed over."""
    with zipfile.ZipFile(path) as archive:
        for file in sorted(archive.namelist()):
            if file.endswith(".py") and not is_test(file):
                text = archive.read(file).decode("utf-8", "replace")
                try:
                    yield from ((file, finding) for finding in check_source(text))
                except (SyntaxError, ValueError):
                    continue


def wilson(right: int, every: int) -> tuple[float, float]:
    """The interval of Wilson for a share, of 95 %."""
    z, share = 1.96, right / every
    middle = share + z * z / (2 * every)
    half = z * math.sqrt(share * (1 - share) / every + z * z / (4 * every**2))
    below = 1 + z * z / every
    return (middle - half) / below, (middle + half) / below


def share(counts: Counter[str]) -> str:
    """How many findings are worth acting on, with the interval."""
    every = counts.total()
    if not every:
        return "nothing was found"
    low, high = wilson(counts["act"], every)
    return (
        f"of {every} findings {counts['act']} are worth acting on: "
        f"{counts['act'] / every:.0%}, with an interval of 95 % from {low:.0%} to "
        f"{high:.0%}"
    )


def table(counts: dict[str, Counter[str]], plain: Counter[str], projects: int) -> str:
    """The table of the page, in Markdown.

    Args:
        counts: the verdicts of each rule, ``MOST`` of a kind in a project at most.
        plain: the verdicts of all findings.
        projects: how many there are.
    """
    lines = ["| rule | findings | worth acting on | harmless | wrong |"]
    lines.append("|---|--:|--:|--:|--:|")
    for code, verdicts in sorted(counts.items()):
        numbers = [verdicts.total(), *(verdicts[verdict] for verdict in VERDICTS)]
        lines.append(readme.line([code, *map(str, numbers)]))
    every = sum(counts.values(), Counter[str]())
    lines += ["", f"{projects} projects; {share(every)}. Without the limit of "
              f"{MOST} of a kind for a project, {share(plain)}."]  # fmt: skip
    return "\n".join([*lines, ""])


def main() -> int:
    """Run the command and return its exit status."""
    top = argparse.ArgumentParser(prog="benchmarks.lint_accuracy", description=__doc__)
    top.add_argument("--folder", type=Path, default=WHEELS, help="where wheels are")
    top.add_argument("--open", action="store_true", help="print what is not judged")
    options = top.parse_args()
    data = tomllib.loads(DATA.read_text(encoding="utf-8"))
    options.folder.mkdir(parents=True, exist_ok=True)
    judged = {
        (each["project"], each["file"], each["line"], each["code"]): each["verdict"]
        for each in data.get("finding", ())
    }
    unknown = []
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    plain, kinds = Counter[str](), Counter[tuple[str, str]]()
    try:
        for project in data["projects"]:
            name = project.partition("==")[0]
            for file, finding in lint(wheel(project, options.folder)):
                verdict = judged.pop((name, file, finding.line, finding.code), None)
                if verdict is None:
                    unknown.append(f"{name} {file}:{finding}")
                    continue
                plain[verdict] += 1
                kinds[name, finding.section] += 1
                if kinds[name, finding.section] <= MOST:
                    counts[finding.code][verdict] += 1
        if options.open:
            say("\n".join(unknown))
            return 0
        if unknown or judged:
            gone = [f"{place} is not found" for place in judged]
            raise ToolError("\n".join(["these do not agree:", *unknown, *gone]))
    except ToolError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    readme.write(TABLE, table(counts, plain, len(data["projects"])))
    say(TABLE.read_text(encoding="utf-8"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
