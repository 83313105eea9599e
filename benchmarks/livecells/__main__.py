"""The command: ``python -m benchmarks.livecells``."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks import common, readme
from benchmarks.livecells import lite, measure
from benchmarks.livecells.server import serve
from tests.site.live.driver import MissingError, find_browser, find_node
from tools import lite as kit
from tools.common import ROOT, ToolError, say

RESULTS = ROOT / "benchmarks" / "live_results.json"
ROUNDS = 5


def rounds(text: str) -> int:
    """A whole number over 0."""
    if text.isascii() and text.isdigit() and 0 < int(text) <= 100:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to 100")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(
        prog="python -m benchmarks.livecells",
        description=(
            "Measure the book's live cells beside JupyterLite, print tables and write "
            "benchmarks/live_results.json (only as a whole: --page, --only and "
            "fewer rounds write no file)."
        ),
    )
    top.add_argument(
        "--site",
        type=Path,
        default=ROOT / "_build" / "html",
        help="the built book (default: _build/html; make build makes it)",
    )
    top.add_argument(
        "--page", help="a page of the book, and a # and a cell of it; writes no file"
    )
    top.add_argument(
        "--rounds",
        type=rounds,
        default=ROUNDS,
        help="default: %(default)s; fewer write no file",
    )
    top.add_argument(
        "--only", choices=measure.BROWSERS, help="one browser; writes no file"
    )
    top.add_argument("--output", type=Path, help="write the results here in any case")
    return top


def target(options: argparse.Namespace) -> Path | None:
    """The file that is written: the published one by a whole run only."""
    is_whole = not options.only and not options.page and options.rounds >= ROUNDS
    return options.output or (RESULTS if is_whole else None)


def browsers(only: str | None) -> dict[str, str]:
    """The browsers that are measured, with their paths.

    Raises:
        ToolError: One is not installed.
    """
    try:
        find_node(ROOT)
        kinds = [only] if only else list(measure.BROWSERS)
        return {kind: find_browser(kind) for kind in kinds}
    except MissingError as error:
        raise ToolError(f"{error}.") from None


def run(options: argparse.Namespace) -> None:
    """Measure, print, write."""
    paths = browsers(options.only)
    contenders = [
        measure.ours(options.site, options.page),
        measure.lite(lite.ensure()),
    ]
    found = {kind: {one.name: measure.Visits() for one in contenders} for kind in paths}
    with ExitStack() as stack:
        for one in contenders:
            stack.enter_context(serve(one.counted))
        for turn in range(-1, options.rounds):
            # The first turn fills the caches of disk and servers; it counts nothing.
            say("Warming up." if turn < 0 else f"Round {turn + 1}.")
            for kind, path in paths.items():
                for one in contenders:
                    into = found[kind][one.name] if turn >= 0 else measure.Visits()
                    measure.visit(one, kind, path, into)
                    say(f"  {one.name} in {measure.BROWSERS[kind]}: ", end="")
                    say(f"{into.cold[-1]:.1f} s, then {into.warm[-1]:.1f} s")
    results = about(found) | {"groups": measure.groups(found, options.rounds)}
    for group in results["groups"]:
        say(f"\n{readme.section(group)}")
    file = target(options)
    common.publish(results, file)


def about(found: dict[str, dict[str, measure.Visits]]) -> dict[str, Any]:
    """What a reader must know of the machine and the versions."""
    package = ROOT / "node_modules" / "pyodide" / "package.json"
    ours = json.loads(package.read_text(encoding="utf-8"))["version"]
    folder = ROOT / kit.NAME
    versions = {
        measure.BROWSERS[kind]: by_name[measure.OURS].version.partition("/")[2]
        for kind, by_name in found.items()
    }
    pins = kit.REQUIREMENTS.read_text(encoding="utf-8").split()
    packages = dict(pin.split("==") for pin in pins if "jupyterlite" in pin)
    packages["pyodide (live cells)"] = ours
    packages["pyodide (JupyterLite)"] = kit.pyodide_version(folder)
    return {
        "machine": common.machine_facts() | versions,
        "python": f"Pyodide {ours}",
        "command": "python -m benchmarks.livecells",
        "packages": packages,
    }


if __name__ == "__main__":
    sys.exit(common.status(lambda: run(parser().parse_args())))
