"""The project's own environment: ``.venv`` from requirements.txt, ``node_modules``.

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

from tools.common import ROOT, ToolError, alone, digest, say

__all__ = [
    "clean_environ",
    "ensure_node_modules",
    "ensure_venv",
    "has_node_modules",
    "offer_node_modules",
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


def venv_python(venv: Path) -> Path:
    """The interpreter of an environment."""
    if os.name == "nt":
        return venv / "Scripts" / "python.exe"
    return venv / "bin" / "python"


def clean_environ(venv: Path) -> dict[str, str]:
    """The variables for a program that runs inside the environment.

    Settings, kernels and start-up files of the user's own Jupyter, IPython and
    matplotlib stay outside: they would change the outputs.
    """
    environ = {k: v for k, v in os.environ.items() if k not in UNWANTED}
    bin_folder = str(venv_python(venv).parent)
    environ["PATH"] = os.pathsep.join([bin_folder, environ.get("PATH", os.defpath)])
    environ["VIRTUAL_ENV"] = str(venv)
    environ["IPYTHONDIR"] = str(venv / "var" / "ipython")
    environ["JUPYTER_CONFIG_DIR"] = str(venv / "var" / "jupyter-config")
    environ["JUPYTER_DATA_DIR"] = str(venv / "var" / "jupyter-data")
    environ["JUPYTER_RUNTIME_DIR"] = str(venv / "var" / "jupyter-runtime")
    environ["JUPYTER_PLATFORM_DIRS"] = "1"
    environ["JUPYTER_PREFER_ENV_PATH"] = "1"
    environ["MPLCONFIGDIR"] = str(venv / "var" / "matplotlib")
    environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
    environ["PYTHONNOUSERSITE"] = "1"
    environ["PYTHONUTF8"] = "1"
    return environ


def ensure_venv(
    root: Path = ROOT,
    *,
    name: str = ".venv",
    extra: tuple[str, ...] = (),
) -> Path:
    """Make the environment unless a finished one with the same stamp is there.

    A second command waits until the first one has made it.

    Args:
        root: The project's folder.
        name: The folder of the environment inside it.
        extra: More requirement files, relative to ``root``.

    Returns:
        The environment's folder.

    Raises:
        ToolError: The environment could not be made, or an install failed.
    """
    with alone(root / "_build" / f"{name}.lock", f"making {name}"):
        return _ensure_venv(root, name, extra)


def _ensure_venv(root: Path, name: str, extra: tuple[str, ...]) -> Path:
    """Make the environment; nobody else does."""
    venv = root / name
    files = ["requirements.txt", *extra]
    version = ".".join(map(str, sys.version_info[:2]))
    packages = sorted(path.parent for path in root.glob("src/*/pyproject.toml"))
    sources = [root / file for file in files]
    sources += [package / "pyproject.toml" for package in packages]
    # Scripts and the editable install hold absolute paths: a moved project is stale.
    wanted = digest(sources, version, str(venv))
    stamp = venv / STAMP
    if _read(stamp) == wanted and venv_python(venv).exists():
        return venv

    say(f"Making the environment {name} (Python {version}); this takes a minute.")
    if venv.is_symlink():
        raise ToolError(f"{venv} is a link: remove it, then run the command again.")
    if venv.exists():
        stamp.unlink(missing_ok=True)
        shutil.rmtree(venv)
    _make_venv(venv)
    python = str(venv_python(venv))
    environ = clean_environ(venv)
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    pip += ["--no-compile"]  # most modules of the packages are never imported
    for file in files:
        _install([*pip, "-r", file], root, environ, f"install {file}")
    ours = [word for package in packages for word in ("-e", str(package))]
    _install(
        [*pip, "--no-deps", "--no-build-isolation", *ours],
        root,
        environ,
        "install the packages in src",
    )
    stamp.write_text(wanted + "\n", encoding="utf-8")
    return venv


def _read(stamp: Path) -> str:
    try:
        return stamp.read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def _make_venv(venv: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "venv", str(venv)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        shutil.rmtree(venv, ignore_errors=True)
        if "ensurepip" in done.stdout or "No module named venv" in done.stdout:
            raise ToolError(
                f"{sys.executable} cannot make environments: install its venv "
                "package (on Debian and Ubuntu: apt install python3-venv)."
            )
        sys.stderr.write(done.stdout)
        raise ToolError(f"{sys.executable} -m venv {venv} failed; its words are above.")


def _install(
    command: list[str], root: Path, environ: dict[str, str], what: str
) -> None:
    if subprocess.run(command, cwd=root, env=environ, check=False).returncode:
        raise ToolError(
            f"could not {what}: see pip's words above; the next run starts afresh."
        )


class NodeMissingError(ToolError):
    """There is no Node or no npm on this machine."""


def has_node_modules(root: Path = ROOT) -> bool:
    """Whether what the live cells are made from is there."""
    parts = ("pyodide/package.json", "esbuild/package.json", "@esbuild")
    return all((root / "node_modules" / part).exists() for part in parts)


def offer_node_modules(root: Path = ROOT) -> None:
    """Install the Node packages for the live cells, or say that they will not run.

    Raises:
        ToolError: ``npm ci`` failed.
    """
    try:
        ensure_node_modules(root)
    except NodeMissingError:
        if not has_node_modules(root):
            say(
                "Node.js with npm was not found: the book is built without cells that "
                "run in the page. Install it (https://nodejs.org) to have them."
            )


def ensure_node_modules(root: Path = ROOT) -> Path:
    """Install what package-lock.json lists unless it is there already.

    Raises:
        ToolError: There is no Node or npm, or ``npm ci`` failed.
    """
    npm = shutil.which("npm")
    if shutil.which("node") is None or npm is None:
        raise NodeMissingError(
            "Node.js with npm is needed for the tests in a browser and was not found: "
            "install it (https://nodejs.org), then run the command again."
        )
    with alone(root / "_build" / "node_modules.lock", "installing node_modules"):
        return _ensure_node_modules(root, npm)


def _ensure_node_modules(root: Path, npm: str) -> Path:
    """Install the Node packages; nobody else does."""
    modules = root / "node_modules"
    wanted = digest([root / "package.json", root / "package-lock.json"])
    stamp = modules / f".{STAMP}"
    if _read(stamp) == wanted:
        return modules
    say("Installing the Node packages for the live cells and for the tests.")
    command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    command.append("--loglevel=error")
    if subprocess.run(command, cwd=root, check=False).returncode:
        raise ToolError("npm ci failed: see its words above.")
    stamp.write_text(wanted + "\n", encoding="utf-8")
    return modules
