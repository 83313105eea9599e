"""JupyterLite that serves itself: everything beside its own pages, from no other host.

By default JupyterLite fetches Pyodide and IPython from a content network. Here all of
it comes from the package registries when it is built: JupyterLite's own tools and the
wheels that its kernel asks for from PyPI, and Pyodide from npm, in the version that the
kernel names. The environment ``.venv-lite`` keeps what was fetched.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tools.common import ROOT, ToolError, say
from tools.environment import clean_environ, make_venv, venv_python

__all__ = ["NAME", "REQUIREMENTS", "Package", "build", "ensure_kit", "pyodide_version"]

NAME = ".venv-lite"
REQUIREMENTS = Path(__file__).with_name("lite_requirements.txt")
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
LISTING = "all.json"
PLUGIN = "@jupyterlite/pyodide-kernel-extension:kernel"


class Package:
    """A wheel of our own, as an entry of Pyodide's list.

    Args:
        wheel: a pure Python wheel that holds one package, named as the project.
        needs: other packages of the list that are loaded with it.
    """

    def __init__(self, wheel: Path, needs: Sequence[str] = ()) -> None:
        self.wheel = wheel
        self.name, version = wheel.name.split("-")[:2]
        sha256 = hashlib.sha256(wheel.read_bytes()).hexdigest()
        # Another content has another address: two releases of the site can have wheels
        # of one name, and a browser that kept the older would refuse it for its hash.
        self.place = f"{sha256[:12]}/{wheel.name}"
        self.entry = {
            "depends": list(needs),
            "file_name": self.place,
            "imports": [self.name],
            "install_dir": "site",
            "name": self.name,
            "package_type": "package",
            "sha256": sha256,
            "unvendored_tests": False,
            "version": version,
        }


def ensure_kit(root: Path = ROOT) -> Path:
    """Return the environment with JupyterLite's tools, Pyodide and the wheels.

    It is made unless it is there: that needs the package registries.

    Raises:
        ToolError: Something could not be downloaded.
    """
    installs = [["--no-deps", "-r", str(REQUIREMENTS)]]
    folder = make_venv(root / NAME, [REQUIREMENTS, Path(__file__)], installs)
    kit, part = folder / "kit", folder / "part"
    if not kit.exists():
        say(f"Fetching what JupyterLite is made of into {NAME}.")
        shutil.rmtree(part, ignore_errors=True)
        pyodide = part / "static" / "pyodide"
        pyodide.mkdir(parents=True)
        _fetch_pyodide(folder, pyodide)
        _fetch_wheels(folder, pyodide)
        _download(folder, part / "pypi", *OTHER)
        part.rename(kit)
    return folder


def build(
    out: Path,
    apps: Sequence[str],
    *,
    files: Path | None = None,
    packages: Sequence[Package] = (),
    root: Path = ROOT,
) -> None:
    """Build a JupyterLite into a folder, in the place of what is there.

    Args:
        out: the folder, which any static server can serve.
        apps: JupyterLite's applications, such as ``lab`` and ``repl``.
        files: a folder of notebooks that a reader finds in it.
        packages: are installed when a kernel starts.
        root: the project's folder.

    Raises:
        ToolError: Something could not be downloaded or built.
    """
    folder = ensure_kit(root)
    shutil.rmtree(out, ignore_errors=True)
    with tempfile.TemporaryDirectory() as scrap:
        place = Path(scrap, "lite")
        shutil.copytree(folder / "kit", place)
        _add_packages(place / "static" / "pyodide", packages)
        names = [package.name for package in packages]
        kernel: dict[str, Any] = {"disablePyPIFallback": True}
        kernel |= {"loadPyodideOptions": {"packages": names}} if names else {}
        options: dict[str, Any] = {"litePluginSettings": {PLUGIN: kernel}}
        options |= {"contentsAllJsonFile": LISTING} if files else {}
        settings = {"jupyter-lite-schema-version": 0, "jupyter-config-data": options}
        (place / "jupyter-lite.json").write_text(json.dumps(settings), "utf-8")
        command = [str(venv_python(folder)), "-m", "jupyterlite_core", "build"]
        command += ["--lite-dir", str(place), "--output-dir", str(out.resolve())]
        command += [word for app in apps for word in ("--apps", app)]
        command += ["--no-sourcemaps", "--no-unused-shared-packages"]
        _call(command, folder, place)
    if files is not None:
        _add_notebooks(out, files)


def pyodide_version(folder: Path) -> str:
    """The version of Pyodide that the kernel of an environment is made for."""
    (constants,) = folder.rglob("jupyterlite_pyodide_kernel/constants.py")
    version = re.search(r'^PYODIDE_VERSION = "([\w.]+)"', constants.read_text(), re.M)
    if version is None:
        raise ToolError(f"{constants} names no version of Pyodide.")
    return version[1]


def _fetch_pyodide(folder: Path, target: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise ToolError("npm is needed to fetch Pyodide: install Node with npm.")
    pack = [npm, "pack", "--silent", "--pack-destination", str(folder)]
    _call([*pack, f"pyodide@{pyodide_version(folder)}"], folder, folder)
    (archive,) = folder.glob("pyodide-*.tgz")
    with tarfile.open(archive) as packed:
        for name in CORE:
            source = packed.extractfile(f"package/{name}")
            assert source is not None
            (target / name).write_bytes(source.read())
    archive.unlink()


def _fetch_wheels(folder: Path, target: Path) -> None:
    """Put the wheels beside Pyodide, in the versions that its list names.

    PyPI's files are not the same bytes as those that Pyodide's makers built from the
    same source, so the list gets their hashes. What is not there leaves the list: a
    cell that imports it is told that there is no such module.
    """
    listed = target / "pyodide-lock.json"
    lock = json.loads(listed.read_text(encoding="utf-8"))
    wanted: dict[str, Any] = {}
    todo = list(KERNEL)
    while todo:
        name = re.sub(r"[-_.]+", "-", todo.pop()).lower()
        if name not in wanted:
            wanted[name] = lock["packages"][name]
            todo += wanted[name]["depends"]
    pins = [f"{entry['name']}=={entry['version']}" for entry in wanted.values()]
    options = ["--only-binary", ":all:", "--python-version", "3.14"]
    _download(folder, target, *options, *pins)
    for entry in wanted.values():
        wheel = target / entry["file_name"]
        if not wheel.is_file():
            raise ToolError(f"PyPI has no {entry['file_name']}.")
        entry["sha256"] = hashlib.sha256(wheel.read_bytes()).hexdigest()
    lock["packages"] = wanted
    listed.write_text(json.dumps(lock), encoding="utf-8")


def _add_packages(pyodide: Path, packages: Sequence[Package]) -> None:
    listed = pyodide / "pyodide-lock.json"
    lock = json.loads(listed.read_text(encoding="utf-8"))
    for package in packages:
        target = pyodide / package.place
        target.parent.mkdir()
        shutil.copyfile(package.wheel, target)
        lock["packages"][package.name] = package.entry
    listed.write_text(json.dumps(lock), encoding="utf-8")


def _add_notebooks(out: Path, files: Path) -> None:
    """Put notebooks into a built JupyterLite, with the list that it reads.

    Its own command makes the list with Jupyter Server, which needs forty packages.
    """
    now = datetime.now(UTC).isoformat(timespec="seconds")

    def entry(kind: str, name: str, size: int | None, **more: Any) -> dict[str, Any]:
        about = {"created": now, "last_modified": now, "mimetype": None}
        about |= {"writable": True, "type": kind, "name": name, "path": name}
        return about | {"size": size} | more

    shutil.copytree(files, out / "files")
    listed = [
        entry("notebook", file.name, file.stat().st_size, content=None, format=None)
        for file in sorted(files.glob("*.ipynb"))
    ]
    listing = out / "api" / "contents" / LISTING
    listing.parent.mkdir(parents=True, exist_ok=True)
    root = entry("directory", "", None, content=listed, format="json")
    listing.write_text(json.dumps(root), encoding="utf-8")


def _download(folder: Path, target: Path, *words: str) -> None:
    pip = [str(venv_python(folder)), "-m", "pip", "--disable-pip-version-check"]
    pip += ["download", "--quiet", "--no-deps", "--dest", str(target)]
    _call([*pip, *words], folder, folder)


def _call(command: list[str], venv: Path, folder: Path) -> None:
    done = subprocess.run(
        command,
        cwd=folder,
        env=clean_environ(venv),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        say(done.stdout[-3000:])
        words = " ".join([Path(command[0]).name, *command[1:4]])
        raise ToolError(f"{words} failed: see its words above.")
