"""What the benchmarks share: an environment, a fresh process, a counter."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from ontime.measuring import processes
from ontime.measuring.counters import Counter, first_that_counts
from ontime.measuring.machine import machine
from tools.common import ROOT, ToolError, ended
from tools.environment import make_venv, venv_python

FOLDER = ROOT / "benchmarks"
ASK = """\
import json, platform, sysconfig
words = sysconfig.get_config_var("CONFIG_ARGS") or ""
how = "with" if "--enable-optimizations" in words else "without"
name = platform.python_implementation() + " " + platform.python_version()
print(json.dumps([name, how + " profile-guided optimisation"]))
"""


def environment(
    python: str = sys.executable,
    name: str = ".venv-bench",
    pins: Path = FOLDER / "requirements.txt",
) -> str:
    """The interpreter of the benchmarks' own environment, which is made if need be."""
    install = ["--no-deps", "-r", str(pins)]
    return str(venv_python(make_venv(ROOT / name, [pins], [install], python)))


def fresh(
    words: Sequence[str], timeout: float = 600, folder: Path = ROOT, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a process with nothing of the user's Python settings.

    Raises:
        ToolError: It took longer than *timeout* seconds.
    """
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    path = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    kept |= {"PYTHONHASHSEED": "0", "PYTHONNOUSERSITE": "1", "PYTHONPATH": path}
    try:
        return processes.run(words, kept | variables, timeout, folder)
    except TimeoutError:
        raise ToolError(f"{words[-1]} took longer than {timeout:g} s.") from None


def find_counter() -> Counter:
    """The first counter of instructions that works here.

    Raises:
        ToolError: None does.
    """
    counter = first_that_counts(os.environ)
    if counter is None:
        raise ToolError("counting needs perf with hardware counters, or Valgrind.")
    return counter


def about(python: str) -> dict[str, str]:
    """What a reader must know of the machine and the interpreter *python*."""
    name, build = json.loads(fresh([python, "-c", ASK]).stdout)
    facts = machine()
    return {
        "processor": f"{facts['processor']}, {facts['cores']}",
        "system": f"{facts['system']} {platform.machine()}",
        "python": name,
        "build": build,
    }


def status(run: Callable[[], object]) -> int:
    """Run a command and return its exit status; an error is one line."""
    return ended(run, "\nstopped; no results were written")
