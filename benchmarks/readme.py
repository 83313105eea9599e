"""The tables of ``benchmarks/README.md``, made from the committed results.

``python -m benchmarks.readme`` puts them in again; a benchmark that writes its results
does so too. The prose is written by hand. Between two markers stands what is made::

    <!-- from: results.json -->
    <!-- end -->

A ``.json`` file follows :mod:`benchmarks.schema` and gives a table for each of its
groups; of a ``.md`` file the text is taken as it is.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from benchmarks import schema
from tools.common import ToolError, say

__all__ = [
    "PAGE",
    "as_markdown",
    "filled",
    "follow",
    "line",
    "main",
    "renew",
    "sources",
]

HERE = Path(__file__).parent
PAGE = HERE / "README.md"
END = "<!-- end -->"
PART = re.compile(rf"(<!-- from: (\S+) -->\n)(.*?)({END})", re.DOTALL)


def line(cells: list[str]) -> str:
    """A line of a table in Markdown."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _table(group: dict[str, Any]) -> str:
    """One group as a Markdown table, without the columns that would be empty."""
    unit, rows = group["unit"], group["rows"]
    has_ratio = any(row.get("ratio") is not None for row in rows)
    has_spread = any(row.get("spread") is not None for row in rows)
    has_note = any(row.get("note") for row in rows)
    titles = ["What ran", f"Value ({unit})"]
    titles += ["Lowest to highest"] * has_spread
    titles += [f"Ratio to {group.get('baseline', 'the baseline')}"] * has_ratio
    titles += ["Note"] * has_note
    marks = ["---"] + ["--:"] * (len(titles) - 1 - has_note) + ["---"] * has_note
    lines = [line(titles), "|" + "|".join(marks) + "|"]
    for row in rows:
        value = row["value"]
        cells = [row["name"], "not run" if value is None else schema.number(value)]
        if has_spread:
            ends = row.get("spread")
            cells.append(" to ".join(map(schema.number, ends)) if ends else "–")
        if has_ratio:
            ratio = row.get("ratio")
            text = "–" if ratio is None else f"{ratio:.2f}"
            if ends := row.get("ratio_spread"):
                text += f" ({ends[0]:.2f} to {ends[1]:.2f})"
            cells.append(text)
        if has_note:
            cells.append(row.get("note") or "–")
        lines.append(line(cells))
    return "\n".join(lines)


def as_markdown(data: dict[str, Any]) -> str:
    """A file of results: the machine, then each group with its method and verdict.

    Raises:
        BenchmarkError: The results do not follow the schema.
    """
    schema.check(data)
    facts = [f"{name}: {value}" for name, value in data["machine"].items()]
    facts.append(f"Python: {data['python']}")
    if packages := data.get("packages"):
        listed = ", ".join(f"{name} {packages[name]}" for name in sorted(packages))
        facts.append(f"packages: {listed}")
    parts = ["Measured on this machine:", "\n".join(f"- {fact}" for fact in facts)]
    if command := data.get("command"):
        parts.append(f"To measure on yours: `{command}`")
    for group in data["groups"]:
        parts += [f"**{group['title']}**", group["method"], _table(group)]
        if said := schema.verdict(group):
            parts.append(said)
    return "\n\n".join(parts)


def _made(name: str, folder: Path) -> str:
    path = folder / name
    if not path.is_file():
        raise ToolError(
            f"README.md takes {name}, which is not in {folder.name}/: run the "
            "benchmark that writes it, or take its markers out."
        )
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return text.strip()
    try:
        return as_markdown(json.loads(text))
    except ValueError as error:
        raise ToolError(f"{name}: {error}") from error


def sources(text: str) -> list[str]:
    """The files that a text takes its tables from, in their order."""
    return [match[2] for match in PART.finditer(text)]


def filled(text: str, folder: Path = HERE) -> str:
    """The text with everything between markers made again from the files of *folder*.

    Raises:
        ToolError: A file is missing or does not follow the schema, or a marker has no
            partner.
    """
    if len(sources(text)) != text.count("<!-- from:") or text.count(END) != len(
        sources(text)
    ):
        raise ToolError(
            f"a marker of the page has no partner: each `<!-- from: FILE -->` needs an "
            f"`{END}` after it."
        )
    return PART.sub(lambda m: f"{m[1]}\n{_made(m[2], folder)}\n\n{m[4]}", text)


def renew(path: Path | None = None) -> None:
    """Make the tables of a page again, from the files beside it."""
    path = path or PAGE
    text = filled(path.read_text(encoding="utf-8"), path.parent)
    path.write_text(text, encoding="utf-8", newline="\n")


def follow(path: Path) -> None:
    """Renew the page if *path* is one of the files that it shows."""
    folder = PAGE.parent.resolve()
    text = PAGE.read_text(encoding="utf-8")
    if path.resolve() in {folder / name for name in sources(text)}:
        renew()


def main(words: list[str] | None = None) -> int:
    """Run the command and return its exit status."""
    if words:
        print(f"error: takes no words, was given {words[0]!r}", file=sys.stderr)
        return 2
    try:
        renew()
    except ToolError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    say(f"Written to {PAGE.parent.name}/{PAGE.name}.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
