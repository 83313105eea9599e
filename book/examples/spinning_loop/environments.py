"""The pinned environments: the libraries of the article's time, and today's.

Each is made from a requirement file with exact versions.  It carries a stamp that is
written last: no stamp, or another one, means that it is made anew.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from ontime.measuring.processes import last_line
from spinning_loop.programs import SkippedError, run

HERE = Path(__file__).resolve().parent
STAMP = "spinning-loop.stamp"
CREATION_TIMEOUT = 1800  # seconds: a busy machine needs many


def cache_folder() -> Path:
    """Where the environments lie unless the reader says otherwise."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "on-time-spinning-loop"


def quiet_environ() -> dict[str, str]:
    """The variables for a program that runs inside: none that changes Python."""
    others = ("PYTHON", "VIRTUAL_ENV", "PIP_PREFIX", "PIP_TARGET", "PIP_USER")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(others)}
    ours = ("PYTHONNOUSERSITE", "PYTHONUTF8", "PYTHONDONTWRITEBYTECODE")
    return kept | dict.fromkeys(ours, "1")


def environ_with_ours() -> dict[str, str]:
    """The variables for a program of ours: the packages of this tree, and no others."""
    return {**quiet_environ(), "PYTHONPATH": str(HERE.parents[2] / "src")}


def ensure(side: str, folder: Path, say: Callable[[str], None] = print) -> Path:
    """Make an environment unless a finished one with the same pins is there.

    Args:
        side: ``old`` or ``new``.
        folder: Where the environments lie.
        say: Called with a line of progress.

    Returns:
        The environment's interpreter.

    Raises:
        SkippedError: It cannot be made here; the message has the last words of pip.
    """
    pins = HERE / f"requirements-{side}.txt"
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    venv = folder.absolute() / f"{side}-{version}"
    python = venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = venv / STAMP
    wanted = f"{sys.version} {venv}\n{pins.read_text('utf-8')}"
    if python.exists() and stamp.is_file() and stamp.read_text("utf-8") == wanted:
        return python
    say(f"making the environment {venv.name} (a minute, once)")
    shutil.rmtree(venv, ignore_errors=True)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--no-input"]
    pip += ["install", "--quiet", "--only-binary", ":all:", "-r", str(pins)]
    for command in [sys.executable, "-m", "venv", str(venv)], pip:
        done = run(command, quiet_environ(), CREATION_TIMEOUT)
        if done.returncode:
            shutil.rmtree(venv, ignore_errors=True)
            raise SkippedError(
                f"the libraries of requirements-{side}.txt could not be installed "
                f"({last_line(done.stderr or done.stdout)}): this needs the package "
                "index, and Python 3.12 has all of them"
            )
    stamp.write_text(wanted, "utf-8")
    return python
