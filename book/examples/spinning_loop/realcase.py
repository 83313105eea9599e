"""The published test again and again in one process: warm repeats, and how they grow.

The published figures come from fresh processes, and so do ours that stand beside them:
:mod:`spinning_loop.fresh`.  Here are *warm repeats*: the first test of a process, which
also imports the event loop's back end, is counted apart.  They show how the delay grows
with the number of websockets, which takes too many tests for a process each.

The figures go into ``captures/real.json`` and the same as a table of text into
``captures/real.txt``.  Every part that cannot run on this machine says why, and the
others still run.

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
    found = spread([second for block in kept for second in block["seconds"]])
    found["first"] = round(statistics.median(b["first"] for b in kept), 6)
    found["blocks"] = len(kept)
    found["quiet"] = kept is quiet
    return found


# ------------------------------------------------------------------ the parts


def timed_variants(
    old: Program,
    new: Program | None,
    size: Size,
    say: Callable[[str], None],
    free: FreeCores,
) -> dict[str, Any]:
    """The growth with the sockets: the variants take turns, so that load meets all."""
    variants: dict[str, tuple[Program, list[object], list[str]]] = {
        "old": (old, [], []),
        "slept": (old, ["--real-sleep"], []),
    }
    why: dict[str, str] = {}
    try:
        variants["pinned"] = (old, [], pinned())
    except SkippedError as error:
        why["pinned"] = str(error)
    if new is None:
        why["new"] = "the environment with today's libraries could not be made"
    else:
        variants["new"] = (new, [], [])
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
                if block["seconds"]:
                    blocks[name][clients].append(block)
    growth: dict[str, Any] = {
        name: {str(clients): summary(found) for clients, found in by.items() if found}
        for name, by in blocks.items()
    }
    for name, reason in why.items():
        growth[name] = {"status": "skipped", "why": reason}
    return growth


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


def attempt(
    name: str, work: Callable[[], dict[str, Any]], say: Callable[[str], None]
) -> dict[str, Any]:
    """The figures of a part, or the reason why there are none."""
    say(name)
    try:
        return {"status": "ran", **work()}
    except SkippedError as error:
        say(f"{name}: skipped, {error}")
        return {"status": "skipped", "why": str(error)}
    except CaptureError as error:
        say(f"{name}: failed, {error}")
        return {"status": "failed", "why": str(error)}


def measure(
    folder: Path, size: Size | None = None, say: Callable[[str], None] = print
) -> dict[str, Any]:
    """Run all parts that this machine allows.

    Args:
        folder: Where the environments lie or will be made.
        size: How much to measure.
        say: Called with lines of progress.

    Returns:
        What ``captures/real.json`` holds.

    Raises:
        CaptureError: Not even the old environment could be made.
    """
    size = size or Size()
    described = machine()
    free = FreeCores()
    old = Program(ensure("old", folder, say))
    new: Program | None = None
    reason = ""
    try:
        new = Program(ensure("new", folder, say))
    except CaptureError as error:
        reason = str(error)
        say(f"today's libraries: skipped, {reason}")
    versions = {"old": read_versions(old)}
    if new is not None:
        versions["new"] = read_versions(new)
    found: dict[str, Any] = {"machine": described, "versions": versions}

    def growth() -> dict[str, Any]:
        return timed_variants(old, new, size, say, free)

    found["growth"] = attempt("warm repeats and their growth", growth, say)
    sides = {"old": old} if new is None else {"old": old, "new": new}
    for side, program in sides.items():

        def idle(program: Program = program) -> dict[str, Any]:
            return program.result("idle", "--clients", 4, "--seconds", 0.3)

        name = f"idle sessions, {side} libraries"
        found.setdefault("idle", {})[side] = attempt(name, idle, say)
    free.ask()
    described["free_cores"] = round(free.least, 2)
    return found


def picked(growth: dict[str, Any], variant: str, clients: str) -> dict[str, Any]:
    """The row of one variant with that many clients."""
    if growth["status"] != "ran":
        return {"status": growth["status"], "why": growth["why"]}
    if growth[variant].get("status") == "skipped":
        return dict(growth[variant])
    if clients not in growth[variant]:
        return {"status": "failed", "why": "no test ended within the budget"}
    return {"status": "ran", **growth[variant][clients]}


def read_versions(program: Program) -> dict[str, str]:
    done = run(program.command("versions"), timeout=300, env=quiet_environ())
    return {str(k): str(v) for k, v in parsed(done).items()}


# ------------------------------------------------------------------ the table


def milliseconds(seconds: float) -> str:
    value = seconds * 1000
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"


def cell(figures: dict[str, Any] | None) -> str:
    if not figures or "median" not in figures:
        return "-"
    low, high = figures["quartiles"]
    return (
        f"{milliseconds(figures['median'])} [{milliseconds(low)}..{milliseconds(high)}]"
    )


def row(label: str, part: dict[str, Any], say: Callable[[dict[str, Any]], str]) -> str:
    what = say(part) if part["status"] == "ran" else f"{part['status']}: {part['why']}"
    return f"{label:<34} {what}"


def table(found: dict[str, Any]) -> str:
    """The figures as lines of text, at most 79 columns wide where nothing failed."""
    m, old = found["machine"], found["versions"]["old"]
    new = found["versions"].get("new")
    names = ("fastapi", "starlette", "anyio")
    lines = [
        f"old: {', '.join(f'{n} {old[n]}' for n in names)}",
        f"new: {', '.join(f'{n} {new[n]}' for n in names)}" if new else "new: not made",
        f"Python {m['python']} {m['build']}, {m['system']} {m['kernel']}, "
        f"{m['cores']} core{'s' if m['cores'] != 1 else ''}",
        m["processor"],
        f"at least {m['free_cores']:.0%} of the cores free, whenever asked",
        "",
        "warm repeats, milliseconds of one test: median [quartiles], least..most",
    ]

    def timing(part: dict[str, Any]) -> str:
        ends = f"{milliseconds(part['least'])}..{milliseconds(part['most'])}"
        return f"{cell(part)}, {ends}, {part['tests']} tests"

    growth = found["growth"]
    for label, name in (
        ("two sockets at once, old", "old"),
        ("the same on one core", "pinned"),
        ("the same, sleep(0.001)", "slept"),
        ("the same, new libraries", "new"),
    ):
        lines.append(row(label, picked(growth, name, "2"), timing))
    lines.append("")
    for side, part in found["idle"].items():
        lines.append(
            row(
                f"four idle sessions, {side}",
                part,
                lambda p: (
                    f"{p['turns']:,} loop turns in {p['seconds']:.2f} s, "
                    f"{p['cpu'] / p['seconds']:.0%} of a core"
                ),
            )
        )
    if growth["status"] != "ran":
        return "\n".join([*lines, f"growth {growth['status']}: {growth['why']}"]) + "\n"
    ran = [v for v in ("old", "pinned", "slept", "new") if "status" not in growth[v]]
    lines += ["", "milliseconds by number of sockets: median [quartiles]"]
    counts = sorted({int(n) for name in ran for n in growth[name]})
    rows = [["sockets", *ran]]
    for count in counts:
        cells = [cell(growth[name].get(str(count))) for name in ran]
        rows.append([str(count), *cells])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for words in rows:
        aligned = map(str.rjust, words, widths)
        lines.append("  ".join(aligned))
    loud = sum(not p["quiet"] for name in ran for p in growth[name].values())
    lines.append(f"{loud} of the figures were taken while other programs were busy")
    return "\n".join(lines) + "\n"


def write(found: dict[str, Any], folder: Path) -> None:
    """Write ``real.json`` and ``real.txt``."""
    text = table(found)
    whole = {**found, "table": text}
    write_text(folder / "real.json", json.dumps(whole, indent=1) + "\n")
    write_text(folder / "real.txt", text)


def failed(found: dict[str, Any]) -> list[str]:
    """The parts that ran and failed: a reason to end with an error."""
    parts = {**found, **{f"idle {k}": v for k, v in found.get("idle", {}).items()}}
    return [
        name
        for name, part in parts.items()
        if isinstance(part, dict) and part.get("status") == "failed"
    ]


def skipped(found: dict[str, Any]) -> list[str]:
    """The parts that this machine does not allow."""
    growth = found.get("growth", {})
    parts = {**found, **{f"growth {k}": v for k, v in growth.items()}}
    return [
        name
        for name, part in parts.items()
        if isinstance(part, dict) and part.get("status") == "skipped"
    ]
