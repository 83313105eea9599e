"""``python -m benchmarks.lint_accuracy``: how often the linter is right."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import readme
from benchmarks.lint_accuracy.accuracy import (
    Row,
    judged,
    lint,
    missed,
    rows,
    unjudged,
)
from benchmarks.lint_accuracy.corpus import FOLDER, fetch
from tools.common import ToolError, say

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
TABLE = HERE / "results.md"

#: The least precision that we aim at, by row.
AIMS = {"LAG101, errors": 0.9, "LAG201 and LAG203, polls": 0.9}

_KINDS = {
    "channel": "a channel",
    "poll": "a poll",
    "after": "a `sleep(0)`",
    "storm": "a storm of tasks",
    "lock": "a lock",
}


def table(results: dict[str, Any]) -> str:
    """The table of the page, in Markdown."""
    lines = [
        "| | findings | right | precision | places | recall | aim |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in results["rows"]:
        row = Row(**one)
        aim = AIMS.get(row.name)
        met = "" if aim is None else f"{aim:.0%}: {_met(row, aim)}"
        places = "" if row.there is None else str(row.there)
        lines.append(
            f"| {row.name} | {row.found} | {row.right} | {_share(row.precision)} "
            f"| {places} | {_share(row.recall)} | {met} |"
        )
    counts = (
        f"{results['projects']} projects, {results['files']:,} files. "
        f"{results['judged']} places were judged."
    )
    left = [
        "Nothing finds these places, which are right:",
        "",
        *(
            f"* `{one['place']}`, {_KINDS[one['kind']]}: {one['why']}"
            for one in results["missed"]
        ),
        "",
    ]
    return "\n".join([*lines, "", counts, "", *(left if results["missed"] else [])])


def _met(row: Row, aim: float) -> str:
    return "met" if (row.precision or 0) >= aim else "not met"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"


def measure(folder: Path) -> dict[str, Any]:
    """Lint the projects and compare.

    Raises:
        ToolError: a finding is not judged.
    """
    projects = fetch(folder)
    found, counts = lint(projects)
    truth = judged()
    left = unjudged(found, truth)
    if left:
        places = "\n".join(
            f"  {one.code} {'/'.join(one.where[:2])}:{one.where[2]}" for one in left
        )
        raise ToolError(f"nobody has judged these, in judgements.toml:\n{places}")
    return {
        "projects": len(projects),
        "files": counts["checked"],
        "judged": len(truth),
        "rows": [
            {"name": x.name, "found": x.found, "right": x.right, "there": x.there}
            for x in rows(found, truth)
        ],
        "missed": [
            {
                "place": "/".join(where[:2]) + f":{where[2]}",
                "kind": x.kind,
                "why": x.why,
            }
            for where, x in missed(found, truth)
        ],
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    top = argparse.ArgumentParser(
        prog="python -m benchmarks.lint_accuracy", description=__doc__
    )
    top.add_argument(
        "--folder", type=Path, default=FOLDER, help="where wheels are kept"
    )
    top.add_argument("--no-write", action="store_true", help="print only")
    options = top.parse_args(argv)
    try:
        results = measure(options.folder)
    except ToolError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    text = table(results)
    say(text)
    if not options.no_write:
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
        TABLE.write_text(text, encoding="utf-8")
        readme.follow(TABLE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
