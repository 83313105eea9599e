"""The published test, each figure from a fresh process: experiments D1 to D6.

As in the article the client is a *bare* one, so that each websocket has an event loop
in a thread of its own, and each test is the first of its process.  A third client, the
run in which the article took its core dump, is measured beside the two.

``strace`` runs without ``-f``, as published: it sees the main thread alone, and of that
what it does in the test, without Python's start.  A run with ``-f``, which stops all
threads, stands beside it.

The figures go into ``captures/fresh.json``, the same as text into ``fresh.txt``, one
dump into ``fresh_stacks.txt``, and what a debugger read of one core file into
``fresh_core.txt``.  Times are seconds, each a median over many processes with the
quartiles and the ends; the variants take turns, so that load meets all.
"""

from __future__ import annotations

import json
import os
import re
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spinning_loop.environments import ensure, quiet_environ
from spinning_loop.programs import (
    CaptureError,
    FreeCores,
    SkippedError,
    clean,
    find,
    machine,
    parsed,
    spawn,
    write_text,
)
from spinning_loop.realcase import (
    Program,
    attempt,
    cell,
    milliseconds,
    pinned,
    read_versions,
    row,
    spread,
)
from spinning_loop.watching import (
    APT,
    frames_of,
    gdb_command,
    gdb_run,
    gdb_script,
    gdb_threads,
    innermost,
    spawn_tracer,
    strace_rows,
)

__all__ = ["Size", "added", "measure", "table", "write"]

WAITING = "Waiting for the GIL"
# Shares of the usual time of a test after which one is looked at: both loops run by
# then.
MOMENTS = (0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True, slots=True)
class Size:
    """How many processes there are."""

    rounds: int = 20  # of each variant
    dumps: int = 40
    aborted: int = 16
    attaches: int = 12


@dataclass(frozen=True, slots=True)
class Variant:
    """One way of running the test, once in each process."""

    clients: int = 2
    extra: tuple[str, ...] = ()
    pinned: bool = False
    traced: tuple[str, ...] | None = None  # options of strace


VARIANTS = {
    "D1": Variant(),
    "D1_third": Variant(clients=3),
    "D2": Variant(traced=("-c",)),
    "D2_third": Variant(clients=3, traced=("-c",)),
    "D2_all": Variant(traced=("-f", "-c")),
    "D3": Variant(pinned=True),
    "D6": Variant(extra=("--real-sleep",)),
    "new": Variant(),
}


# ------------------------------------------------------------------ D1, D2, D3, D6


def one(program: Program, variant: Variant, calls: Path) -> dict[str, Any]:
    """The test in one fresh process: seconds, and the calls where it is traced."""
    arguments = ["timed", "--runs", 0, "--clients", variant.clients, *variant.extra]
    if variant.traced is None:
        return program.result(*arguments, before=pinned() if variant.pinned else [])
    strace = find("strace", APT.format("strace"))
    with spawn(program.command(*arguments), env=quiet_environ()) as traced:
        command = [strace, *variant.traced, "-o", str(calls), "-p", str(traced.pid)]
        with spawn_tracer(command) as tracer:
            traced.say("go")
            found = parsed(traced.wait(180))
            tracer.wait(30)
    return {**found, "calls": strace_rows(calls.read_text("utf-8"))}


def added(tables: list[dict[str, dict[str, float]]]) -> dict[str, Any]:
    """Several tables of ``strace -c`` as one: shares of all, calls of one process."""
    seconds: Counter[str] = Counter()
    calls: Counter[str] = Counter()
    for part in tables:
        for name, figures in part.items():
            seconds[name] += figures["seconds"]  # type: ignore[assignment]
            calls[name] += int(figures["calls"])
    whole = sum(seconds.values()) or 1.0
    rows = {
        name: {
            "percent": round(100 * spent / whole, 2),
            "calls": round(calls[name] / len(tables), 1),
        }
        for name, spent in seconds.most_common()
    }
    none = {"percent": 0.0, "calls": 0.0}
    return {
        "futex_percent": rows.get("futex", none)["percent"],
        "epoll_wait_calls": rows.get("epoll_wait", none)["calls"],
        "calls": dict(list(rows.items())[:6]),
    }


def timed_variants(
    programs: dict[str, Program],
    size: Size,
    calls: Path,
    say: Callable[[str], None],
    free: FreeCores,
) -> dict[str, Any]:
    """All variants in turns; what cannot run says why, and the others still run."""
    blocks: dict[str, list[dict[str, Any]]] = {name: [] for name in VARIANTS}
    gone: dict[str, dict[str, Any]] = {}
    if "new" not in programs:
        why = "the environment with today's libraries could not be made"
        gone["new"] = {"status": "skipped", "why": why}
    for number in range(size.rounds):
        say(f"round {number + 1} of {size.rounds}, {free} of the cores free")
        free.ask()
        for name, variant in VARIANTS.items():
            if name in gone:
                continue
            program = programs["new" if name == "new" else "old"]
            try:
                blocks[name].append(one(program, variant, calls))
            except SkippedError as error:
                gone[name] = {"status": "skipped", "why": str(error)}
            except CaptureError as error:
                gone[name] = {"status": "failed", "why": str(error)}
    found: dict[str, Any] = {}
    for name, parts in blocks.items():
        if name in gone:
            found[name] = gone[name]
            continue
        found[name] = {"status": "ran", **spread([part["first"] for part in parts])}
        if VARIANTS[name].traced is not None:
            found[name] |= added([part["calls"] for part in parts])
    return found


# ------------------------------------------------------------------ D4


def thread_dumps(
    program: Program, size: Size, folder: Path, usual: float
) -> dict[str, Any]:
    """D4: where the threads are in the first test of a process."""
    places: list[Counter[str]] = [Counter(), Counter(), Counter()]
    together: Counter[str] = Counter()
    crashed = quick = starting = 0
    example: dict[str, str] = {}
    file = folder / "dump.txt"
    for number in range(size.dumps):
        delay = round(usual * MOMENTS[number % len(MOMENTS)], 4)
        try:
            dumped = program.result("stacks", "--delay", delay, "--file", file)
        except CaptureError as error:
            if "signal 11" not in str(error):
                raise
            crashed += 1  # the watchdog read the stack of a thread that ran on
            continue
        if not dumped["dumped"]:
            quick += 1
            continue
        text = file.read_text("utf-8")
        frames = innermost(text)
        if text.count(" in run_forever") != 2 or len(frames) != 3:
            starting += 1  # a loop had not started yet, or had ended
            continue
        second, first, caller = frames
        for count, place in zip(places, (first, second, caller), strict=True):
            count[place] += 1
        key = f"{first}; {second}; {caller}"
        together[key] += 1
        example.setdefault(key, text)
    if not together:
        raise SkippedError(
            f"none of {size.dumps} processes was met with both loops running: this "
            "machine is too quick for this part"
        )
    usually = "; ".join(count.most_common(1)[0][0] for count in places)
    likest = max(example, key=lambda key: (alike(key, usually), together[key]))
    return {
        "dumps": sum(together.values()),
        "crashed": crashed,
        "too_quick": quick,
        "starting": starting,
        "main": dict(places[2].most_common()),
        "loops": dict((places[0] + places[1]).most_common()),
        "usual": usually,
        "together": dict(together.most_common()),
        "example": clean(example[likest]),
    }


def alike(key: str, other: str) -> int:
    """How many threads are at the same place in two dumps."""
    return sum(a == b for a, b in zip(key.split("; "), other.split("; "), strict=True))


# ------------------------------------------------------------------ D5


def core_dumps(
    program: Program, size: Size, folder: Path, usual: float
) -> dict[str, Any]:
    """D5: abort a fresh process with three clients in its test, and read its core."""
    source = f"source {gdb_script()}"
    running = waiting = 0
    frames: Counter[str] = Counter()
    example = ""
    for number in range(size.aborted):
        delay = usual * MOMENTS[number % len(MOMENTS)]
        place = folder / f"core-{number}"
        place.mkdir()
        arguments = ["timed", "--runs", 0, "--clients", 3, "--core"]
        with spawn(
            program.command(*arguments), env=quiet_environ(), cwd=place
        ) as child:
            child.say("go")
            time.sleep(delay)
            pid = child.pid
            os.kill(pid, signal.SIGABRT)  # one that has ended is not waited for yet
            child.wait(60)
        core = next(iter(place.glob("core*")), None)
        if core is None:
            continue
        try:
            command = gdb_command(
                source,
                "thread apply all py-bt",
                "echo \\n--- frames\\n",
                "thread apply all bt 9",
                core=(program.python, core),
            )
            text = gdb_run(command)
        finally:
            core.unlink()
        stacks, _, functions = text.partition("--- frames")
        if "run_forever" not in stacks:
            continue  # no loop ran at that moment
        running += 1
        main = thread_of(stacks, pid)
        if gdb_threads(main).popitem()[1] == WAITING if main else False:
            waiting += 1
            called = frames_of(functions, pid)
            frames.update({name for name in called if name == "take_gil"})
            example = example or shown_core(main, called)
    if not running:
        raise SkippedError(
            "no core file with a running loop was written: allow them (ulimit -c "
            "unlimited, a kernel.core_pattern that names a file)"
        )
    return {
        "cores": running,
        "main_waiting": waiting,
        "frames": dict(frames),
        "main": WAITING if waiting else "something else",
        "example": example,
    }


def thread_of(stacks: str, number: int) -> str:
    """What ``py-bt`` printed of one thread, by the system's number."""
    for part in re.split(r"^(?=Thread \d+ \()", stacks, flags=re.MULTILINE):
        if re.match(rf"Thread \d+ \(.*LWP {number}\b", part):
            return part
    return ""


def shown_core(main: str, called: list[str]) -> str:
    """The C functions and the Python stack of the main thread, as lines."""
    upto = next((n for n, name in enumerate(called) if name == "take_gil"), -1) + 3
    lines = ["main thread, functions of C, innermost first:"]
    lines += [f"  {name}" for name in called[:upto]]
    return "\n".join(lines) + "\n\n" + clean(main)


def live(program: Program, size: Size) -> dict[str, Any]:
    """The same question to a program that repeats the test: warm repeats."""
    source = f"source {gdb_script()}"
    met: list[dict[str, str]] = []
    arguments = ["timed", "--runs", 10_000_000, "--budget", 120]
    with spawn(program.command(*arguments), env=quiet_environ()) as traced:
        traced.say("go")
        for _ in range(size.attaches):
            command = gdb_command(source, "thread apply all py-bt")
            threads = gdb_threads(gdb_run([*command, "-p", str(traced.pid)]))
            if not threads:
                raise CaptureError("gdb showed no threads")
            met.append(threads)
    return {
        "attaches": len(met),
        "main_waiting": sum(t.get("1") == WAITING for t in met),  # gdb's number
        "any_waiting": sum(WAITING in t.values() for t in met),
    }


# ------------------------------------------------------------------ all of it


def measure(
    folder: Path, size: Size | None = None, say: Callable[[str], None] = print
) -> dict[str, Any]:
    """Run all parts that this machine allows.

    Args:
        folder: Where the environments lie or will be made.
        size: How many processes there are.
        say: Called with lines of progress.

    Returns:
        What ``captures/fresh.json`` holds.

    Raises:
        CaptureError: Not even the old environment could be made.
    """
    size = size or Size()
    described = machine()
    free = FreeCores()
    programs = {"old": Program(ensure("old", folder, say))}
    try:
        programs["new"] = Program(ensure("new", folder, say))
    except CaptureError as error:
        say(f"today's libraries: skipped, {error}")
    old = programs["old"]
    found: dict[str, Any] = {
        "machine": described,
        "versions": {side: read_versions(one) for side, one in programs.items()},
    }
    with tempfile.TemporaryDirectory(prefix="spinning-loop-") as place:
        here = Path(place)
        found |= timed_variants(programs, size, here / "calls", say, free)
        usual = {name: found[name].get("median", 0.05) for name in ("D1", "D1_third")}
        found["D4"] = attempt(
            "D4, stacks", lambda: thread_dumps(old, size, here, usual["D1"]), say
        )
        found["D5"] = attempt(
            "D5, core files",
            lambda: core_dumps(old, size, here, usual["D1_third"]),
            say,
        )
        found["D5_live"] = attempt("D5, attached", lambda: live(old, size), say)
    free.ask()
    described["free_cores"] = round(free.least, 2)
    return found


# ------------------------------------------------------------------ the table


def table(found: dict[str, Any]) -> str:
    """The figures as lines of text, at most 79 columns wide where nothing failed."""
    m, old = found["machine"], found["versions"]["old"]
    names = ("fastapi", "starlette", "anyio")
    lines = [
        f"old: {', '.join(f'{n} {old[n]}' for n in names)}",
        f"Python {m['python']} {m['build']}, {m['system']} {m['kernel']}, "
        f"{m['cores']} core{'s' if m['cores'] != 1 else ''}",
        m["processor"],
        f"at least {m['free_cores']:.0%} of the cores free, whenever asked",
        "",
        "first test of a fresh process, ms: median [quartiles], least..most",
    ]

    def timing(part: dict[str, Any]) -> str:
        ends = f"{milliseconds(part['least'])}..{milliseconds(part['most'])}"
        return f"{cell(part)}, {ends}, {part['tests']} processes"

    for label, name in (
        ("D1 two clients", "D1"),
        ("   a third client", "D1_third"),
        ("D2 strace -c, main thread alone", "D2"),
        ("   a third client", "D2_third"),
        ("   strace -f -c, all threads", "D2_all"),
        ("D3 on one core", "D3"),
        ("D6 sleep(0.001)", "D6"),
        ("   new libraries", "new"),
    ):
        lines.append(row(label, found[name], timing))
    lines += ["", "system time and calls of a test under strace -c"]

    def calls(part: dict[str, Any]) -> str:
        shown = list(part["calls"].items())[:3]
        return ", ".join(f"{n} {c['percent']:.1f} % ({c['calls']:g})" for n, c in shown)

    def looks(part: dict[str, Any]) -> str:
        return f"{part['epoll_wait_calls']:g} calls"

    for label, name in (
        ("D2 main thread alone", "D2"),
        ("   a third client", "D2_third"),
        ("   all threads", "D2_all"),
    ):
        lines.append(row(label, found[name], calls))
        lines.append(row("   of these epoll_wait", found[name], looks))
    d4, d5, live_d5 = found["D4"], found["D5"], found["D5_live"]

    def missed(part: dict[str, Any]) -> str:
        return (
            f"{part['dumps']} dumps; {part['starting']} too soon, "
            f"{part['too_quick']} too late, {part['crashed']} crashed"
        )

    def waits(part: dict[str, Any]) -> str:
        return f"main in {part['main_waiting']} of {part.get('cores', '')}" + (
            f" cores, frame {', '.join(part['frames']) or 'none'}"
        )

    def waits_live(part: dict[str, Any]) -> str:
        return (
            f"main in {part['main_waiting']}, any thread in {part['any_waiting']} "
            f"of {part['attaches']}"
        )

    lines += [
        "",
        row("D4 dumps: first; second; main", d4, lambda p: p["usual"]),
        row("   met with both loops running", d4, missed),
        row("   main thread in", d4, lambda p: counted(p["main"])),
        row("   loop threads in", d4, lambda p: counted(p["loops"])),
        row("D5 Waiting for the GIL, 3 clients", d5, waits),
        row("   attached to warm repeats", live_d5, waits_live),
    ]
    return "\n".join(lines) + "\n"


def counted(found: dict[str, int]) -> str:
    parts = [f"{name} {count}" for name, count in list(found.items())[:4]]
    left = sum(list(found.values())[4:])
    return ", ".join([*parts, f"others {left}"] if left else parts)


def write(found: dict[str, Any], folder: Path) -> None:
    """Write ``fresh.json``, ``fresh.txt`` and the examples."""
    text = table(found)
    write_text(
        folder / "fresh.json", json.dumps({**found, "table": text}, indent=1) + "\n"
    )
    write_text(folder / "fresh.txt", text)
    for name, part in (("fresh_stacks", "D4"), ("fresh_core", "D5")):
        if found[part].get("example"):
            write_text(folder / f"{name}.txt", found[part]["example"])
