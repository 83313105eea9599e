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
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks import environment, readme
from benchmarks.diagnose_cost.serve import TOOLS
from benchmarks.runner import Counter, find_counter
from tools.common import ROOT, ToolError, say

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
TABLE = HERE / "results.md"
PINS = Path("benchmarks", "diagnose_requirements.txt")
COUNTS, QUICK = (500, 2500), (100, 500)
SEEDS = (0, 1, 2)  # of Python's hashes
#: The most that we aim at, as a multiple of none.
AIMS = {"recording": 1.08, "streaming": 1.15}


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
        met = "–" if aim is None else f"{aim}: {'met' if ratio <= aim else 'not met'}"
        lines.append(
            f"| {row['tool']} | {row['instructions per request']:,} | {ratio:.3f} "
            f"| {len(row['ratios'])} | {min(row['ratios']):.3f} to "
            f"{max(row['ratios']):.3f} | {row['ratio of the process']:.3f} | {met} |"
        )
    return "\n".join(lines) + "\n"


def measure(
    python: Path,
    counter: Counter | None,
    tool: str,
    count: int,
    stretch: float,
    seed: int = SEEDS[0],
) -> tuple[int | None, float]:
    """Instructions and seconds of one run.

    Raises:
        ToolError: if it fails.
    """
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    environ = kept | {
        "PYTHONPATH": str(ROOT / "src"),
        "PYTHONHASHSEED": str(seed),
        "CLIENT_PYTHON": sys.executable,
    }
    with tempfile.TemporaryDirectory() as folder:
        words = [str(python), str(HERE / "serve.py"), tool, str(count), folder]
        done = subprocess.run(
            [*(counter.command if counter else ()), *words, str(stretch)],
            env=environ,
            capture_output=True,
            text=True,
            timeout=3600,
            check=False,
        )
    if done.returncode:
        raise ToolError(f"{tool} failed: {done.stderr[-800:]}")
    return counter.find(done.stderr) if counter else None, float(done.stdout)


def main(words: list[str] | None = None) -> int:
    """Run the benchmark; return its exit status."""
    top = argparse.ArgumentParser(
        prog="python -m benchmarks.diagnose_cost", description=__doc__
    )
    top.add_argument("--quick", action="store_true", help="small; writes no file")
    top.add_argument("--only", choices=TOOLS, action="append", help="beside none")
    top.add_argument("--python", default=sys.executable, help="makes the environment")
    options = top.parse_args(words)
    small, large = QUICK if options.quick else COUNTS
    rows: list[dict[str, Any]] = []
    none: dict[int, tuple[float, int]] = {}
    try:
        python = environment.ensure(
            options.python, name=".venv-bench-diagnose", requirements=PINS
        )
        counter = find_counter([str(python)])
        for tool in TOOLS:  # what it imports is compiled now, and in no count
            measure(python, None, tool, 1, 2)
        # Under a counter that slows the program a clock would tick too often.
        plain = min(measure(python, None, "none", large, 1)[1] for _ in range(3))
        _, slow = measure(python, counter, "none", large, 1)
        stretch = max(1.0, slow / plain) if counter.name == "Valgrind" else 1.0
        say(f"{counter.name}; pauses between samples times {stretch:.0f}")
        for tool in TOOLS:
            if options.only and tool not in ("none", *options.only):
                continue
            found: dict[int, tuple[float, int]] = {}  # by seed: a request's, and all
            for seed in SEEDS if tool in ("none", *AIMS) else SEEDS[:1]:
                first, last = (
                    measure(python, counter, tool, n, stretch, seed)[0]
                    for n in (small, large)
                )
                if first is None or last is None:
                    raise ToolError(f"{counter.name} gave no count of {tool}")
                found[seed] = (last - first) / (large - small), last
            none = none or found
            ratios = [each / none[seed][0] for seed, (each, _) in found.items()]
            wholes = [last / none[seed][1] for seed, (_, last) in found.items()]
            row = {
                "tool": tool,
                "instructions per request": round(
                    fmean(each for each, _ in found.values())
                ),
                "instructions": found[SEEDS[0]][1],
                "ratio per request": round(fmean(ratios), 3),
                "ratios": [round(one, 3) for one in ratios],
                "ratio of the process": round(fmean(wholes), 3),
                "aim": AIMS.get(tool),
            }
            rows.append(row)
            say(f"  {row}")
    except ToolError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    if not (options.quick or options.only):
        found_all = {"counter": counter.name, "requests": large, "rows": rows}
        found_all["python"] = environment.about(str(python))["name"]
        RESULTS.write_text(json.dumps(found_all, indent=1) + "\n", encoding="utf-8")
        TABLE.write_text(table(found_all), encoding="utf-8")
        readme.follow(TABLE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
