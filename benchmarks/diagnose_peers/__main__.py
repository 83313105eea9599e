"""The command: ``python -m benchmarks.diagnose_peers``.

Runs each of :mod:`.programs` under each tool, and looks whether what the tool says
names the reason: of ``looplab who`` in its first sentence, of the others anywhere in
all that they print or write.  That is kind to the others: some list everything.

With ``--reports`` only looplab runs, and what it says of :data:`SHOWN` is captured for
the page that reads a report.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from benchmarks import common, readme
from benchmarks.diagnose_peers.programs import PROGRAMS
from tools.common import ROOT, say

HERE = Path(__file__).parent
RESULTS, TABLE = HERE / "results.json", HERE / "results.md"
TOOLS = ["debug mode", "blockbuster", "pyleak", "aiocop", "loopsentry", "py-spy"]
TOOLS += ["pyinstrument"]
LIMIT = 90  # seconds for a program
#: The reports that the page shows, one for each kind of row.
SHOWN = {
    "blocking call": "callback",
    "storm": "storm",
    "thread keeps the interpreter": "thread",
    "no core": "core",
    "garbage collector": "gc",
    "full executor": "executor",
    "lock": "lock",
    "process stopped": "stopped",
    "poll": "poll",
}
REPORTS = ROOT / "book" / "looplab" / "reports"


def output_of(tool: str, name: str, python: str) -> str:
    """All that *tool* says of a program."""
    program = [str(HERE / "programs.py"), name]
    with tempfile.TemporaryDirectory() as folder:

        def run(*words: str) -> str:
            environ = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}"}
            done = subprocess.run(
                words, cwd=folder, env=environ, capture_output=True, timeout=LIMIT
            )
            return (done.stdout + done.stderr).decode(errors="replace")

        looplab = python, "-m", "looplab"
        if tool == "looplab":
            run(*looplab, "trace", "-o", "t.jsonl", *program)
            return run(*looplab, "who", "t.jsonl", "--top", "3")
        if tool == "py-spy":
            spy = str(Path(python).parent / "py-spy")
            record = spy, "record", "--format", "raw", "-o", "spy.txt"
            printed = run(*record, "--", python, *program)
        else:
            printed = run(python, str(HERE / "under.py"), tool, name)
        files = [file for file in Path(folder).rglob("*") if file.is_file()]
        return printed + "".join(file.read_text(errors="replace") for file in files)


def row_of(name: str, tools: Sequence[str], python: str) -> dict[str, Any]:
    """What each of *tools* makes of a program."""
    load = round(os.getloadavg()[0], 1)
    row: dict[str, Any] = {"load of looplab" if "looplab" in tools else "load": load}
    for tool in tools:
        try:
            report = output_of(tool, name, python)
        except subprocess.TimeoutExpired:
            row[tool] = "no end"
            continue
        if tool == "looplab":
            report = row["sentence"] = report.partition("\n")[0]
        named = any(word in report for word in PROGRAMS[name][1])
        row[tool] = "named" if named else "–"
    say(f"  {row}")
    return row


def capture(name: str, python: str) -> None:
    """Write the report of a program for the page.

    It says itself whether cores were short.
    """
    report = output_of("looplab", name, python)
    head = f"# captured on {date.today()}, {os.cpu_count()} cores\n"
    say(f"  {name}: {report.partition(chr(10))[0]}")
    path = REPORTS / f"{SHOWN[name]}.txt"
    path.write_text(head + report.rstrip() + "\n", encoding="utf-8")


def table(results: dict[str, Any]) -> str:
    """The table of the page, in Markdown."""
    versions = ", ".join(map(" ".join, results["versions"].items()))
    ours, theirs = (
        sorted(row[what] for row in results["rows"] if what in row)
        for what in ("load of looplab", "load")
    )
    others = f", {theirs[0]} to {theirs[-1]} under the others" if theirs else ""
    tools = ["looplab", *TOOLS]
    rows = [[row["program"], *(row.get(tool, "–") for tool in tools)]
            for row in results["rows"]]  # fmt: skip
    counts = [
        str(sum(cell == "named" for cell in cells)) for cells in zip(*rows, strict=True)
    ]
    lines = [
        f"{results['cores']} cores; {results['python']}; {versions}. One run each, at "
        f"a load of {ours[0]} to {ours[-1]} under looplab{others}.",
        "",
        readme.line(["Why it is late", *tools]),
        "|---" * (len(tools) + 1) + "|",
        *map(readme.line, [*rows, ["**named**", *counts[1:]]]),
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Run all, or what is asked for, and write the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.diagnose_peers")
    parser.add_argument(
        "--python", default=sys.executable, help="one that has the tools"
    )
    every = ["looplab", *TOOLS]
    parser.add_argument("--tools", choices=every, nargs="*", default=every)
    parser.add_argument(
        "--reports", action="store_true", help="capture the reports of the page"
    )
    options = parser.parse_args()
    if options.reports:
        REPORTS.mkdir(exist_ok=True)
        for name in SHOWN:
            capture(name, options.python)
        return 0
    # What a tool that is not asked now said stays as it was.
    rows = {row["program"]: row for row in json.loads(RESULTS.read_text())["rows"]}
    for name in PROGRAMS:
        before = rows.get(name, {"program": name})
        rows[name] = before | row_of(name, options.tools, options.python)
    ask = (
        "import sys, json; from importlib.metadata import version as v;"
        "print(json.dumps([sys.version.split()[0], {t: v(t) for t in sys.argv[1:]}]))"
    )
    packages = [tool for tool in TOOLS if tool != "debug mode"]
    done = subprocess.run(
        [options.python, "-c", ask, *packages], capture_output=True, check=True
    )
    python, versions = json.loads(done.stdout)
    results = {
        "python": f"CPython {python}",
        "cores": os.cpu_count(),
        "versions": versions,
        "rows": [rows[name] for name in PROGRAMS],
    }
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    readme.write(TABLE, table(results))
    return 0


if __name__ == "__main__":
    raise SystemExit(common.status(main))
