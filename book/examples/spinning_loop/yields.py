"""Hops on one core, and the same where a call to ``sched_yield`` does nothing.

A thread of a free-threaded Python that finds a lock taken does not sleep at once.  It
asks the kernel some dozens of times to let others run, and sleeps after that.  This
takes those calls away and changes nothing else: a library that is loaded before that of
C has a ``sched_yield`` that returns at once.
"""

from __future__ import annotations

import platform
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ontime.measuring.processes import last_line
from spinning_loop.environments import quiet_environ
from spinning_loop.free import interpreter, measured, named_version
from spinning_loop.programs import (
    CaptureError,
    SkippedError,
    find,
    machine,
    remember,
    run,
    write_text,
)

__all__ = ["BUILDS", "capture", "shim", "table"]

SHIM = "int sched_yield(void) { return 0; }\n"
BUILDS = {
    "ordinary": "ordinary build",
    "gil=1": "free-threaded, with the lock",
    "gil=0": "free-threaded, without it",
}
SESSIONS = (1, 2, 8)
RUNS = 3
SECONDS = 0.3


def shim(folder: Path) -> Path:
    """The library whose ``sched_yield`` does nothing.

    Raises:
        SkippedError: This is not Linux, or there is no compiler.
        CaptureError: The compiler failed.
    """
    if sys.platform != "linux":
        raise SkippedError("only Linux loads a library before that of C (LD_PRELOAD)")
    compiler = find("cc", "apt install gcc")
    source, library = folder / "yields.c", folder / "yields.so"
    source.write_text(SHIM, "utf-8")
    command = [compiler, "-shared", "-fPIC", "-o", str(library), str(source)]
    done = run(command, quiet_environ())
    if done.returncode:
        raise CaptureError(f"cc failed: {last_line(done.stderr)}")
    return library


def hop(command: list[str], sessions: int, library: Path | None) -> float:
    """Milliseconds of a hop on one core, on average."""
    preload = {"LD_PRELOAD": str(library)} if library is not None else {}
    figures = measured(command, "poll", sessions, SECONDS, cores=1, **preload)
    return round(figures["mean_s"] * 1000, 3)


def capture(output: Path, say: Callable[[str], None]) -> None:
    """Write ``yields.txt``.

    Raises:
        SkippedError: There is no free-threaded Python, or no compiler.
        CaptureError: The measurement failed.
    """
    python = interpreter()
    commands = {
        "ordinary": [sys.executable],
        "gil=1": [python, "-X", "gil=1"],
        "gil=0": [python, "-X", "gil=0"],
    }
    figures: dict[str, Any] = {
        "version": named_version(python),
        "ordinary": f"Python {platform.python_version()}",
        "on": machine(),
        "mean_ms": {},
    }
    with tempfile.TemporaryDirectory() as folder:
        library = shim(Path(folder))
        for number in range(RUNS):
            say(f"round {number + 1} of {RUNS}")
            for sessions in SESSIONS:
                part = figures["mean_ms"].setdefault(str(sessions), {})
                for build, command in commands.items():
                    row = part.setdefault(build, {"calls": [], "none": []})
                    row["calls"].append(hop(command, sessions, None))
                    row["none"].append(hop(command, sessions, library))
    write_text(output / "yields.txt", table(figures))
    remember(output, "yields", figures)


def table(figures: dict[str, Any]) -> str:
    """The figures as lines of text."""
    on = figures["on"]
    text = f"{figures['version']}, free-threaded, and {figures['ordinary']}\n"
    text += f"{on['system']} {on['kernel']}, one of {on['cores']} cores, "
    text += f"{on['processor']}; load {on['load_before']} before\n\n"
    text += f"a hop on one core, ms on average{'':<7}"
    text += f"{'as it is':<24}sched_yield does nothing\n"
    for sessions, part in figures["mean_ms"].items():
        for build, row in part.items():
            text += f"{sessions} polling, {BUILDS[build]:<29}"
            for values in row["calls"], row["none"]:
                text += "".join(f"{value:>8.2f}" for value in values)
            text += "\n"
    return text
