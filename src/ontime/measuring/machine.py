"""What a figure was measured on: the machine, its cores, and how many are free."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

__all__ = ["free_cores", "gil_enabled", "machine", "processor", "usable_cores"]


def machine(*packages: str) -> dict[str, str]:
    """What this machine and this Python are, in words, and versions of *packages*.

    Introduced in the chapter *Move CPU work off the loop*.
    """
    # Only where something was measured: a page that only calculates would wait.
    import platform
    import sysconfig
    from importlib.metadata import PackageNotFoundError, version

    cores = usable_cores()
    words = {
        "system": platform.system(),
        "processor": processor() or platform.processor() or platform.machine(),
        "cores": "1 core" if cores == 1 else f"{cores} cores",
        "python": f"Python {platform.python_version()}",
    }
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        gil = "on" if gil_enabled() else "off"
        words["build"] = f"free-threaded build, GIL {gil}"
    for package in packages:
        try:
            words[package] = f"{package} {version(package)}"
        except PackageNotFoundError:
            continue
    return {name: text for name, text in words.items() if text}


def gil_enabled() -> bool:
    """Whether one thread at a time runs Python: False on a free-threaded build."""
    return bool(getattr(sys, "_is_gil_enabled", lambda: True)())


def processor() -> str:
    """The processor's name, where Linux tells it."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return " ".join(line.partition(":")[2].split())
    except OSError:
        pass
    return ""


def usable_cores() -> int:
    """How many cores this process may use, which can be fewer than the machine has."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS or Windows
        return os.cpu_count() or 1


# All begin together: each waits until its input ends.
_SPIN = """\
import sys, time
sys.stdin.read()
begun = time.process_time()
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end: pass
print(time.process_time() - begun)
"""


def free_cores(seconds: float = 0.3) -> float:
    """How many cores other programs leave to this process, at this moment.

    One process for each usable core spins for *seconds*; what CPU time they got
    together, by that time, is the answer.  On a machine where nothing else runs it is
    close to the number of usable cores.  Ask before you believe a speed-up.

    Introduced in the chapter *Move CPU work off the loop*.
    """
    command = [sys.executable, "-S", "-E", "-c", _SPIN, repr(seconds)]
    pipe = subprocess.PIPE
    with ExitStack() as stack:
        spinners: Any = [
            stack.enter_context(subprocess.Popen(command, stdin=pipe, stdout=pipe))
            for _ in range(usable_cores())
        ]
        for spinner in spinners:
            spinner.stdin.close()
        return sum(float(spinner.stdout.read()) for spinner in spinners) / seconds
