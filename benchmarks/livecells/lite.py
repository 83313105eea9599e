"""A JupyterLite that serves itself: the baseline.

By default JupyterLite fetches Pyodide and IPython from a content network. For a fair
comparison, and to work without one, everything comes from the package registries and is
served beside the page: Pyodide from npm in the version that the kernel names, and from
PyPI the wheels that the kernel asks for when it starts.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import tarfile
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.common import ROOT, ToolError, digest, say
from tools.environment import clean_environ, venv_python

__all__ = ["ensure", "pyodide_version"]

NAME = ".venv-lite"
HERE = Path(__file__).parent
REQUIREMENTS = HERE / "requirements.txt"
CORE = (
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "pyodide.mjs",
    "pyodide-lock.json",
    "python_stdlib.zip",
)
#: What the kernel installs before it answers, and what is not in Pyodide's list.
KERNEL = ("micropip", "ipython", "jedi")
OTHER = ("comm==0.2.3",)


def ensure(root: Path = ROOT) -> Path:
    """Return the folder with the built JupyterLite; build it unless it is there.

    Raises:
        ToolError: Something could not be downloaded or built.
    """
    folder = root / NAME
    site = folder / "site"
    stamp = folder / "lite.stamp"
    wanted = digest([REQUIREMENTS, Path(__file__)], str(folder))
    if stamp.is_file() and stamp.read_text(encoding="utf-8").strip() == wanted:
        return site
    say(f"Building JupyterLite in {NAME}.")
    if folder.is_symlink():
        raise ToolError(f"{folder} is a link: remove it, then run the command again.")
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True)
    _pip(folder, "install", "--no-deps", "-r", str(REQUIREMENTS))
    content = folder / "content"
    pyodide = content / "static" / "pyodide"
    pyodide.mkdir(parents=True)
    _fetch_pyodide(folder, pyodide)
    _fetch_wheels(folder, pyodide)
    wheels = content / "pypi"
    _pip(folder, "download", "--no-deps", "--dest", str(wheels), *OTHER)
    settings = {
        "jupyter-lite-schema-version": 0,
        "jupyter-config-data": {
            "litePluginSettings": {
                "@jupyterlite/pyodide-kernel-extension:kernel": {
                    "disablePyPIFallback": True
                }
            }
        },
    }
    content.joinpath("jupyter-lite.json").write_text(
        json.dumps(settings), encoding="utf-8"
    )
    command = [str(venv_python(folder)), "-m", "jupyterlite_core", "build"]
    command += ["--lite-dir", str(content), "--output-dir", str(site)]
    command += ["--apps", "repl", "--no-sourcemaps", "--no-unused-shared-packages"]
    _call(command, content)
    stamp.write_text(wanted + "\n", encoding="utf-8")
    return site


def pyodide_version(folder: Path) -> str:
    """The version of Pyodide that the kernel of an environment is made for."""
    (constants,) = folder.rglob("jupyterlite_pyodide_kernel/constants.py")
    text = constants.read_text(encoding="utf-8")
    found = re.search(r'^PYODIDE_VERSION = "([\w.]+)"', text, re.MULTILINE)
    if found is None:
        raise ToolError(f"{constants} names no version of Pyodide.")
    return found[1]


def _fetch_pyodide(folder: Path, target: Path) -> None:
    name = f"pyodide@{pyodide_version(folder)}"
    npm = shutil.which("npm")
    if npm is None:
        raise ToolError("npm is needed to fetch Pyodide: install Node with npm.")
    _call([npm, "pack", "--silent", "--pack-destination", str(folder), name], folder)
    (archive,) = folder.glob("pyodide-*.tgz")
    with tarfile.open(archive) as packed:
        for one in CORE:
            source = packed.extractfile(f"package/{one}")
            assert source is not None
            target.joinpath(one).write_bytes(source.read())
    archive.unlink()


def _closure(packages: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The packages of Pyodide's list that the kernel loads, with their needs."""

    def key(name: str) -> str:
        return re.sub(r"[-_.]+", "-", name).lower()

    todo = list(KERNEL)
    seen = set()
    while todo:
        name = key(todo.pop())
        if name not in seen:
            seen.add(name)
            todo += packages[name]["depends"]
            yield packages[name]


def _fetch_wheels(folder: Path, target: Path) -> None:
    """Put the wheels beside Pyodide, in the versions that its list names.

    PyPI's files are not the same bytes as those that Pyodide's makers built from the
    same source, so the list gets their hashes.
    """
    listed = target / "pyodide-lock.json"
    lock = json.loads(listed.read_text(encoding="utf-8"))
    wanted = list(_closure(lock["packages"]))
    pins = [f"{one['name']}=={one['version']}" for one in wanted]
    options = ["--no-deps", "--only-binary", ":all:", "--python-version", "3.14"]
    _pip(folder, "download", *options, "--dest", str(target), *pins)
    for one in wanted:
        wheel = target / one["file_name"]
        if not wheel.is_file():
            raise ToolError(f"PyPI has no {one['file_name']}.")
        one["sha256"] = hashlib.sha256(wheel.read_bytes()).hexdigest()
    listed.write_text(json.dumps(lock), encoding="utf-8")


def _pip(folder: Path, *words: str) -> None:
    pip = [str(venv_python(folder)), "-m", "pip", "--disable-pip-version-check"]
    _call([*pip, words[0], "--quiet", *words[1:]], folder)


def _call(command: list[str], folder: Path) -> None:
    environ = clean_environ(folder if (folder / "pyvenv.cfg").exists() else ROOT)
    done = subprocess.run(
        command,
        cwd=folder,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode:
        say(done.stdout[-3000:])
        words = " ".join([Path(command[0]).name, *command[1:4]])
        raise ToolError(f"{words} failed: see its words above.")
