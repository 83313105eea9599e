"""Which public reports the linter finds: ``python -m benchmarks.lint_reports``.

It fetches the releases that ``lint_reports.toml`` names, lints the files that the
reports are about, and the programs beside them, and writes a table.  Whether the advice
is of use was judged by hand, against what the fix did; a report of which neither the
project's code nor the program is found has none.
"""

from __future__ import annotations

import sys
import tomllib
import zipfile
from typing import Any

from benchmarks import readme
from benchmarks.lint_accuracy import WHEELS, wheel
from looplab.lint import check_source
from tools.common import ROOT, ToolError, say

DATA = ROOT / "benchmarks" / "lint_reports.toml"
TABLE = DATA.with_suffix(".md")


def is_found(source: str, rule: str) -> str:
    """Whether a rule reports something in a source, in the words of the table."""
    return "yes" if any(x.code == rule for x in check_source(source)) else "no"


def row(report: dict[str, Any]) -> list[str]:
    """The cells of a report."""
    code = "not to be had"
    if project := report.get("project"):
        with zipfile.ZipFile(wheel(project, WHEELS)) as archive:
            code = is_found(archive.read(report["file"]).decode(), report["rule"])
        code += f" ({project})"
    program = report.get("program")
    shape = is_found(program, report["rule"]) if program else "–"
    usable = report["advice"] if "yes" in code or shape == "yes" else "–"
    return [report["name"], report["about"], report["rule"], code, shape, usable]


def table(rows: list[list[str]]) -> str:
    """The table in Markdown, and how many are found."""
    titles = ["report", "what it is about", "rule", "found in the project's code"]
    titles += ["found in a program of its shape", "advice"]
    code = sum("yes" in each[3] for each in rows)
    had = sum("not to be had" not in each[3] for each in rows)
    every = sum("yes" in each[3] + each[4] for each in rows)
    lines = [readme.line(titles), "|" + "---|" * len(titles), *map(readme.line, rows)]
    counted = (
        f"{len(rows)} reports, of which {every} are found; of {had} whose code can be "
        f"had, {code} in that code."
    )
    return "\n".join([*lines, "", counted, ""])


def main() -> int:
    """Run the command and return its exit status."""
    WHEELS.mkdir(parents=True, exist_ok=True)
    try:
        reports = tomllib.loads(DATA.read_text(encoding="utf-8"))["report"]
        text = table([row(report) for report in reports])
    except ToolError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    readme.write(TABLE, text)
    say(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
