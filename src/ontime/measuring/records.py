"""What a record of a measurement needs: what it was measured on, and a file."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["machine", "record_path", "usable_cores"]


def usable_cores() -> int:
    """How many cores this process may use, which can be fewer than the machine has."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS or Windows
        return os.cpu_count() or 1


def machine(*packages: str) -> dict[str, str]:
    """What this machine and this Python are, in words, and versions of *packages*.

    Introduced in the chapter *Move CPU work off the loop*.
    """
    # Here, since a page that only calculates would wait for them.
    import platform
    import sysconfig

    cores = usable_cores()
    found = {
        "system": platform.system(),
        "processor": _processor(),
        "cores": "1 core" if cores == 1 else f"{cores} cores",
        "python": f"Python {platform.python_version()}",
    }
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        enabled = getattr(sys, "_is_gil_enabled", lambda: True)()
        found["build"] = f"free-threaded build, GIL {'on' if enabled else 'off'}"
    for package in packages:
        version = _version(package)
        if version:
            found[package] = f"{package} {version}"
    return {name: text for name, text in found.items() if text}


def _processor() -> str:
    """The processor's name, where the system tells it."""
    import platform

    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return " ".join(line.partition(":")[2].split())
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def record_path(path: str | Path) -> Path:
    """*path*, if a record can be saved there.

    Raises:
        ValueError: it does not end in ``.json``, beside which the text has its place,
            or it is a folder.
        FileNotFoundError: its folder is not there.
    """
    path = Path(path)
    if path.suffix != ".json":
        raise ValueError(f"{str(path)!r} must end in .json; the text goes beside it")
    if path.is_dir():
        raise ValueError(f"{str(path)!r} is a folder: give the name of a file in it")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(path.parent)!r}: make it")
    return path
