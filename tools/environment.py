"""The project's environments: ``.venv`` from requirements.txt, ``node_modules``.

An environment carries a stamp, a hash of what it was made from, and the stamp is
written last.  No stamp, or another one, means that the environment is made anew, so an
interrupted creation is never mistaken for a good one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tools.common import ROOT, ToolError, digest, say

__all__ = [
    "clean_environ",
    "ensure_node_modules",
    "ensure_venv",
    "has_node_modules",
    "make_venv",
    "venv_python",
]

STAMP = "on-time.stamp"

# Settings of the user's shell that would change what runs inside the environment, or
# have it compiled again in each of many processes.
UNWANTED = (
    "MPLBACKEND",
    "PIP_PREFIX",
    "PIP_REQUIRE_VIRTUALENV",
    "PIP_TARGET",
    "PIP_USER",
    "PYTEST_ADDOPTS",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONWARNINGS",
    "SPHINXOPTS",
    "__PYVENV_LAUNCHER__",
)
# Settings, kernels and start-up files of the user's own would change the outputs.
FOLDERS = {
    "IPYTHONDIR": "ipython",
    "JUPYTER_CONFIG_DIR": "jupyter-config",
    "JUPYTER_DATA_DIR": "jupyter-data",
    "JUPYTER_RUNTIME_DIR": "jupyter-runtime",
    "MPLCONFIGDIR": "matplotlib",
}
SWITCHES = {
    "JUPYTER_PLATFORM_DIRS": "1",
    "JUPYTER_PREFER_ENV_PATH": "1",
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    "PYTHONNOUSERSITE": "1",
    "PYTHONUTF8": "1",
}


def venv_python(venv: Path) -> Path:
    """The interpreter of an environment."""
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def clean_environ(venv: Path) -> dict[str, str]:
    """The variables for a program that runs inside the environment."""
    environ = {k: v for k, v in os.environ.items() if k not in UNWANTED}
    bin_folder = str(venv_python(venv).parent)
    environ["PATH"] = os.pathsep.join([bin_folder, environ.get("PATH", os.defpath)])
    environ["VIRTUAL_ENV"] = str(venv)
    environ |= {name: str(venv / "var" / part) for name, part in FOLDERS.items()}
    return environ | SWITCHES


def ensure_venv(root: Path = ROOT, name: str = ".venv", *extra: str) -> Path:
    """The environment of a command, with all that the project pins and its packages.

    Args:
        root: The project's folder.
        name: The folder of the environment inside it.
        extra: More requirement files, relative to ``root``.

    Raises:
        ToolError: The environment could not be made, or an install failed.
    """
    projects = sorted(root.glob("src/*/pyproject.toml"))
    files = [root / file for file in ("requirements.txt", *extra)]
    ours = [word for project in projects for word in ("-e", str(project.parent))]
    installs = [["-r", str(file)] for file in files]
    installs.append(["--no-deps", "--no-build-isolation", *ours])
    return make_venv(root / name, [*files, *projects], installs)


def make_venv(
    venv: Path,
    sources: list[Path],
    installs: list[list[str]],
    python: str = sys.executable,
) -> Path:
    """Make an environment unless one is there that was made from the same sources.

    Args:
        venv: Its folder.
        sources: The files that say what is installed.
        installs: What ``pip install`` is called with, one call after the other.
        python: The interpreter.

    Raises:
        ToolError: The environment could not be made, or an install failed.
    """
    # Scripts and the editable install hold absolute paths: a moved project is stale.
    notes = [".".join(map(str, sys.version_info[:2])), str(venv)]
    notes += [python] if python != sys.executable else []
    wanted = digest(sources, *notes)
    stamp = venv / STAMP
    if _is_stamped(stamp, wanted) and venv_python(venv).exists():
        return venv
    say(f"Making the environment {venv.name}; this takes a minute.")
    if venv.is_symlink() or Path(sys.prefix) == venv:
        raise ToolError(
            f"{venv} is a link, or this Python's own, and is stale: remove it, then "
            "run the command again with another Python."
        )
    shutil.rmtree(venv, ignore_errors=True)
    if subprocess.run([python, "-m", "venv", str(venv)], check=False).returncode:
        raise ToolError(
            f"{python} -m venv failed, see its words above. On Debian and Ubuntu it "
            "needs a package: apt install python3-venv."
        )
    pip = [str(venv_python(venv)), "-m", "pip", "--disable-pip-version-check"]
    pip += ["install", "--quiet", "--no-compile"]  # most modules are never imported
    for words in installs:
        done = subprocess.run([*pip, *words], env=clean_environ(venv), check=False)
        if done.returncode:
            raise ToolError(
                f"pip install {words[-1]} failed: see pip's words above; the next run "
                "starts afresh."
            )
    stamp.write_text(f"{wanted}\n", encoding="utf-8")
    return venv


def _is_stamped(stamp: Path, wanted: str) -> bool:
    return stamp.is_file() and stamp.read_text(encoding="utf-8").strip() == wanted


def has_node_modules(root: Path = ROOT) -> bool:
    """Whether what the live cells are made from is there."""
    parts = ("pyodide/package.json", "esbuild/package.json", "@esbuild")
    return all((root / "node_modules" / part).exists() for part in parts)


def ensure_node_modules(root: Path = ROOT, *, required: bool = True) -> None:
    """Install what package-lock.json lists unless it is there already.

    Args:
        root: The project's folder.
        required: Whether the command cannot do without; if it can, one line says what
            is missing.

    Raises:
        ToolError: ``npm ci`` failed, or there is no Node or npm.
    """
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        missing = "Node.js with npm (https://nodejs.org) was not found"
        if required:
            raise ToolError(f"{missing}: install it, the tests in a browser need it.")
        if not has_node_modules(root):
            say(f"{missing}: the book is built without cells that run in the page.")
        return
    wanted = digest([root / "package.json", root / "package-lock.json"])
    stamp = root / "node_modules" / f".{STAMP}"
    if _is_stamped(stamp, wanted):
        return
    say("Installing the Node packages for the live cells and for the tests.")
    command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    command.append("--loglevel=error")
    if subprocess.run(command, cwd=root, check=False).returncode:
        raise ToolError("npm ci failed: see its words above.")
    stamp.write_text(f"{wanted}\n", encoding="utf-8")
