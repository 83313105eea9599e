"""What a program shows in a live cell is what it shows in a notebook."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.contract.livecells.page.bench import PROGRAMS, run_in_kernel
from tests.fast.livecells.runtime.pages import Page


def text_of(output: dict[str, Any]) -> str:
    if output["kind"] == "display":
        return str(output["data"]["text/plain"]) + "\n"
    return str(output["text"]) if output.get("name") == "stdout" else ""


def test_programs_show_what_they_show_in_ipykernel() -> None:
    page, shown = Page(run=asyncio.run), {}
    for name, source in PROGRAMS.items():
        outputs = page.run(source, name)
        assert page.status == "ok", (name, outputs)
        shown[name] = "".join(map(text_of, outputs))
    in_kernel = run_in_kernel(PROGRAMS)
    assert all(in_kernel.values())
    assert shown == in_kernel
