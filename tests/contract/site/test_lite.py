"""A lab in JupyterLite: opened from its page, run, and compared with the notebook."""

from __future__ import annotations

import http.server
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.site import checks, visits
from tools import lite, lite_labs
from tools.common import ROOT, ToolError
from tools.serving import answering

pytestmark = pytest.mark.slow

LAB = "07_priority"
PATIENCE = 1_200_000  # milliseconds; a quiet machine needs some 30 s
#: Chromium itself, for a page with a form, whatever the page is.
CHROMIUM_ASKS = {"content-autofill.googleapis.com:443"}
READY = """
() => {
  const panel = window.jupyterapp?.shell.currentWidget;
  return panel?.sessionContext?.session?.kernel?.status === "idle"
    && panel.content.model.cells.length > 0;
}
"""
RUN = """
async () => {
  await window.jupyterapp.commands.execute("notebook:run-all-cells");
  const panel = window.jupyterapp.shell.currentWidget;
  return JSON.stringify(panel.content.model.toJSON());
}
"""


class Outside(http.server.BaseHTTPRequestHandler):
    """A proxy for every other host, which notes what it is asked and refuses."""

    asked: list[str]

    def refuse(self) -> None:
        if self.path not in CHROMIUM_ASKS:
            self.asked.append(self.path)
        self.send_error(403)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):  # whatever the method is
            return self.refuse
        raise AttributeError(name)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def outside() -> Iterator[tuple[str, list[str]]]:
    """The address of the proxy, and what it was asked."""
    asked: list[str] = []
    handler = type("Handler", (Outside,), {"asked": asked})
    with answering(handler) as origin:
        yield origin, asked


@pytest.fixture(scope="module")
def folder(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site with JupyterLite in it."""
    try:
        lite.ensure_kit(ROOT)
    except ToolError as error:
        pytest.skip(f"what JupyterLite is made of could not be fetched: {error}")
    copy = tmp_path_factory.mktemp("lite") / "html"
    shutil.copytree(site, copy, ignore=shutil.ignore_patterns(lite_labs.FOLDER))
    count = lite_labs.add(copy)
    assert count == len(list((ROOT / "notebooks").glob("*.ipynb")))
    return copy


def shown(cell: dict[str, Any]) -> list[Any]:
    """What a cell shows: text with its stream, and other outputs by their type."""
    outputs: list[Any] = []
    for output in cell["outputs"]:
        if output["output_type"] == "stream":
            text = "".join(output["text"])
            if outputs and outputs[-1][0] == output["name"]:
                outputs[-1] = (output["name"], outputs[-1][1] + text)
            else:
                outputs.append((output["name"], text))
        elif output["output_type"] == "error":
            outputs.append((output["ename"], output["evalue"]))
        else:
            data = output["data"].items()
            outputs.append({kind: "".join(value) for kind, value in data})
    return outputs


@pytest.fixture(scope="module")
def ran(
    folder: Path, browser: Any, outside: tuple[str, list[str]], axe: Path
) -> dict[str, Any]:
    """The notebook after all its cells have run, and what the browser did."""
    proxy, asked = outside
    # Without the exception Playwright sends what is for this machine there too.
    settings = {"server": proxy, "bypass": "127.0.0.1"}
    context = browser.new_context(proxy=settings)
    context.set_default_timeout(PATIENCE)

    def expose(route: Any) -> None:
        """Let the test ask the application instead of its pictures."""
        answer = route.fetch()
        config = answer.json()
        config["jupyter-config-data"]["exposeAppInBrowser"] = True
        route.fulfill(response=answer, json=config)

    context.route("**/lite/jupyter-lite.json*", expose)
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(f"script error: {error}"))
    try:
        with visits.serve(folder) as origin:
            answer = page.goto(f"{origin}{visits.SUB_PATH}notebooks/{LAB}.html")
            assert answer.ok, answer.status
            violations = checks.axe_violations(page, LAB)
            page.get_by_role("link", name="Open in JupyterLite", exact=True).click()
            page.wait_for_function(READY)
            assert asked == []
            notebook = json.loads(page.evaluate(RUN))
            before = list(asked)
            # The count counts: a request to another host is seen.
            page.evaluate("fetch('http://elsewhere.invalid/x').catch(() => null)")
            after = list(asked)
            faults = list(wrong)  # before the page loses its server
    finally:
        context.close()
    return {
        "cells": {cell["id"]: cell for cell in notebook["cells"]},
        "violations": violations,
        "wrong": faults,
        "before": before,
        "after": after,
    }


def test_live_cells_show_what_the_notebook_shows_and_others_say_why(
    ran: dict[str, Any],
) -> None:
    path = ROOT / "notebooks" / f"{LAB}.ipynb"
    cells = json.loads(path.read_text("utf-8"))["cells"]
    live = [cell for cell in cells if "live" in cell["metadata"].get("tags", [])]
    for cell in live:
        assert shown(ran["cells"][cell["id"]]) == shown(cell), cell["source"]
    assert sum(bool(cell["outputs"]) for cell in live) > 10
    elsewhere = 0
    for cell in ran["cells"].values():
        magic, _, why = "".join(cell["source"]).partition("\n")[0].partition(" ")
        if magic == "%%elsewhere":
            assert shown(cell) == [("stdout", why + "\n")]
            elsewhere += 1
    assert elsewhere


def test_nothing_is_asked_of_another_host(ran: dict[str, Any]) -> None:
    assert ran["before"] == []
    assert ran["after"] == ["http://elsewhere.invalid/x"]


def test_the_page_with_the_link(folder: Path, ran: dict[str, Any]) -> None:
    assert ran["violations"] == []
    assert ran["wrong"] == []
    for path in sorted(folder.glob("notebooks/*.html")):
        links = [str(a["href"]) for a in visits.read_page(path).select(".lab-links a")]
        assert len(links) in (1, 3), "itself; its hand-out, here and there"
        for link in links:
            address, _, name = link.partition("?path=")
            assert (path.parent / address).resolve().is_file()
            assert (folder / lite_labs.FOLDER / "files" / name).exists()
