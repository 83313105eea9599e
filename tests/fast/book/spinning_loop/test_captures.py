"""What is committed is whole, names no place and is of one run."""

from __future__ import annotations

import json
import platform
import re
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from tests.fast.book.spinning_loop.example import EXAMPLE, LAB, free, fresh, realcase

CAPTURES = EXAMPLE / "captures"
COMMITTED = sorted(CAPTURES.iterdir())


def figures_of(name: str) -> dict[str, Any]:
    return dict(json.loads((CAPTURES / name).read_text("utf-8")))


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.name)
def test_a_capture_names_no_place(path: Path) -> None:
    text = path.read_text("utf-8").replace("/usr/bin/time", "time")
    assert text.strip()
    assert not re.search(r"(?<![\w…])/(root|home|tmp|work|usr|var|opt|Users)\b", text)
    assert platform.node() not in text or len(platform.node()) < 4
    assert not re.search(r"0x[0-9a-f]{5,}", text)
    assert max(map(len, text.splitlines())) < 1_000 or path.suffix == ".json"


def test_every_capture_is_there() -> None:
    names = {path.name for path in COMMITTED}
    script = (EXAMPLE / "tools.sh").read_text("utf-8")
    wanted = {f"{tool}.txt" for tool in re.findall(r"^(\w+)\)", script, re.MULTILINE)}
    wanted |= {"real.json", "real.txt", "captures.json", "tools.md"}
    wanted |= {"guard_old.txt", "guard_new.txt"}
    wanted |= {"fresh.json", "fresh.txt", "fresh_stacks.txt", "fresh_core.txt"}
    # Captures that need a build without the GIL, where they could be made.
    assert names - {"free.txt", "yields.txt"} == wanted


def test_the_page_says_of_the_lock_what_the_capture_shows() -> None:
    """Both hops get shorter without it, eight stay long; shares tell no slow run."""
    rows = re.findall(
        r"^poll +(\d) +gil=(\d)((?: +[\d.]+){3})((?: +\d+%){3})$",
        (CAPTURES / "free.txt").read_text("utf-8"),
        re.MULTILINE,
    )
    hops = {(n, gil): [float(hop) for hop in some.split()] for n, gil, some, _ in rows}
    for loops in "18":
        assert median(hops[loops, "0"]) < median(hops[loops, "1"])
    assert min(hops["8", "0"]) > max(hops["1", "0"])
    locked = [
        (hop, int(share.rstrip("%")))
        for n, gil, _, shares in rows
        if gil == "1"
        for hop, share in zip(hops[n, gil], shares.split(), strict=True)
    ]
    slow = [share for hop, share in locked if hop > 10]
    quick = [share for hop, share in locked if hop < 2]
    assert len(slow) + len(quick) == len(locked) == 12
    assert min(slow) < min(quick) < max(slow) < max(quick)


def test_every_capture_is_shown() -> None:
    """On the page, or printed or drawn in going deeper."""
    page = (EXAMPLE.parents[1] / "06_spinning_loop.md").read_text("utf-8")
    cells = json.loads(LAB.read_text("utf-8"))["cells"]
    code = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")
    shown = set(re.findall(r"examples/spinning_loop/captures/([\w.]+)", page + code))
    shown |= set(re.findall(r'(?:captures|found) / "([\w.]+)"', code))
    assert {path.name for path in COMMITTED} - shown == set()


def test_figures_and_their_text_are_of_one_run() -> None:
    real, text = figures_of("real.json"), (CAPTURES / "real.txt").read_text("utf-8")
    assert real["table"] == realcase.table(real) == text
    assert real["versions"]["old"]["starlette"] == "0.36.3"
    yields = free.yields_table(figures_of("captures.json")["yields"])
    assert yields == (CAPTURES / "yields.txt").read_text("utf-8")


def test_the_captures_support_what_the_table_of_tools_says() -> None:
    figures = figures_of("captures.json")
    assert figures["debug_mode"]["debug"] is True
    # A busy machine can take its core away from a callback: then it warns of that one.
    assert figures["debug_mode"]["warnings"] * 20 < figures["debug_mode"]["hops"]
    assert figures["guard_old"]["passed"] is False
    assert figures["guard_new"]["passed"] is True
    assert figures["gdb"]["any_waiting"] > 0
    # All cores and one core are two cases: the first used more than one.
    shares = {
        name: part["process_cpu_share"]
        for name, part in figures["getrusage"].items()
        if name != "machine"
    }
    more_than_one = 1.05  # CPU seconds a second
    assert shares.pop("2_pinned") < more_than_one
    assert sorted(shares) == ["2", "4"]
    assert min(shares.values()) > more_than_one
    # strace of the loops' call alone is the cure: most hops of all four cases.
    hops = {
        name: sum(part["hops"])
        for name, part in figures["strace_one"].items()
        if isinstance(part, dict) and "hops" in part
    }
    assert set(hops) == {"nothing", "every", "epoll", "futex"}
    assert hops["epoll"] > 3 * max(hops["nothing"], hops["every"], hops["futex"])
    holders = figures["pyspy_record"]["gil"]
    loops = sum(n for name, n in holders.items() if name.startswith("loop"))
    assert holders.get("MainThread", 0) < loops
    assert (
        max(
            figures["strace"]["calls"],
            key=lambda c: figures["strace"]["calls"][c]["percent"],
        )
        == "futex"
    )


def test_fresh_processes_and_their_text_are_of_one_run() -> None:
    figures = figures_of("fresh.json")
    text = (CAPTURES / "fresh.txt").read_text("utf-8")
    assert figures["table"] == text == fresh.table(figures)
    assert figures["versions"]["old"]["starlette"] == "0.36.3"
    # Each figure is of as many processes, and of the first test in each.
    assert {figures[name]["tests"] for name in fresh.VARIANTS} == {fresh.ROUNDS}
    # Without -f the loops are not seen; with it they look into their selectors.
    assert figures["D2"]["epoll_wait_calls"] < 5 < figures["D2_all"]["epoll_wait_calls"]
    assert figures["D1_third"]["median"] > figures["D1"]["median"]
    stacks = (CAPTURES / "fresh_stacks.txt").read_text("utf-8")
    assert stacks == figures["D4"]["example"]
    assert stacks.count(" in run_forever") == 2
    core = (CAPTURES / "fresh_core.txt").read_text("utf-8")
    assert core == figures["D5"]["example"]
    assert "Waiting for the GIL" in core
    assert "  take_gil\n" in core
