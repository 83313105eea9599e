"""The published test again and again in one process: warm repeats, and how they grow.

The published figures come from fresh processes, and so do ours that stand beside them:
:mod:`spinning_loop.fresh`.  Here are *warm repeats*: the first test of a process, which
also imports the event loop's back end, is counted apart.  They show how the delay grows
with the number of websockets, which takes too many tests for a process each.

The figures go into ``captures/real.json`` and the same as a table of text into
``captures/real.txt``.

Times are seconds.  The delay is a lottery, so every figure is a median over many tests
in several processes, with the quartiles and the ends beside it.  The variants take
turns, and a block of tests before which other programs used much of the machine is left
out as long as enough quiet ones remain; the result says how many there were.
"""

from __future__ import annotations

import contextlib
import json
import statistics
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ontime.measuring.tables import aligned
from spinning_loop.environments import ensure, environ_with_ours
from spinning_loop.programs import (
    FreeCores,
    SkippedError,
    cores,
    find,
    machine,
    parsed,
    run,
    write_text,
)
from spinning_loop.watching import APT

HERE = Path(__file__).resolve().parent
QUIET = 0.10  # share of the cores that others may use before a quiet block
ENOUGH = 3  # a third of the blocks must be quiet, or the others are kept too
ROUNDS = 3
ROUNDS_OF_TWO = 6  # of two sockets, as published
RUNS = 10  # tests of a block
BUDGET = 2.5  # seconds of a block
CLIENTS = (1, 2, 3, 4, 5, 8)


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
        return parsed(run(command, environ_with_ours(), timeout))


def spread(values: Sequence[float]) -> dict[str, Any]:
    """Median, quartiles and ends of some seconds, and how many they are."""
    ordered = sorted(values)
    low, _, high = statistics.quantiles(ordered, n=4, method="inclusive")
    return {
        "median": round(statistics.median(ordered), 6),
        "quartiles": [round(low, 6), round(high, 6)],
        "least": round(ordered[0], 6),
        "most": round(ordered[-1], 6),
        "tests": len(ordered),
    }


def summary(blocks: list[dict[str, Any]]) -> dict[str, Any]:
    """The figures of one variant, from its quiet blocks where there are enough."""
    quiet = [block for block in blocks if block["others"] <= QUIET]
    kept = quiet if len(quiet) * ENOUGH >= len(blocks) and quiet[1:] else blocks
    return {
        **spread([second for block in kept for second in block["seconds"]]),
        "first": round(statistics.median(b["first"] for b in kept), 6),
        "blocks": len(kept),
        "quiet": kept is quiet,
    }


# ------------------------------------------------------------------ the parts


def timed_variants(
    programs: dict[str, Program], say: Callable[[str], None], free: FreeCores
) -> dict[str, Any]:
    """The growth with the sockets: the variants take turns, so that load meets all."""
    variants: dict[str, tuple[Program, list[object], list[str]]] = {
        "old": (programs["old"], [], []),
        "slept": (programs["old"], ["--real-sleep"], []),
        "pinned": (programs["old"], [], pinned()),
        "new": (programs["new"], [], []),
    }
    blocks: dict[str, dict[int, list[dict[str, Any]]]] = {
        name: {clients: [] for clients in CLIENTS} for name in variants
    }
    for number in range(max(ROUNDS, ROUNDS_OF_TWO)):
        every = CLIENTS if number < ROUNDS else (2,)
        say(f"round {number + 1}, {len(every) * len(variants)} blocks of tests")
        for clients in every:
            for name, (program, extra, before) in variants.items():
                others = round(1 - free.ask(), 3)
                arguments = ["timed", "--clients", clients, "--runs", RUNS]
                arguments += ["--budget", BUDGET, *extra]
                block = program.result(*arguments, before=before)
                blocks[name][clients].append({**block, "others": others})
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


@contextlib.contextmanager
def of_both(
    folder: Path, say: Callable[[str], None]
) -> Iterator[tuple[dict[str, Any], dict[str, Program], FreeCores]]:
    """What figures begin with, the test with each side's libraries, and free cores.

    Raises:
        SkippedError: An environment cannot be made here.
    """
    described, free = machine(), FreeCores()
    programs = {side: Program(ensure(side, folder, say)) for side in ("old", "new")}
    versions = {side: programs[side].result("versions") for side in programs}
    yield {"machine": described, "versions": versions}, programs, free
    free.ask()
    described["free_cores"] = round(free.least, 2)


def capture(output: Path, folder: Path, say: Callable[[str], None]) -> None:
    """Measure, and write ``real.json`` and ``real.txt``.

    Raises:
        SkippedError: This machine lacks something; the message says what.
        CaptureError: A measurement failed.
    """
    with of_both(folder, say) as (figures, programs, free):
        figures["growth"] = timed_variants(programs, say, free)
        figures["idle"] = {
            side: program.result("idle", "--clients", 4, "--seconds", 0.3)
            for side, program in programs.items()
        }
    keep(figures, table(figures), output / "real")


def keep(figures: dict[str, Any], text: str, path: Path) -> None:
    """Write figures as JSON and as a table, and print the table."""
    print(text, end="")
    whole = json.dumps({**figures, "table": text}, indent=1)
    write_text(path.with_suffix(".json"), f"{whole}\n")
    write_text(path.with_suffix(".txt"), text)


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
    lines.append(aligned(rows, left=0))
    loud = sum(not part["quiet"] for name in names for part in growth[name].values())
    lines.append(f"{loud} of the figures were taken while other programs were busy")
    return "\n".join(lines) + "\n"
