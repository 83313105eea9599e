"""What is measured, and how the visits become rows."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from benchmarks.livecells.server import Counted
from tests.site.live.serve import live_pages
from tools.browser import QUIET
from tools.common import ROOT, ToolError

__all__ = ["BROWSERS", "LITE", "OURS", "Contender", "Visits", "groups", "visit"]

OURS = "live cells"
LITE = "JupyterLite"
BROWSERS = {"chrome": "Chromium", "firefox": "Firefox"}
LIMIT = 180  # seconds; longer than any first run on a slow machine
MEGABYTE = 1e6
PROGRAM = 'print("ready", 6 * 7)'
#: The cell of ours: as short a program, which imports the book's tools besides.
CELL = "book/live_cells.html#cell-try"
HOST = """\
<!doctype html><html lang="en"><title>A page with a cell</title>
<button id="go">Run</button><div id="place"></div>
<script>
document.getElementById("go").addEventListener("click", () => {
  const frame = document.createElement("iframe");
  frame.id = "lite";
  frame.width = 1200;
  frame.height = 600;
  frame.src = "REPL";
  document.getElementById("place").append(frame);
});
</script>
"""
LITE_DONE = """
() => [...(document.getElementById("lite")?.contentDocument
  ?.querySelectorAll(".jp-OutputArea-output") ?? [])]
  .some(element => element.textContent.includes("ready 42"))
"""


#: In the page: the cell has run, and its output is there.
OURS_DONE = """
() => {
  const cell = document.getElementById("CELL");
  return cell.dataset.livecellState === "ran"
    && cell.querySelector(".cell_output.livecell-live")?.textContent.trim();
}
"""
OURS_RUNNING = """
() => document.getElementById("CELL").dataset.livecellState === "running"
  && document.querySelector(".livecells-bar").dataset.livecellsState === "running"
"""
OURS_STOPPED = """
() => document.getElementById("CELL").dataset.livecellState === "stopped"
"""


@dataclass
class Contender:
    """Something that runs a cell when a reader clicks.

    Args:
        name: Of the row.
        counted: The files that are served.
        page: The path of the page with the button.
        words: The selector of the button and the test for the output, for visit.mjs.
    """

    name: str
    counted: Counted
    page: str
    words: dict[str, Any]


@dataclass
class Visits:
    """The figures of one contender in one browser, a list entry a round."""

    cold: list[float] = field(default_factory=list)
    warm: list[float] = field(default_factory=list)
    stop: list[float] = field(default_factory=list)
    again: list[float] = field(default_factory=list)
    page_bytes: list[int] = field(default_factory=list)
    cold_bytes: list[int] = field(default_factory=list)
    edit_bytes: list[int] = field(default_factory=list)
    warm_bytes: list[int] = field(default_factory=list)
    version: str = ""


def lite(site: Path) -> Contender:
    """JupyterLite as a book embeds it: a frame that starts when the reader clicks."""
    repl = f"repl/index.html?kernel=python&toolbar=1&code={quote(PROGRAM)}"
    counted = Counted(site, {"host.html": HOST.replace("REPL", repl)})
    words = {"button": "#go", "done": LITE_DONE, "settle": 2}
    return Contender(LITE, counted, "host.html", words)


def first_cell(site: Path, page: str) -> tuple[str, str]:
    """The page and the cell that are run: those given, or the first that fits.

    Args:
        site: The built book.
        page: ``path#cell``, or a path, whose first cell that shows text is taken.

    Raises:
        ToolError: There is no such page or cell.
    """
    if not (site / "index.html").is_file():
        raise ToolError(f"there is no built book in {site}: run make build.")
    path, _, cell = page.partition("#")
    for one in live_pages(site):
        if path == one["path"]:
            for item in one["cells"]:
                shows = item["text"] and not item["svg"] and not item["folded"]
                if cell == item["id"] or (not cell and shows):
                    return one["path"], item["id"]
    raise ToolError(f"no live cell that shows text: {page}")


def ours(site: Path, page: str | None) -> Contender:
    """A cell of the book: the one named, or a short one."""
    path, cell = first_cell(site, page or CELL)

    def at(part: str) -> str:
        return f'[id="{cell}"] {part}'

    words = {
        "button": at(".livecell-run"),
        "done": OURS_DONE.replace("CELL", cell),
        "settle": 3,
        "loop": {
            "edit": at(".livecell-edit"),
            "editor": at(".cm-content"),
            "run": at(".livecell-run"),
            "stop": at(".livecell-stop"),
            "reset": at(".livecell-reset"),
            "busy": OURS_RUNNING.replace("CELL", cell),
            "idle": OURS_STOPPED.replace("CELL", cell),
        },
    }
    return Contender(OURS, Counted(site), path, words)


def arguments(browser: str) -> list[str]:
    """The command-line arguments for a browser."""
    if browser != "chrome":
        return []
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    return [*QUIET, *(["--no-sandbox"] if root else [])]


def visit(contender: Contender, browser: str, path: str, into: Visits) -> None:
    """Visit twice in a browser with a fresh profile, and note the figures.

    Raises:
        ToolError: Node is missing, or a visit failed.
    """
    node = shutil.which("node")
    if node is None:
        raise ToolError("Node is needed: install it, then run npm ci.")
    counted = contender.counted
    words = {
        "browser": browser,
        "path": path,
        "args": arguments(browser),
        "url": f"{counted.origin}/{contender.page}",
        "limit": LIMIT,
    }
    words |= contender.words
    counted.take()
    script = Path(__file__).with_name("visit.mjs")
    try:
        done = subprocess.run(
            [node, str(script), json.dumps(words)],
            cwd=ROOT,
            capture_output=True,
            encoding="utf-8",
            timeout=5 * LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ToolError(f"{contender.name} in {BROWSERS[browser]} hangs.") from None
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "Error" in line]
        raise ToolError(
            f"{contender.name} in {BROWSERS[browser]}: {(lines or ['failed'])[0]}"
        )
    answer = json.loads(done.stdout)
    cold, warm = answer["visits"]
    into.version = answer["version"]
    into.cold.append(cold["seconds"])
    into.warm.append(warm["seconds"])
    if "stop" in cold:
        into.stop += [cold["stop"], warm["stop"]]
        into.again += [cold["again"], warm["again"]]
    sent = counted.take()

    def span(start: float, end: float) -> int:
        return _bytes(sent, start / 1000, end / 1000)

    into.page_bytes.append(span(cold["opened"], cold["loaded"]))
    into.cold_bytes.append(span(cold["loaded"], cold["left"]))
    into.edit_bytes.append(span(cold["left"], warm["opened"]))
    into.warm_bytes.append(span(warm["opened"], warm["left"]))


def _bytes(sent: Sequence[tuple[float, str, int]], start: float, end: float) -> int:
    return sum(size for when, _, size in sent if start <= when < end)


# ------------------------------------------------------------------- the tables


def _row(
    name: str,
    values: Sequence[float],
    peer: Sequence[float] | None = None,
    note: str = "",
) -> dict[str, Any]:
    """A row: the median of the rounds; with the ratio to *peer* if there is one."""
    row: dict[str, Any] = {
        "name": name,
        "value": statistics.median(values),
        "spread": [min(values), max(values)],
    }
    if peer is not None:
        ratios = [a / b for a, b in zip(values, peer, strict=True)]
        row["ratio"] = statistics.median(ratios)
        row["ratio_spread"] = [min(ratios), max(ratios)]
        row["paired"] = True
    if note:
        row["note"] = note
    return row


def _times(
    title: str,
    method: str,
    pick: Callable[[Visits], list[float]],
    found: Mapping[str, Visits],
    aim: dict[str, Any],
) -> dict[str, Any]:
    ours, peer = pick(found[OURS]), pick(found[LITE])
    return {
        "title": title,
        "unit": "s",
        "method": method,
        "baseline": LITE,
        **({"aim": {"name": OURS, **aim}} if aim else {}),
        "rows": [_row(OURS, ours, peer), _row(LITE, peer, peer)],
    }


def groups(
    found: Mapping[str, Mapping[str, Visits]], rounds: int
) -> list[dict[str, Any]]:
    """The tables of a run, from the visits by browser and contender."""
    runs = f"{rounds} {'round' if rounds == 1 else 'rounds'}"
    made: list[dict[str, Any]] = []
    for browser, by_name in found.items():
        name = BROWSERS[browser]
        made.append(
            _times(
                f"First visit in {name}: from the click to the output",
                f"A fresh profile of the browser in each of {runs}; nothing is kept "
                "from before. The page has loaded; then the button is clicked.",
                lambda one: one.cold,
                by_name,
                {"at_most": 0.25, "text": "at most a quarter of JupyterLite's time"},
            )
        )
        made.append(
            _times(
                f"Second visit in {name}: from the click to the output",
                "The page is closed and opened again in the same browser, and the "
                "button is clicked.",
                lambda one: one.warm,
                by_name,
                {"value_at_most": 0.6, "text": "at most 0.6 s"}
                if browser == "chrome"
                else {},
            )
        )
        ours = by_name[OURS]
        made.append(
            {
                "title": f"Stop in {name}",
                "unit": "s",
                "method": (
                    "The cell is edited to an endless loop and run. One row is the "
                    "time from the click on Stop until the page says that the cell "
                    "was stopped. The other is the next Run of the built cell, from "
                    "the click to the output. Python starts again in between."
                ),
                "aim": {
                    "name": "from Stop to stopped",
                    "value_at_most": 1.0,
                    "text": "stopped within 1 s",
                },
                "rows": [
                    _row("from Stop to stopped", ours.stop),
                    _row("the next Run", ours.again),
                ],
            }
        )
    made.append(_sizes(found, runs))
    return made


def _sizes(found: Mapping[str, Mapping[str, Visits]], runs: str) -> dict[str, Any]:
    """Bytes, from the first browser: the same files are sent to each."""
    by_name = next(iter(found.values()))
    ours, peer = by_name[OURS], by_name[LITE]

    def size(values: Sequence[int]) -> list[float]:
        return [value / MEGABYTE for value in values]

    def row(name: str, values: Sequence[int]) -> dict[str, Any]:
        return _row(name, size(values))

    first = f"{OURS}: after the click"
    return {
        "title": "Megabytes sent, compressed",
        "unit": "MB",
        "method": (
            "Counted by the server, which compresses with gzip what gets smaller by "
            f"it; the median of {runs}. Before the click is what belongs to the page; "
            "of our row that is the whole page of the book. On the second visit the "
            "browser has most files already."
        ),
        "aim": {
            "name": first,
            "value_at_most": 6.6,
            "text": "at most 6.6 MB after the click",
        },
        "rows": [
            row(f"{OURS}: before the click", ours.page_bytes),
            row(first, ours.cold_bytes),
            row(f"{OURS}: after a click on Edit, in addition", ours.edit_bytes),
            row(f"{OURS}: second visit", ours.warm_bytes),
            row(f"{LITE}: after the click", peer.cold_bytes),
            row(f"{LITE}: second visit", peer.warm_bytes),
        ],
    }
