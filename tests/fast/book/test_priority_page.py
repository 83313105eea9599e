"""The code that chapter 7 prints runs as it is printed, and does what the page says."""

from __future__ import annotations

import contextlib
import io
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[3] / "book" / "07_priority.md"
CELL = re.compile(r"^```\{livecell\}\n:id: (\S+)\n(.*?)^```$", re.M | re.S)
PRINTED = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)


def cells() -> dict[str, str]:
    return dict(CELL.findall(PAGE.read_text(encoding="utf-8")))


@cache
def outputs() -> tuple[dict[str, Any], dict[str, str]]:
    """Run the cells one after the other; return their names and what each said."""
    names: dict[str, Any] = {"__name__": "page", "display": repr}
    printed = {}
    for name, code in cells().items():
        written = io.StringIO()
        with contextlib.redirect_stdout(written):
            exec(compile(code, f"{PAGE.name}:{name}", "exec"), names)
        printed[name] = written.getvalue()
    return names, printed


def test_every_block_of_the_page_is_a_cell_that_runs() -> None:
    blocks = PRINTED.findall(PAGE.read_text(encoding="utf-8"))
    assert [code for code in blocks if "uvicorn" not in code] == [], "make it live"
    _, printed = outputs()
    assert list(printed) == [
        "consumer",
        "consume",
        "protocol",
        "contest",
        "two-loops",
        "gate",
        "loop",
    ]


def test_the_cells_say_what_the_page_says() -> None:
    _, printed = outputs()
    assert printed["consume"].startswith("0 of 3 lost in 23.35 s")
    assert "'3 urgent'" in printed["contest"]
    assert "'1 urgent'" in printed["gate"]
    assert printed["loop"].startswith("0 of 30 lost")


def test_the_printed_consumer_loses_messages_and_ends() -> None:
    names, _ = outputs()
    written = io.StringIO()
    with contextlib.redirect_stdout(written):
        names["run"](names["consumer"](30, cpu=1.0))
    lost = int(written.getvalue().split()[0])
    assert lost > 20, "a lost message ends its own work and its lease"


def test_the_printed_protocol_is_that_of_the_library() -> None:
    names, _ = outputs()
    from looplab.priority import PriorityProtocol
    from ontime.leases import LeaseSettings, consume

    what = LeaseSettings(messages=30)
    printed = consume(what, names["Ported"]())
    library = consume(what, PriorityProtocol())
    assert (printed.lost, printed.makespan) == (library.lost, library.makespan)
    assert printed.lost == 0


def test_the_price_of_the_loop_is_that_of_the_benchmark() -> None:
    path = PAGE.parents[1] / "benchmarks" / "results.json"
    echo = json.loads(path.read_text(encoding="utf-8"))["counts"]["echo"]
    ratio = {row: count / echo["stock loop"] for row, count in echo.items()}
    in_use = ratio["PriorityEventLoop, priorities in use"]
    assert in_use == pytest.approx(1 + 1 / 7, abs=0.015), "a seventh"
    assert ratio["PriorityEventLoop"] == pytest.approx(1.05, abs=0.01), "a twentieth"
