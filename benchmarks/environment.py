"""The benchmarks' own environment, ``.venv-bench``: the book's stays as it is.

It holds what ``benchmarks/requirements.txt`` pins and nothing else.  A stamp is written
last, so an interrupted creation is made anew and never taken for a good one.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from tools.common import ROOT, ToolError, digest, say
from tools.environment import clean_environ, venv_python

__all__ = ["OLDEST", "about", "ensure"]

NAME = ".venv-bench"
OLDEST = (3, 11)
REQUIREMENTS = Path("benchmarks", "requirements.txt")
STAMP = "benchmarks.stamp"
ASK = """\
import json, platform, sys, sysconfig
words = sysconfig.get_config_var("CONFIG_ARGS")
print(json.dumps({
    "version": list(sys.version_info[:3]),
    "name": platform.python_implementation() + " " + platform.python_version(),
    "base": sys.base_prefix,
    "optimised": None if words is None else "--enable-optimizations" in words,
}))
"""


def about(python: str) -> dict[str, Any]:
    """What the interpreter *python* says of itself.

    Raises:
        ToolError: There is no such Python, or it is too old.
    """
    path = shutil.which(python)
    if path is None:
        raise ToolError(f"there is no Python at {python}: give --python another one.")
    try:
        done = subprocess.run(
            [path, "-c", ASK],
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        answer = dict(json.loads(done.stdout))
        version = tuple(answer["version"])
    except (OSError, subprocess.TimeoutExpired, ValueError, KeyError, TypeError):
        raise ToolError(f"{python} is not a Python: give --python another.") from None
    if version[:2] < OLDEST:
        raise ToolError(
            "Python {}.{} or newer is needed, and {} is {}.".format(
                *OLDEST, python, answer["name"]
            )
        )
    return answer | {"path": path}


def ensure(
    python: str = sys.executable,
    root: Path = ROOT,
    *,
    name: str = NAME,
    requirements: Path = REQUIREMENTS,
) -> Path:
    """Return the environment's interpreter; make the environment unless it is there.

    Args:
        python: The interpreter that the environment is made from.
        root: The project's folder.
        name: The environment's folder in it.
        requirements: What it holds, with exact pins.

    Raises:
        ToolError: It could not be made.
    """
    facts = about(python)
    venv = root / name
    pins = root / requirements
    wanted = digest([pins], facts["name"], facts["base"], str(venv))
    stamp = venv / STAMP
    inside = venv_python(venv)
    with contextlib.suppress(OSError):
        if stamp.read_text(encoding="utf-8").strip() == wanted and inside.exists():
            return inside
    if venv.is_symlink():
        raise ToolError(f"{venv} is a link: remove it, then run the command again.")
    say(f"Making the environment {name} ({facts['name']}).")
    if venv.exists():
        stamp.unlink(missing_ok=True)
        shutil.rmtree(venv)
    # From the base interpreter: an environment made from .venv-bench would vanish.
    if _call([_base(facts), "-m", "venv", str(venv)], root):
        shutil.rmtree(venv, ignore_errors=True)
        raise ToolError(
            f"{python} could not make an environment: see its words above; on Debian "
            "and Ubuntu it needs the package python3-venv."
        )
    pip = [str(inside), "-m", "pip", "--disable-pip-version-check", "install"]
    pip += ["--quiet", "--no-deps"]
    environ = clean_environ(venv)
    if not _call([*pip, "-r", str(pins)], root, environ):
        stamp.write_text(wanted + "\n", encoding="utf-8")
        return inside
    # One package that has no build for this machine must not cost the others.
    say("Not all could be installed together; trying them one by one.")
    lines = [line.strip() for line in pins.read_text(encoding="utf-8").splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    failed = [line for line in lines if _call([*pip, line], root, environ)]
    if len(failed) == len(lines):
        raise ToolError("no package could be installed: see pip's words above.")
    say(f"Left out: {', '.join(failed)}. The next run tries again.")
    return inside


def _base(facts: dict[str, Any]) -> str:
    """The interpreter to make the environment from, never one of an environment."""
    version = facts["version"]
    folder = Path(facts["base"])
    if os.name == "nt":
        names = [folder / "python.exe"]
    else:
        names = [
            folder / "bin" / f"python{version[0]}.{version[1]}",
            folder / "bin" / "python3",
        ]
    return str(next((name for name in names if name.exists()), facts["path"]))


def _call(
    command: list[str], root: Path, environ: dict[str, str] | None = None
) -> bool:
    """Run a command; whether it failed."""
    return bool(subprocess.run(command, cwd=root, env=environ, check=False).returncode)
