"""Hops without the GIL: a free-threaded Python, beside itself with the GIL switched on.

Such a build (its command ends in a *t*) runs without the lock, and with it when it is
started with ``-X gil=1``: one interpreter, one machine, and the lock is what differs.

A thread of such a Python that finds a lock taken does not sleep at once.  It asks the
kernel some dozens of times to let others run, and sleeps after that.  The part *yields*
takes those calls away and changes nothing else: a library that is loaded before that of
C has a ``sched_yield`` that returns at once.
"""

from __future__ import annotations

import json
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

from ontime.measuring.processes import last_line
from spinning_loop.environments import environ_with_ours, quiet_environ
from spinning_loop.programs import (
    CaptureError,
    SkippedError,
    cores,
    find,
    machine,
    remember,
    run,
    write_text,
)

NAMES = ("python3.15t", "python3.14t", "python3.13t")
WAYS = ("poll", "queue")
SESSIONS = (1, 2, 4, 8)
RUNS = 3
ON_ONE = (1, 2, 8)  # sessions on one core
SECONDS = 0.5


def interpreter() -> str:
    """A free-threaded Python on the path.

    Raises:
        SkippedError: There is none.
    """
    for name in NAMES:
        if path := shutil.which(name):
            asked = "import sys; print(sys._is_gil_enabled())"
            done = run([path, "-X", "gil=0", "-c", asked], quiet_environ())
            if done.stdout.strip() == "False":
                return path
    raise SkippedError(
        f"there is no free-threaded Python here ({', '.join(NAMES)}): build one with "
        "./configure --disable-gil, and put it on the path"
    )


def named_version(python: str) -> str:
    """What an interpreter calls itself, such as ``Python 3.13.5``."""
    printed = run([python, "-VV"], quiet_environ()).stdout
    version = re.search(r"Python [\d.]+\w*", printed)
    return version.group() if version else "unknown"


# What one fresh process measures: the way, the sessions, seconds, cores or 0 for all.
_HOPS = """
import contextlib, json, statistics, sys
from ontime.crossthread import measure_hops, measure_idle, on_cores, sessions

way, count, seconds, cores = sys.argv[1], *map(float, sys.argv[2:])
with on_cores(int(cores)) if cores else contextlib.nullcontext():
    with sessions(way, int(count)) as opened:
        hops = measure_hops(opened, seconds=seconds, hops=1_000_000)
        idle = measure_idle(opened, seconds)
print(json.dumps({"median_s": hops.median, "mean_s": statistics.mean(hops.taken),
                  "idle_share": idle.share}))
"""


def measured(
    command: list[str],
    way: str,
    sessions: int,
    seconds: float,
    *,
    cores: int = 0,
    **variables: str,
) -> dict[str, float]:
    """Hops and idle loops in a fresh process of the interpreter *command*."""
    words = [way, str(sessions), str(seconds), str(cores)]
    environ = environ_with_ours() | variables
    done = run([*command, "-c", _HOPS, *words], environ, 600)
    if done.returncode:
        raise CaptureError(f"the hops were not measured: {last_line(done.stderr)}")
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def capture(output: Path, folder: Path, say: Callable[[str], None]) -> None:
    """Write ``free.txt``.

    Raises:
        SkippedError: There is no free-threaded Python.
        CaptureError: The measurement failed.
    """
    python = interpreter()
    figures: dict[str, Any] = {
        "version": named_version(python),
        "cores_allowed": len(cores()),
        "on": machine(),
        "poll": {},
        "queue": {},
    }
    for number in range(RUNS):
        say(f"round {number + 1} of {RUNS}")
        # With the lock and without it in turns, so that load meets both.
        for way, sessions, gil in product(WAYS, SESSIONS, (1, 0)):
            hops = measured([python, "-X", f"gil={gil}"], way, sessions, SECONDS)
            part = figures[way].setdefault(str(sessions), {})
            row = part.setdefault(f"gil={gil}", {"median_ms": [], "idle": []})
            row["median_ms"].append(round(hops["median_s"] * 1000, 3))
            row["idle"].append(round(hops["idle_share"], 4))
    write_text(output / "free.txt", table(figures))
    remember(output, "free", figures)


def measured_on(on: dict[str, Any], cores: str) -> str:
    """The machine in a line, and an empty one."""
    text = f"{on['system']} {on['kernel']}, {cores} cores, {on['processor']}; "
    return f"{text}load {on['load_before']} before\n\n"


def table(figures: dict[str, Any]) -> str:
    """The figures as lines of text."""
    text = f"{figures['version']}, free-threaded; -X gil=1 switches the lock on\n"
    text += measured_on(figures["on"], str(figures["cores_allowed"]))
    text += f"{'':<18}{'median of a hop, ms':<28}idle, of a core\n"
    for way in WAYS:
        for sessions, part in figures[way].items():
            for gil, row in part.items():
                hops = "".join(f"{value:>9.3f}" for value in row["median_ms"])
                idle = "".join(f"{value:>6.0%}" for value in row["idle"])
                text += f"{way:<5} {sessions:>2}  {gil}{hops}  {idle}\n"
    return text


# -- the same on one core, where a call to sched_yield does nothing ------------------

SHIM = "int sched_yield(void) { return 0; }\n"
BUILDS = {
    "ordinary": "ordinary build",
    "gil=1": "free-threaded, with the lock",
    "gil=0": "free-threaded, without it",
}


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


def capture_yields(output: Path, folder: Path, say: Callable[[str], None]) -> None:
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
    with tempfile.TemporaryDirectory() as built:
        library = str(shim(Path(built)))
        for number in range(RUNS):
            say(f"round {number + 1} of {RUNS}")
            for sessions, build in product(ON_ONE, commands):
                part = figures["mean_ms"].setdefault(str(sessions), {})
                row = part.setdefault(build, {"calls": [], "none": []})
                for name, preloaded in ("calls", {}), ("none", {"LD_PRELOAD": library}):
                    hops = measured(
                        commands[build], "poll", sessions, 0.3, cores=1, **preloaded
                    )
                    row[name].append(round(hops["mean_s"] * 1000, 3))
    write_text(output / "yields.txt", yields_table(figures))
    remember(output, "yields", figures)


def yields_table(figures: dict[str, Any]) -> str:
    """The figures as lines of text."""
    text = f"{figures['version']}, free-threaded, and {figures['ordinary']}\n"
    text += measured_on(figures["on"], f"one of {figures['on']['cores']}")
    text += f"a hop on one core, ms on average{'':<7}"
    text += f"{'as it is':<24}sched_yield does nothing\n"
    for sessions, part in figures["mean_ms"].items():
        for build, row in part.items():
            text += f"{sessions} polling, {BUILDS[build]:<29}"
            for values in row["calls"], row["none"]:
                text += "".join(f"{value:>8.2f}" for value in values)
            text += "\n"
    return text
