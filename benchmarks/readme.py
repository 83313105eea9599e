"""The tables of ``benchmarks/README.md``, made from the committed results.

``python -m benchmarks.readme`` puts them in again; a benchmark that writes its results
does so too. The prose is written by hand. Between two markers stands what is made::

    <!-- from: results.json -->
    <!-- end -->

A ``.json`` file gives a table for each of its groups, which
:func:`benchmarks.common.group` makes; of a ``.md`` file the text is taken as it is.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).with_name("README.md")
PART = re.compile(r"(<!-- from: (\S+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def number(value: float) -> str:
    """Three significant digits, thousands marked: 1.02, 12,300, 0.00045."""
    if value == 0:
        return "0"
    digits = 2 - math.floor(math.log10(abs(value)))
    return f"{round(value, digits):,.{max(0, digits)}f}"


def line(cells: list[str]) -> str:
    """A line of a table in Markdown."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def table(group: dict[str, Any]) -> str:
    """One group as a Markdown table, without the columns that would be empty."""
    rows = group["rows"]
    has_ratio = any(row.get("ratio") is not None for row in rows)
    has_spread = any(row.get("spread") is not None for row in rows)
    has_note = any(row.get("note") for row in rows)
    titles = ["What ran", f"Value ({group['unit']})"]
    titles += ["Lowest to highest"] * has_spread
    titles += [f"Ratio to {group.get('baseline', 'the baseline')}"] * has_ratio
    titles += ["Note"] * has_note
    marks = ["---"] + ["--:"] * (len(titles) - 1 - has_note) + ["---"] * has_note
    lines = [line(titles), "|" + "|".join(marks) + "|"]
    for row in rows:
        value = row["value"]
        cells = [row["name"], "not run" if value is None else number(value)]
        if has_spread:
            ends = row.get("spread")
            cells.append(" to ".join(map(number, ends)) if ends else "–")
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


def verdict(group: dict[str, Any]) -> str:
    """Whether the group's aim was met, or "" when it has none."""
    aim = group.get("aim")
    if not aim:
        return ""
    row = next(row for row in group["rows"] if row["name"] == aim["name"])
    if "at_most" in aim:
        actual, limit, unit = row.get("ratio"), aim["at_most"], ""
    else:
        actual, limit, unit = row["value"], aim["value_at_most"], f" {group['unit']}"
    if actual is None:
        return f"Aim: {aim['text']}. Not measured in this run."
    state = "Met" if actual <= limit else "Missed"
    return f"Aim: {aim['text']}. {state}: {actual:.2f}{unit}."


def section(group: dict[str, Any]) -> str:
    """One group: its title, its method, its table and its verdict."""
    parts = [f"**{group['title']}**", group["method"], table(group), verdict(group)]
    return "\n\n".join(filter(None, parts))


def as_markdown(data: dict[str, Any]) -> str:
    """A file of results: the machine, then its groups."""
    facts = [f"{name}: {value}" for name, value in data["machine"].items()]
    facts.append(f"Python: {data['python']}")
    if packages := data.get("packages"):
        listed = ", ".join(f"{name} {packages[name]}" for name in sorted(packages))
        facts.append(f"packages: {listed}")
    parts = ["Measured on this machine:", "\n".join(f"- {fact}" for fact in facts)]
    if command := data.get("command"):
        parts.append(f"To measure on yours: `{command}`")
    return "\n\n".join([*parts, *map(section, data["groups"])])


def made(path: Path) -> str:
    """What a file of results gives."""
    text = path.read_text(encoding="utf-8")
    return text.strip() if path.suffix == ".md" else as_markdown(json.loads(text))


def renew() -> None:
    """Make all tables of the page again."""
    folder = PAGE.parent
    text = PART.sub(
        lambda part: f"{part[1]}\n{made(folder / part[2])}\n\n{part[4]}",
        PAGE.read_text(encoding="utf-8"),
    )
    PAGE.write_text(text, encoding="utf-8", newline="\n")


def follow(path: Path) -> None:
    """Renew the page if *path* is one of the files that it shows."""
    shown = {part[2] for part in PART.finditer(PAGE.read_text(encoding="utf-8"))}
    if path.resolve() in {(PAGE.parent / name).resolve() for name in shown}:
        renew()


if __name__ == "__main__":
    renew()
