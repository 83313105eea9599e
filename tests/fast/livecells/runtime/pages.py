"""A session and what it emits, for the tests of the runtime."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

import looplab
from livecells.runtime import Session
from livecells.sphinx.runner import joined

__all__ = ["Page", "Reader", "shown"]


class Page:
    """A session and what it emits, cell by cell; each look at its clock takes 1 ms."""

    def __init__(
        self, *, run: Callable[..., Any] = looplab.run, **settings: Any
    ) -> None:
        self.outputs: list[dict[str, Any]] = []
        clock = itertools.count(step=0.001).__next__
        self.session = Session(self.outputs.append, **{"clock": clock, **settings})
        self._run = run
        self.sources: dict[str, str] = {}

    def run(self, source: str, name: str = "c1") -> list[dict[str, Any]]:
        """Run a cell; its outputs, with the pieces of a stream joined."""
        self.outputs.clear()
        source = textwrap.dedent(source).strip("\n")
        self.sources[name] = source
        label = f"Cell {name[1:]}"
        self.status = self._run(self.session.run_cell(name, label, source))
        return joined(self.outputs)

    def error(self, source: str, name: str = "c1") -> dict[str, Any]:
        """Run a cell that fails; its error."""
        outputs = self.run(source, name)
        assert self.status == "error", outputs
        assert outputs[-1]["kind"] == "error"
        return outputs[-1]

    def text(self, source: str, name: str = "c1") -> str:
        """Run a cell that only prints; what it printed."""
        outputs = self.run(source, name)
        assert self.status == "ok", outputs
        return "".join(output["text"] for output in outputs)


def shown(outputs: list[dict[str, Any]]) -> list[tuple[str, str]]:
    out = []
    for output in outputs:
        if output["kind"] == "stream":
            out.append((output["name"], output["text"]))
        elif output["kind"] == "display":
            data = output["data"]
            mime = "text/html" if "text/html" in data else "text/plain"
            out.append((mime, data[mime]))
        else:
            out.append((output["kind"], output.get("text", "")))
    return out


class Reader:
    """Presses Run on the cells of a page, in any order; edits them and resets them."""

    def __init__(self, cells: Sequence[dict[str, str]]) -> None:
        self.cells = [{"id": cell["id"], "source": cell["source"]} for cell in cells]
        self.page = Page()

    def press(self, place: int) -> list[tuple[str, str]]:
        """What the cell shows after what it needs has run."""
        cell = self.cells[place]
        by_name = {cell["id"]: cell["source"] for cell in self.cells}
        for name in self.page.session.plan(self.cells, cell["id"]):
            outputs = self.page.run(by_name[name], name)
        return shown(outputs)

    def expected(self, place: int) -> list[tuple[str, str]]:
        """What it shows on a page on which nothing else was pressed."""
        return Reader(self.cells).press(place)
