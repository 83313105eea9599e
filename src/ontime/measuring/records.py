"""What a figure was measured on, in words."""

from __future__ import annotations

import sys
from pathlib import Path

from .cores import usable_cores

__all__ = ["gil_enabled", "machine", "processor"]


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
