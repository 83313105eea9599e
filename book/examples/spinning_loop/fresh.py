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

import os
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spinning_loop.environments import quiet_environ
from spinning_loop.programs import (
    CaptureError,
    FreeCores,
    SkippedError,
    clean,
    find,
    finished,
    parsed,
    started,
    write_text,
)
from spinning_loop.realcase import (
    Program,
    head,
    keep,
    of_both,
    pinned,
    row,
    spread,
    timing,
)
from spinning_loop.watching import (
    APT,
    called_by,
    gdb_command,
    gdb_run,
    gdb_script,
    innermost,
    part_of,
    strace_rows,
    tracing,
    waiting,
)

# Shares of the usual time of a test after which one is looked at: both loops run by
# then.
MOMENTS = (0.6, 0.7, 0.8, 0.9)
# How many processes there are: of each variant, dumped, aborted; how many attaches.
ROUNDS, DUMPS, ABORTED, ATTACHES = 20, 40, 16, 12


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


def first_test(program: Program, variant: Variant, calls: Path) -> dict[str, Any]:
    """The test in one fresh process: seconds, and the calls where it is traced."""
    arguments = ["timed", "--runs", 0, "--clients", variant.clients, *variant.extra]
    if variant.traced is None:
        return program.result(*arguments, before=pinned() if variant.pinned else [])
    strace = find("strace", APT.format("strace"))
    with started(program.command(*arguments, "--wait"), env=quiet_environ()) as traced:
        command = [strace, *variant.traced, "-o", str(calls), "-p", str(traced.pid)]
        with tracing(command):
            figures = parsed(finished(traced, 180))
    return {**figures, "calls": strace_rows(calls.read_text("utf-8"))}


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
    calls: Path,
    say: Callable[[str], None],
    free: FreeCores,
) -> dict[str, Any]:
    """All variants in turns."""
    blocks: dict[str, list[dict[str, Any]]] = {name: [] for name in VARIANTS}
    for number in range(ROUNDS):
        say(f"round {number + 1} of {ROUNDS}, {free} of the cores free")
        free.ask()
        for name, variant in VARIANTS.items():
            program = programs["new" if name == "new" else "old"]
            blocks[name].append(first_test(program, variant, calls))
    figures: dict[str, Any] = {}
    for name, parts in blocks.items():
        figures[name] = spread([part["first"] for part in parts])
        if VARIANTS[name].traced is not None:
            figures[name] |= added([part["calls"] for part in parts])
    return figures


# ------------------------------------------------------------------ D4


def thread_dumps(program: Program, folder: Path, usual: float) -> dict[str, Any]:
    """D4: where the threads are in the first test of a process."""
    places: list[Counter[str]] = [Counter(), Counter(), Counter()]
    together: Counter[str] = Counter()
    crashed = quick = starting = 0
    example: dict[str, str] = {}
    file = folder / "dump.txt"
    for number in range(DUMPS):
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
            f"none of {DUMPS} processes was met with both loops running: this "
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


def go(program: subprocess.Popen[str]) -> None:
    """Let a program that is ready go on."""
    assert program.stdin is not None
    program.stdin.write("go\n")
    program.stdin.flush()


def core_dumps(program: Program, folder: Path, usual: float) -> dict[str, Any]:
    """D5: abort a fresh process with three clients in its test, and read its core."""
    source = f"source {gdb_script()}"
    running = main_waiting = 0
    frames: Counter[str] = Counter()
    example = ""
    for number in range(ABORTED):
        delay = usual * MOMENTS[number % len(MOMENTS)]
        place = folder / f"core-{number}"
        place.mkdir()
        arguments = ["timed", "--runs", 0, "--clients", 3, "--core", "--wait"]
        command = program.command(*arguments)
        with started(command, env=quiet_environ(), cwd=place) as child:
            go(child)
            time.sleep(delay)
            pid = child.pid
            os.kill(pid, signal.SIGABRT)  # if it has ended it is not waited for yet
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
        main = part_of(stacks, pid)
        if main and all(waiting(main).values()):
            main_waiting += 1
            called = called_by(part_of(functions, pid))
            frames.update({name for name in called if name == "take_gil"})
            example = example or shown_core(main, called)
    if not running:
        raise SkippedError(
            "no core file with a running loop was written: allow them (ulimit -c "
            "unlimited, a kernel.core_pattern that names a file)"
        )
    return {
        "cores": running,
        "main_waiting": main_waiting,
        "frames": dict(frames),
        "main": "Waiting for the GIL" if main_waiting else "something else",
        "example": example,
    }


def shown_core(main: str, called: list[str]) -> str:
    """The C functions and the Python stack of the main thread, as lines."""
    upto = next((n for n, name in enumerate(called) if name == "take_gil"), -1) + 3
    lines = ["main thread, functions of C, innermost first:"]
    lines += [f"  {name}" for name in called[:upto]]
    return "\n".join(lines) + "\n\n" + clean(main)


def live(program: Program) -> dict[str, Any]:
    """The same question to a program that repeats the test: warm repeats."""
    source = f"source {gdb_script()}"
    met: list[dict[str, bool]] = []
    arguments = ["timed", "--runs", 10_000_000, "--budget", 120, "--wait"]
    with started(program.command(*arguments), env=quiet_environ()) as traced:
        go(traced)
        for _ in range(ATTACHES):
            command = gdb_command(source, "thread apply all py-bt")
            threads = waiting(gdb_run([*command, "-p", str(traced.pid)]))
            if not threads:
                raise CaptureError("gdb showed no threads")
            met.append(threads)
    return {
        "attaches": len(met),
        "main_waiting": sum(threads["1"] for threads in met),  # gdb's number
        "any_waiting": sum(any(threads.values()) for threads in met),
    }


# ------------------------------------------------------------------ all of it


def capture(output: Path, folder: Path, say: Callable[[str], None]) -> None:
    """Measure, and write ``fresh.json``, ``fresh.txt`` and the examples.

    Raises:
        SkippedError: This machine lacks something; the message says what.
        CaptureError: A measurement failed.
    """
    with (
        of_both(folder, say) as (figures, programs, free),
        tempfile.TemporaryDirectory(prefix="spinning-loop-") as name,
    ):
        place, old = Path(name), programs["old"]
        figures |= timed_variants(programs, place / "calls", say, free)
        say("D4, stacks")
        figures["D4"] = thread_dumps(old, place, figures["D1"]["median"])
        say("D5, core files")
        figures["D5"] = core_dumps(old, place, figures["D1_third"]["median"])
        say("D5, attached")
        figures["D5_live"] = live(old)
    keep(figures, table(figures), output / "fresh")
    for name, part in (("fresh_stacks", "D4"), ("fresh_core", "D5")):
        if figures[part]["example"]:
            write_text(output / f"{name}.txt", figures[part]["example"])


# ------------------------------------------------------------------ the table


def table(figures: dict[str, Any]) -> str:
    """The figures as lines of text, at most 79 columns wide."""
    lines = head(figures, "old")
    lines.append("first test of a fresh process, ms: median [quartiles], least..most")
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
        lines.append(row(label, timing(figures[name], "processes")))
    lines += ["", "system time and calls of a test under strace -c"]
    for label, name in (
        ("D2 main thread alone", "D2"),
        ("   a third client", "D2_third"),
        ("   all threads", "D2_all"),
    ):
        shown = list(figures[name]["calls"].items())[:3]
        calls = (f"{n} {c['percent']:.1f} % ({c['calls']:g})" for n, c in shown)
        lines.append(row(label, ", ".join(calls)))
        looks = f"{figures[name]['epoll_wait_calls']:g} calls"
        lines.append(row("   of these epoll_wait", looks))
    d4, d5, live_d5 = figures["D4"], figures["D5"], figures["D5_live"]
    missed = (
        f"{d4['dumps']} dumps; {d4['starting']} too soon, "
        f"{d4['too_quick']} too late, {d4['crashed']} crashed"
    )
    waits = (
        f"main in {d5['main_waiting']} of {d5['cores']} cores, "
        f"frame {', '.join(d5['frames']) or 'none'}"
    )
    waits_live = (
        f"main in {live_d5['main_waiting']}, any thread in {live_d5['any_waiting']} "
        f"of {live_d5['attaches']}"
    )
    lines += [
        "",
        row("D4 dumps: first; second; main", d4["usual"]),
        row("   met with both loops running", missed),
        row("   main thread in", counted(d4["main"])),
        row("   loop threads in", counted(d4["loops"])),
        row("D5 Waiting for the GIL, 3 clients", waits),
        row("   attached to warm repeats", waits_live),
    ]
    return "\n".join(lines) + "\n"


def counted(counts: dict[str, int]) -> str:
    parts = [f"{name} {count}" for name, count in list(counts.items())[:4]]
    left = sum(list(counts.values())[4:])
    return ", ".join([*parts, f"others {left}"] if left else parts)
