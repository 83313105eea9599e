"""The book's live cells beside JupyterLite: ``python -m benchmarks.livecells``.

A reader opens a page in a browser with a fresh profile, clicks, and sees the output;
then once more in the same browser. JupyterLite's files come from the same server as
ours do: see :mod:`tools.lite`. It prints tables and writes ``live_results.json``, only
as a whole: ``--page``, ``--only`` and fewer rounds write no file.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from benchmarks import common, readme
from benchmarks.livecells.server import Counted, serve
from tests.site.live.driver import MissingError, find_browser, find_node
from tests.site.live.serve import live_pages
from tools import lite as kit
from tools.browser import QUIET
from tools.common import ROOT, ToolError, say

RESULTS = ROOT / "benchmarks" / "live_results.json"
ROUNDS = 5
OURS, LITE = "live cells", "JupyterLite"
BROWSERS = {"chrome": "Chromium", "firefox": "Firefox"}
LIMIT = 180  # seconds; longer than any first run on a slow machine
PROGRAM = 'print("ready", 6 * 7)'
#: The cell of ours: as short a program, which imports the book's tools besides.
CELL = "book/live_cells.html#cell-try"
#: JupyterLite as a book embeds it: a frame that starts when the reader clicks.
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
    """The figures of one contender in one browser, a list entry a round.

    Seconds, and megabytes as they were sent.
    """

    cold: list[float] = field(default_factory=list)
    warm: list[float] = field(default_factory=list)
    stop: list[float] = field(default_factory=list)
    again: list[float] = field(default_factory=list)
    page_sent: list[float] = field(default_factory=list)
    cold_sent: list[float] = field(default_factory=list)
    edit_sent: list[float] = field(default_factory=list)
    warm_sent: list[float] = field(default_factory=list)
    version: str = ""


# -- the contenders ------------------------------------------------------------------


def jupyterlite() -> Contender:
    """JupyterLite with its console only, which is built unless it is there."""
    folder = kit.ensure_kit()
    site, part = folder / "repl", folder / "repl-part"
    if not site.exists():
        say("Building JupyterLite's console.")
        kit.build(part, ["repl"])
        part.rename(site)
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
    for live in live_pages(site):
        for item in live["cells"] if path == live["path"] else ():
            shows = item["text"] and not item["svg"] and not item["folded"]
            if cell == item["id"] or (not cell and shows):
                return path, item["id"]
    raise ToolError(f"no live cell that shows text: {page}")


def live_cells(site: Path, page: str) -> Contender:
    """A cell of the book."""
    path, cell = first_cell(site, page)

    def at(part: str) -> str:
        return f'[id="{cell}"] .{part}'

    words = {
        "button": at("livecell-run"),
        "done": OURS_DONE.replace("CELL", cell),
        "settle": 3,
        "loop": {
            "edit": at("livecell-edit"),
            "editor": at("cm-content"),
            "run": at("livecell-run"),
            "stop": at("livecell-stop"),
            "reset": at("livecell-reset"),
            "busy": OURS_RUNNING.replace("CELL", cell),
            "idle": OURS_STOPPED.replace("CELL", cell),
        },
    }
    return Contender(OURS, Counted(site), path, words)


# -- a visit -------------------------------------------------------------------------


def visit(contender: Contender, browser: str, path: str, into: Visits) -> None:
    """Visit twice in a browser with a fresh profile, and note the figures.

    Raises:
        ToolError: A visit failed.
    """
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    chrome = [*QUIET, *(["--no-sandbox"] if is_root else [])]
    words = {
        "browser": browser,
        "path": path,
        "args": chrome if browser == "chrome" else [],
        "url": f"{contender.counted.origin}/{contender.page}",
        "limit": LIMIT,
    }
    contender.counted.take()
    script = Path(__file__).with_name("visit.mjs")
    done = subprocess.run(
        ["node", str(script), json.dumps(words | contender.words)],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=5 * LIMIT,
        check=False,
    )
    if done.returncode:
        what = f"{contender.name} in {BROWSERS[browser]}"
        raise ToolError(f"{what} failed: {done.stderr[-500:]}")
    answer = json.loads(done.stdout)
    cold, warm = answer["visits"]
    into.version = answer["version"]
    into.cold.append(cold["seconds"])
    into.warm.append(warm["seconds"])
    if "stop" in cold:
        into.stop += [cold["stop"], warm["stop"]]
        into.again += [cold["again"], warm["again"]]
    sent = contender.counted.take()

    def megabytes(start: float, end: float) -> float:
        return sum(size for when, size in sent if start <= 1000 * when < end) / 1e6

    into.page_sent.append(megabytes(cold["opened"], cold["loaded"]))
    into.cold_sent.append(megabytes(cold["loaded"], cold["left"]))
    into.edit_sent.append(megabytes(cold["left"], warm["opened"]))
    into.warm_sent.append(megabytes(warm["opened"], warm["left"]))


# -- the tables ----------------------------------------------------------------------


def times(
    title: str,
    method: str,
    pick: Callable[[Visits], Sequence[float]],
    visits: dict[str, Visits],
    **aim: Any,
) -> dict[str, Any]:
    """A table of seconds, with the ratio to JupyterLite."""
    values = {name: pick(visits[name]) for name in (OURS, LITE)}
    return common.group(title, "s", method, values, LITE, **aim)


def groups(visits: dict[str, dict[str, Visits]], rounds: int) -> list[dict[str, Any]]:
    """The tables of a run, from the visits by browser and contender."""
    tables: list[dict[str, Any]] = []
    for browser, by_name in visits.items():
        name = BROWSERS[browser]
        first = times(
            f"First visit in {name}: from the click to the output",
            f"A fresh profile of the browser in each of {rounds} rounds; nothing is "
            "kept from before. The page has loaded; then the button is clicked.",
            lambda figures: figures.cold,
            by_name,
            aim=(OURS, 0.25, "at most a quarter of JupyterLite's time"),
        )
        second = times(
            f"Second visit in {name}: from the click to the output",
            "The page is closed and opened again in the same browser, and the button "
            "is clicked.",
            lambda figures: figures.warm,
            by_name,
            aim=(OURS, 0.6, "at most 0.6 s") if browser == "chrome" else None,
            of_value=True,
        )
        stop = common.group(
            f"Stop in {name}",
            "s",
            "The cell is edited to an endless loop and run. One row is the time from "
            "the click on Stop until the page says that the cell was stopped. The "
            "other is the next Run of the built cell, from the click to the output. "
            "Python starts again in between.",
            {
                "from Stop to stopped": by_name[OURS].stop,
                "the next Run": by_name[OURS].again,
            },
            aim=("from Stop to stopped", 1.0, "stopped within 1 s"),
            of_value=True,
        )
        tables += [first, second, stop]
    by_name = next(iter(visits.values()))  # the same files are sent to each browser
    ours, peer = by_name[OURS], by_name[LITE]
    clicked = f"{OURS}: after the click"
    sizes = common.group(
        "Megabytes sent, compressed",
        "MB",
        "Counted by the server, which compresses with gzip what gets smaller by it; "
        f"the median of {rounds} rounds. Before the click is what belongs to the page; "
        "of our row that is the whole page of the book. On the second visit the "
        "browser has most files already.",
        {
            f"{OURS}: before the click": ours.page_sent,
            clicked: ours.cold_sent,
            f"{OURS}: after a click on Edit, in addition": ours.edit_sent,
            f"{OURS}: second visit": ours.warm_sent,
            f"{LITE}: after the click": peer.cold_sent,
            f"{LITE}: second visit": peer.warm_sent,
        },
        aim=(clicked, 6.6, "at most 6.6 MB after the click"),
        of_value=True,
    )
    return [*tables, sizes]


def about(visits: dict[str, dict[str, Visits]]) -> dict[str, Any]:
    """What a reader must know of the machine and the versions."""
    package = ROOT / "node_modules" / "pyodide" / "package.json"
    ours = json.loads(package.read_text(encoding="utf-8"))["version"]
    versions = {
        BROWSERS[kind]: by_name[OURS].version.partition("/")[2]
        for kind, by_name in visits.items()
    }
    pins = kit.REQUIREMENTS.read_text(encoding="utf-8").split()
    packages = dict(pin.split("==") for pin in pins if "jupyterlite" in pin)
    packages["pyodide (live cells)"] = ours
    packages["pyodide (JupyterLite)"] = kit.pyodide_version(ROOT / kit.NAME)
    return {
        "machine": common.machine_facts() | versions,
        "python": f"Pyodide {ours}",
        "command": "python -m benchmarks.livecells",
        "packages": packages,
    }


def run() -> None:
    """Measure, print, write."""
    top = argparse.ArgumentParser("python -m benchmarks.livecells", description=__doc__)
    add = top.add_argument
    add("--site", type=Path, default=ROOT / "_build" / "html", help="the built book")
    add("--page", default=CELL, help="a page of the book, and a # and a cell of it")
    add("--rounds", type=int, default=ROUNDS, help="default: %(default)s")
    add("--only", choices=BROWSERS, help="one browser")
    add("--output", type=Path, help="write the results here in any case")
    options = top.parse_args()
    is_whole = not options.only and options.page == CELL and options.rounds >= ROUNDS
    try:
        find_node(ROOT)
        paths = {kind: find_browser(kind) for kind in BROWSERS}
    except MissingError as error:
        raise ToolError(f"{error}.") from None
    kinds = [options.only] if options.only else list(BROWSERS)
    contenders = [live_cells(options.site, options.page), jupyterlite()]
    visits = {kind: {each.name: Visits() for each in contenders} for kind in kinds}
    with ExitStack() as stack:
        for contender in contenders:
            stack.enter_context(serve(contender.counted))
        for turn in range(-1, options.rounds):
            # The first turn fills the caches of disk and servers; it counts nothing.
            say("Warming up." if turn < 0 else f"Round {turn + 1}.")
            for kind in kinds:
                for each in contenders:
                    into = visits[kind][each.name] if turn >= 0 else Visits()
                    visit(each, kind, paths[kind], into)
                    say(f"  {each.name} in {BROWSERS[kind]}: ", end="")
                    say(f"{into.cold[-1]:.1f} s, then {into.warm[-1]:.1f} s")
    results = about(visits) | {"groups": groups(visits, options.rounds)}
    for group in results["groups"]:
        say(f"\n{readme.section(group)}")
    common.publish(results, options.output or (RESULTS if is_whole else None))


if __name__ == "__main__":
    sys.exit(common.status(run))
