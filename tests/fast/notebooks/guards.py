"""Rules for the cells of notebooks and for prose: each gives what breaks it."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ontime.grade.cells import parse
from tools.execute import only_defines

ROOT = Path(__file__).resolve().parents[3]
NOTEBOOKS = ROOT / "notebooks"
BOOK = ROOT / "book"

CLOCKS = {"live", "exact", "measured"}
KNOWN_TAGS = CLOCKS | {
    "check", "exercise", "hide-cell", "hide-input", "nbval-ignore-output",
    "raises-exception", "remove-cell", "remove-input", "solution",
}  # fmt: skip
LONGEST_LINE = 79
MOST_LINES_LIVE = 25
GLUED_IMAGE = "application/papermill.record/image/"

Notebook = dict[str, Any]
Cell = dict[str, Any]


def notebooks() -> list[Path]:
    return sorted(NOTEBOOKS.glob("*.ipynb"))


def load(path: Path) -> Notebook:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert isinstance(notebook, dict)
    return notebook


def source(cell: Cell) -> str:
    text = cell["source"]
    return text if isinstance(text, str) else "".join(text)


def tags(cell: Cell) -> set[str]:
    return set(cell["metadata"].get("tags", ()))


def code_cells(notebook: Notebook) -> list[Cell]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


# ------------------------------------------------------------- rules for a cell


def bad_tags(cell: Cell) -> Iterator[str]:
    """Exactly one clock, no unknown tag, ignored output where measured only."""
    names = tags(cell)
    if len(names & CLOCKS) != 1:
        yield f"has not one of the tags {sorted(CLOCKS)}, but {sorted(names & CLOCKS)}"
    if names - KNOWN_TAGS:
        yield f"unknown tags {names - KNOWN_TAGS}"
    ignored = "nbval-ignore-output" in names
    if "measured" in names and not ignored:
        yield "measured, so its output changes: tag it nbval-ignore-output"
    # Nbval would compare a glued image.
    if ignored and "measured" not in names and not _glues_image(cell):
        yield "nbval-ignore-output is for measured cells: this one must be compared"


def _glues_image(cell: Cell) -> bool:
    return any(
        mime.startswith(GLUED_IMAGE)
        for output in cell["outputs"]
        for mime in output.get("data", ())
    )


def bad_share(cell: Cell) -> Iterator[str]:
    """A cell that measures says how much of the machine was free."""
    measures = "measured" in tags(cell) and not only_defines(source(cell))
    share = cell["metadata"].get("free_cores")
    if measures and share is None:
        yield "measures, but was not run by make execute"
    elif not measures and share is not None:
        yield "measures nothing, but has a share of free cores"
    elif measures and not 0 < share <= 1:
        yield f"{share} is no share of the cores"


#: The metadata of a solution: what the button says that unfolds it.
PROMPTS = {
    "code_prompt_show": "Show the solution",
    "code_prompt_hide": "Hide the solution",
}


def unnamed_solution(cell: Cell) -> Iterator[str]:
    """A folded solution says that it is one."""
    if "solution" in tags(cell) and cell["metadata"].get("mystnb") != PROMPTS:
        yield f'give this solution the metadata "mystnb": {PROMPTS}'


def nothing_shown(cell: Cell) -> Iterator[str]:
    """There is code, and what was measured is there; nbval compares the rest."""
    statements = parse(source(cell)).body
    ends_in_a_value = bool(statements) and isinstance(statements[-1], ast.Expr)
    if not source(cell).strip():
        yield "is empty; take it out"
    if "measured" in tags(cell) and ends_in_a_value and not cell["outputs"]:
        yield "shows nothing; run `make execute`"


def error(cell: Cell) -> Iterator[str]:
    """An error is on purpose (raises-exception) or it is a mistake."""
    failed = any(output["output_type"] == "error" for output in cell["outputs"])
    if failed is not ("raises-exception" in tags(cell)):
        yield "raises without the tag raises-exception, or has it and does not raise"


TRACES = {
    "a path of one machine": re.compile(
        r"(?<![\w/.:<])/(?:home|root|Users|tmp|var|private|opt|usr|mnt|srv|work)/"
        r"|\b[A-Z]:\\\w|site-packages|ipykernel_\d+"
    ),
    "a time stamp": re.compile(
        r"\b(?:19|20)\d\d-[01]\d-[0-3]\d\b"
        r"|\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\w* \w{3} +\d{1,2} \d\d:\d\d"
    ),
    "a memory address": re.compile(r"\b0x[0-9a-fA-F]{6,}\b"),
}


def output_texts(cell: Cell) -> Iterator[str]:
    """All text of the outputs of a cell; pictures in base64 are left out."""
    for output in cell["outputs"]:
        if "text" in output:
            yield "".join(output["text"])
        for mime, data in output.get("data", {}).items():
            if isinstance(data, dict):
                yield json.dumps(data)
            elif "image/png" not in mime and "image/jpeg" not in mime:
                yield "".join(data)
        yield from output.get("traceback", ())
        if "evalue" in output:
            yield output["evalue"]


def trace_of_a_machine(cell: Cell) -> Iterator[str]:
    """No output tells where or when it was made."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(output_texts(cell)))
    if "raises-exception" in tags(cell):
        # nbval does not compare a traceback, and the page shows it as it is;
        # it may name the file of the cell, but no folder of ours.
        text = re.sub(r"ipykernel_\d+", "", text)
    for what, pattern in TRACES.items():
        if match := pattern.search(text):
            near = text[max(0, match.start() - 20) : match.end() + 20]
            yield f"output holds {what}: {near!r}"
    if "execution" in cell["metadata"]:
        yield "its metadata hold the times of a run"


def too_big(cell: Cell) -> Iterator[str]:
    """Lines that fit a page, and live cells that a reader can hold in mind."""
    lines = source(cell).splitlines()
    for number, line in enumerate(lines, start=1):
        if len(line) > LONGEST_LINE:
            yield f"line {number} has {len(line)} columns, not at most {LONGEST_LINE}"
    if "live" in tags(cell) and len(lines) > MOST_LINES_LIVE:
        yield f"has {len(lines)} lines, not at most {MOST_LINES_LIVE}: split it"


# ------------------------------------------------------------------- prose


UNITS = (
    r"s|ms|µs|μs|us|ns|seconds?|milliseconds?|microseconds?|nanoseconds?"
    r"|times|fold|×|%|per\s?cent|percent"
)
NUMBER = re.compile(
    rf"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?:\s*(?:–|to|and|±)\s*\d[\d,.]*)?"
    rf"[\s\u00a0-]*(?:{UNITS})(?![\w])"
)
ROLE = re.compile(r"\{([\w:.-]+)\}(`+)(?:.*?)(?<!`)\2(?!`)", re.S)
CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)", re.S)
ALLOWED_ROLES = re.compile(
    r"ours|glue(?::\w+)?|published|param|cite(?::\w+)?|doc|ref|term"
)
FENCE = re.compile(r"^\s*(?:>\s*)*(`{3,}|~{3,}|:{3,})\s*(.*)$")
CODE_DIRECTIVES = {
    "code", "code-block", "code-cell", "doctest", "glue", "highlight",
    "literalinclude", "math", "mermaid", "raw",
}  # fmt: skip


def prose_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a MyST page that are prose, with their numbers.

    Fenced code is left out; the content of a directive such as a note is prose.
    """
    fences: list[tuple[str, bool]] = []  # (fence, whether its content is code)
    lines = text.splitlines()
    start = 0
    if lines and lines[0] == "---" and "---" in lines[1:]:
        start = lines.index("---", 1) + 1
    for number, line in enumerate(lines[start:], start=start + 1):
        match = FENCE.match(line)
        in_code = bool(fences) and fences[-1][1]
        if match:
            mark, info = match[1], match[2].strip()
            closes = (
                fences
                and not info
                and mark[0] == fences[-1][0][0]
                and len(mark) >= len(fences[-1][0])
            )
            if closes:
                fences.pop()
                continue
            if not in_code:
                name = re.match(r"\{([\w:.-]+)\}", info)
                code = name[1].split(":")[0] in CODE_DIRECTIVES if name else True
                fences.append((mark, code))
                title = info[name.end() :] if name and not code else ""
                if title:
                    yield number, title
                continue
        # What a reader may guess, and where the answer stands, are settings.
        asks = re.match(r":(number|choice|order|result): ", line)
        if not in_code and not asks and not line.startswith("%"):
            yield number, line


def typed_numbers(text: str) -> list[str]:
    """Numbers with a unit of time or of ratio that were typed into prose.

    Allowed: ``{ours}`` (from a lab), ``{published}`` (theirs, checked by the build),
    ``{param}`` (a setting of an experiment), code, and links.
    """
    faults = []
    # Line by line would miss a role that is broken over two lines: the text is
    # kept whole, with one line for each line of the page.
    lines = [""] * (len(text.splitlines()) + 1)
    for number, line in prose_lines(text):
        lines[number] = line
    prose = "\n".join(lines)

    def blank(match: re.Match[str]) -> str:
        return "\n" * match[0].count("\n")

    def blank_role(match: re.Match[str]) -> str:
        return blank(match) if ALLOWED_ROLES.fullmatch(match[1]) else match[0]

    def blank_code(match: re.Match[str]) -> str:
        # `1.5 s` is a figure in other type, not code.
        if NUMBER.fullmatch(match[2].strip()):
            return match[2]
        return blank(match)

    prose = ROLE.sub(blank_role, prose)
    prose = CODE_SPAN.sub(blank_code, prose)
    prose = re.sub(r"\$\$?[^$]*\$\$?", blank, prose)
    prose = re.sub(r"<!--.*?-->", blank, prose, flags=re.S)
    prose = re.sub(r"\]\([^)]*\)|<https?:[^>]*>|https?://\S+", blank, prose)
    for match in NUMBER.finditer(prose):
        number = prose.count("\n", 0, match.start())
        figure = " ".join(match[0].split())
        faults.append(
            f"line {number}: {figure!r} is typed: pull it from the lab with "
            "{ours}`key:.3f`, or mark it {published}`A2:...` or {param}`...`"
        )
    return faults


#: Reference pages: they state rules with settings, and no result of a run.
RULE_PAGES = {"clock_rules", "looplab_rules"}


def all_pages() -> list[Path]:
    """The pages of the book, those of the reference in ``book/looplab`` too."""
    return sorted([*BOOK.glob("*.md"), *BOOK.glob("*/*.md")])


def pages() -> list[Path]:
    """The pages of the book that may not type a measured number."""
    return [path for path in all_pages() if path.stem not in RULE_PAGES]
