"""The command: ``python -m benchmarks.diagnose_cost``.

Counts the instructions of a service for two numbers of requests; the difference is what
a request costs, and what is left is what the tool costs once.  *Recording* notes and
forgets; *streaming* is all that ``looplab trace`` does.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
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
#: The most that we aim at, as a multiple of none.
AIMS = {"recording": 1.08, "streaming": 1.15}


def table(results: dict[str, Any]) -> str:
    """The table of the page, in Markdown."""
    lines = [
        f"Instructions counted by {results['counter']}, of {results['requests']:,} "
        f"requests; {results['python']}.",
        "",
        "| Tool | Instructions a request | Ratio to none | Whole process | Aim |",
        "|---|--:|--:|--:|---|",
    ]
    for row in results["rows"]:
        ratio, aim = row["ratio per request"], row["aim"]
        met = "–" if aim is None else f"{aim}: {'met' if ratio <= aim else 'not met'}"
        lines.append(
            f"| {row['tool']} | {row['instructions per request']:,} | {ratio:.3f} "
            f"| {row['ratio of the process']:.3f} | {met} |"
        )
    return "\n".join(lines) + "\n"


def measure(
    python: Path, counter: Counter | None, tool: str, count: int, stretch: float
) -> tuple[int | None, float]:
    """Instructions and seconds of one run.

    Raises:
        ToolError: if it fails.
    """
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    environ = kept | {
        "PYTHONPATH": str(ROOT / "src"),
        "PYTHONHASHSEED": "0",
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
    try:
        python = environment.ensure(
            options.python, name=".venv-bench-diagnose", requirements=PINS
        )
        counter = find_counter([str(python)])
        for tool in TOOLS:  # what it imports is compiled now, and in no count
            measure(python, None, tool, 1, 2)
        # Under a counter that slows the program a clock would tick too often.
        _, plain = measure(python, None, "none", large, 1)
        _, slow = measure(python, counter, "none", large, 1)
        stretch = max(1.0, slow / plain) if counter.name == "Valgrind" else 1.0
        say(f"{counter.name}; pauses between samples times {stretch:.0f}")
        for tool in TOOLS:
            if options.only and tool not in ("none", *options.only):
                continue
            found = [
                measure(python, counter, tool, n, stretch)[0] for n in (small, large)
            ]
            if None in found:
                raise ToolError(f"{counter.name} gave no count of {tool}")
            first, last = (one or 0 for one in found)
            each = (last - first) / (large - small)
            base = rows[0]["instructions per request"] if rows else each
            whole = last / rows[0]["instructions"] if rows else 1.0
            row = {
                "tool": tool,
                "instructions per request": round(each),
                "instructions": last,
                "ratio per request": round(each / base, 3),
                "ratio of the process": round(whole, 3),
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
