"""The published test again and again in one process: warm repeats, and how they grow.

The published figures come from fresh processes, and so do ours that stand beside them:
:mod:`spinning_loop.fresh`.  Here are *warm repeats*: the first test of a process, which
also imports the event loop's back end, is counted apart.  They show how the delay grows
with the number of websockets, which takes too many tests for a process each.

The figures go into ``captures/real.json`` and the same as a table of text into
``captures/real.txt``.

Times are seconds.  The delay is a lottery, so every figure is a median over many tests
in several processes, with the quartiles and the ends beside it.  The variants take
turns, and a block of tests during which other programs used much of the machine is
left out as long as enough quiet ones remain; the result says how many there were.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spinning_loop.environments import ensure, quiet_environ
from spinning_loop.programs import (
    CaptureError,
    FreeCores,
    SkippedError,
    cores,
    find,
    machine,
    parsed,
    run,
    spawn,
    write_text,
)
from spinning_loop.watching import APT

__all__ = ["Program", "Size", "measure", "spread", "table", "write"]

HERE = Path(__file__).resolve().parent
QUIET = 0.10  # share of the machine that others may use during a quiet block
ENOUGH = 3  # a third of the blocks must be quiet, or the others are kept too


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured."""

    rounds: int = 3
    rounds_of_two: int = 6  # of two sockets, as published
    runs: int = 10
    budget: float = 2.5  # seconds of one block of tests
    clients: tuple[int, ...] = (1, 2, 3, 4, 5, 8)


class Program:
    """``sockets.py`` in one of the environments."""

    def __init__(self, python: Path) -> None:
        self.python = python

    def command(self, *arguments: object) -> list[str]:
        script = str(HERE / "sockets.py")
        return [str(self.python), "-X", "utf8", script, *map(str, arguments)]

    def result(
        self, *arguments: object, before: Sequence[str] = (), timeout: float = 600
    ) -> dict[str, Any]:
        """Run it to its end and read the JSON object that it prints."""
        command = [*before, *self.command(*arguments)]
        with spawn(command, env=quiet_environ()) as program:
            program.say("go")
            return parsed(program.wait(timeout))


def spread(values: Sequence[float]) -> dict[str, Any]:
    """Median, quartiles and ends of some seconds, and how many they are.

    Raises:
        CaptureError: There are none.
    """
    if not values:
        raise CaptureError("nothing was measured: the budget of time was too small")
    ordered = sorted(values)
    if len(ordered) > 1:
        low, _, high = statistics.quantiles(ordered, n=4, method="inclusive")
    else:
        low = high = ordered[0]
    return {
        "median": round(statistics.median(ordered), 6),
        "quartiles": [round(low, 6), round(high, 6)],
        "least": round(ordered[0], 6),
        "most": round(ordered[-1], 6),
        "tests": len(ordered),
    }


def summary(blocks: list[dict[str, Any]]) -> dict[str, Any]:
    """The figures of one variant, from its quiet blocks where there are enough."""
    quiet = [b for b in blocks if b["others"] is None or b["others"] <= QUIET]
    kept = quiet if len(quiet) * ENOUGH >= len(blocks) and quiet[1:] else blocks
    return {
        **spread([second for block in kept for second in block["seconds"]]),
        "first": round(statistics.median(b["first"] for b in kept), 6),
        "blocks": len(kept),
        "quiet": kept is quiet,
    }


# ------------------------------------------------------------------ the parts


def timed_variants(
    programs: dict[str, Program],
    size: Size,
    say: Callable[[str], None],
    free: FreeCores,
) -> dict[str, Any]:
    """The growth with the sockets: the variants take turns, so that load meets all."""
    variants: dict[str, tuple[Program, list[object], list[str]]] = {
        "old": (programs["old"], [], []),
        "slept": (programs["old"], ["--real-sleep"], []),
        "pinned": (programs["old"], [], pinned()),
        "new": (programs["new"], [], []),
    }
    blocks: dict[str, dict[int, list[dict[str, Any]]]] = {
        name: {clients: [] for clients in size.clients} for name in variants
    }
    for number in range(max(size.rounds, size.rounds_of_two)):
        every = size.clients if number < size.rounds else (2,)
        say(f"round {number + 1}, {len(every) * len(variants)} blocks of tests")
        for clients in every:
            free.ask()
            for name, (program, extra, before) in variants.items():
                arguments = ["timed", "--clients", clients, "--runs", size.runs]
                arguments += ["--budget", size.budget, *extra]
                block = program.result(*arguments, before=before)
                blocks[name][clients].append(block)
    return {
        name: {str(clients): summary(of) for clients, of in by.items()}
        for name, by in blocks.items()
    }


def pinned() -> list[str]:
    """The prefix that keeps a program on one core.

    Raises:
        SkippedError: There is no ``taskset``, or only one core anyway.
    """
    taskset = find("taskset", APT.format("util-linux"))
    if len(cores()) < 2:
        raise SkippedError("only one core may be used here: pinning changes nothing")
    return [taskset, "-c", str(cores()[0])]


# ------------------------------------------------------------------ all of it


def both(folder: Path, say: Callable[[str], None]) -> dict[str, Program]:
    """The test with each side's libraries.

    Raises:
        SkippedError: An environment cannot be made here.
    """
    return {side: Program(ensure(side, folder, say)) for side in ("old", "new")}


def measure(
    folder: Path, size: Size | None = None, say: Callable[[str], None] = print
) -> dict[str, Any]:
    """Measure, and return what ``captures/real.json`` holds.

    Args:
        folder: Where the environments lie or will be made.
        size: How much to measure.
        say: Called with lines of progress.

    Raises:
        SkippedError: This machine lacks something; the message says what.
        CaptureError: A measurement failed.
    """
    described, free = machine(), FreeCores()
    programs = both(folder, say)
    figures: dict[str, Any] = {
        "machine": described,
        "versions": {side: read_versions(p) for side, p in programs.items()},
        "growth": timed_variants(programs, size or Size(), say, free),
        "idle": {
            side: program.result("idle", "--clients", 4, "--seconds", 0.3)
            for side, program in programs.items()
        },
    }
    free.ask()
    described["free_cores"] = round(free.least, 2)
    return figures


def read_versions(program: Program) -> dict[str, str]:
    done = run(program.command("versions"), quiet_environ())
    return {str(k): str(v) for k, v in parsed(done).items()}


# ------------------------------------------------------------------ the table


def milliseconds(seconds: float) -> str:
    value = seconds * 1000
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"


def cell(figures: dict[str, Any]) -> str:
    low, high = figures["quartiles"]
    return (
        f"{milliseconds(figures['median'])} [{milliseconds(low)}..{milliseconds(high)}]"
    )


def timing(figures: dict[str, Any], of: str) -> str:
    ends = f"{milliseconds(figures['least'])}..{milliseconds(figures['most'])}"
    return f"{cell(figures)}, {ends}, {figures['tests']} {of}"


def row(label: str, words: str) -> str:
    return f"{label:<34} {words}"


def head(figures: dict[str, Any], *sides: str) -> list[str]:
    """What was measured, and on what, as lines."""
    m = figures["machine"]
    lines = []
    for side in sides:
        versions = figures["versions"][side]
        names = ("fastapi", "starlette", "anyio")
        lines.append(f"{side}: {', '.join(f'{n} {versions[n]}' for n in names)}")
    return [
        *lines,
        f"Python {m['python']} {m['build']}, {m['system']} {m['kernel']}, "
        f"{m['cores']} core{'s' if m['cores'] != 1 else ''}",
        m["processor"],
        f"at least {m['free_cores']:.0%} of the cores free, whenever asked",
        "",
    ]


def table(figures: dict[str, Any]) -> str:
    """The figures as lines of text, at most 79 columns wide."""
    growth = figures["growth"]
    lines = head(figures, "old", "new")
    lines.append(
        "warm repeats, milliseconds of one test: median [quartiles], least..most"
    )
    for label, name in (
        ("two sockets at once, old", "old"),
        ("the same on one core", "pinned"),
        ("the same, sleep(0.001)", "slept"),
        ("the same, new libraries", "new"),
    ):
        lines.append(row(label, timing(growth[name]["2"], "tests")))
    lines.append("")
    for side, idle in figures["idle"].items():
        words = f"{idle['turns']:,} loop turns in {idle['seconds']:.2f} s, "
        words += f"{idle['cpu'] / idle['seconds']:.0%} of a core"
        lines.append(row(f"four idle sessions, {side}", words))
    names = ["old", "pinned", "slept", "new"]
    lines += ["", "milliseconds by number of sockets: median [quartiles]"]
    rows = [["sockets", *names]]
    for count in growth["old"]:
        rows.append([count, *(cell(growth[name][count]) for name in names)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for words_of_row in rows:
        lines.append("  ".join(map(str.rjust, words_of_row, widths)))
    loud = sum(not part["quiet"] for name in names for part in growth[name].values())
    lines.append(f"{loud} of the figures were taken while other programs were busy")
    return "\n".join(lines) + "\n"


def write(figures: dict[str, Any], folder: Path) -> None:
    """Write ``real.json`` and ``real.txt``."""
    text = table(figures)
    whole = {**figures, "table": text}
    write_text(folder / "real.json", json.dumps(whole, indent=1) + "\n")
    write_text(folder / "real.txt", text)
