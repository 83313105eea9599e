"""The command: ``python -m benchmarks.diagnose_cost``.

Counts the instructions of a service for two numbers of requests; the difference is what
a request costs, and what is left is what the tool costs once.  *Recording* notes and
forgets; *streaming* is all that ``looplab trace`` does.

One and the same code is counted differently by half a percent from one seed of Python's
hashes to another, since other names collide in its cache of methods.  So what has an
aim is counted for several.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks import common, readme
from benchmarks.diagnose_cost.serve import TOOLS
from ontime.measuring.counters import Counter
from tools.common import ToolError, say

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
TABLE = HERE / "results.md"
PINS = common.FOLDER / "diagnose_requirements.txt"
#: Requests; by the first of these every line of the service has been seen once.
COUNTS = 1_500, 4_500
SEEDS = (0, 1, 2)  # of Python's hashes
#: The most that we aim at, as a multiple of none.
AIMS = {"recording": 1.10, "streaming": 1.17}


def table(results: dict[str, Any]) -> str:
    """The table of the page, in Markdown."""
    lines = [
        f"Instructions counted by {results['counter']}, of {results['requests']:,} "
        f"requests; {results['python']}. Where a tool was counted for several seeds of "
        "Python's hashes, the mean stands here, and the lowest and highest ratio.",
        "",
        "| Tool | Instructions a request | Ratio to none | Seeds | Lowest to highest "
        "| Whole process | Aim |",
        "|---|--:|--:|--:|---|--:|---|",
    ]
    for row in results["rows"]:
        ratio, aim = row["ratio per request"], row["aim"]
        word = "met" if aim and ratio <= aim else "not met"
        met = "–" if aim is None else f"{aim:.2f}: {word}"
        lines.append(
            f"| {row['tool']} | {row['instructions per request']:,} | {ratio:.3f} "
            f"| {len(row['ratios'])} | {min(row['ratios']):.3f} to "
            f"{max(row['ratios']):.3f} | {row['ratio of the process']:.3f} | {met} |"
        )
    return "\n".join(lines) + "\n"


def measure(
    python: str,
    counter: Counter | None,
    tool: str,
    count: int,
    stretch: float,
    seed: int,
) -> tuple[int, float]:
    """Instructions and seconds of one run."""
    environ = {"PYTHONHASHSEED": str(seed), "CLIENT_PYTHON": sys.executable}
    with tempfile.TemporaryDirectory() as folder:
        words = [python, str(HERE / "serve.py"), tool, str(count), folder]
        before = counter.command if counter else ()
        done = common.fresh([*before, *words, str(stretch)], 3600, **environ)
    counted = counter.find(done.stderr) if counter and not done.returncode else 0
    if done.returncode or counted is None:
        raise ToolError(f"{tool} failed: {done.stderr[-800:]}")
    return counted, float(done.stdout)


def run() -> None:
    """Measure, print, write."""
    top = argparse.ArgumentParser(description=__doc__)
    top.add_argument("--only", choices=TOOLS, action="append", help="beside none")
    options = top.parse_args()
    python = common.environment(name=".venv-bench-diagnose", pins=PINS)
    counter = common.find_counter()
    for tool in TOOLS:  # what it imports is compiled now, and in no count
        measure(python, None, tool, 1, 2, 0)
    # Under a counter that slows the program a clock would tick too often.
    plain = min(measure(python, None, "none", COUNTS[1], 1, 0)[1] for _ in range(3))
    slow = measure(python, counter, "none", COUNTS[1], 1, 0)[1]
    stretch = max(1.0, slow / plain) if counter.name == "Valgrind" else 1.0
    say(f"{counter.name}; pauses between samples times {stretch:.0f}")
    rows: list[dict[str, Any]] = []
    none: dict[int, tuple[float, int]] = {}  # by seed: of a request, of the process
    for tool in TOOLS:
        if options.only and tool not in ("none", *options.only):
            continue
        own = {}
        for seed in SEEDS if tool in ("none", *AIMS) else SEEDS[:1]:
            first, last = (
                measure(python, counter, tool, n, stretch, seed)[0] for n in COUNTS
            )
            own[seed] = (last - first) / (COUNTS[1] - COUNTS[0]), last
        none = none or own
        ratios = [each / none[seed][0] for seed, (each, _) in own.items()]
        wholes = [last / none[seed][1] for seed, (_, last) in own.items()]
        rows.append(
            {
                "tool": tool,
                "instructions per request": round(fmean(n for n, _ in own.values())),
                "ratio per request": round(fmean(ratios), 3),
                "ratios": [round(ratio, 3) for ratio in ratios],
                "ratio of the process": round(fmean(wholes), 3),
                "aim": AIMS.get(tool),
            }
        )
        say(f"  {rows[-1]}")
    # What is not counted now stays as it was.
    known = json.loads(RESULTS.read_text(encoding="utf-8"))["rows"]
    by_tool = {row["tool"]: row for row in [*known, *rows]}
    rows = [by_tool[tool] for tool in TOOLS]
    results = {"counter": counter.name, "requests": COUNTS[1], "rows": rows}
    results["python"] = common.about(python)["python"]
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    readme.write(TABLE, table(results))


if __name__ == "__main__":
    sys.exit(common.status(run))
