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
import venv
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tools.common import ROOT, ToolError, digest, say
from tools.environment import clean_environ, venv_python

__all__ = ["NAME", "REQUIREMENTS", "Package", "build", "ensure_kit", "pyodide_version"]

NAME = ".venv-lite"
REQUIREMENTS = Path(__file__).with_name("lite_requirements.txt")
STAMP = "lite.stamp"
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
        self.name, self.version = wheel.name.split("-")[:2]
        self.sha256 = hashlib.sha256(wheel.read_bytes()).hexdigest()
        self.needs = list(needs)

    @property
    def place(self) -> str:
        """Where it lies beside Pyodide: another content has another address.

        Two releases of the site can have wheels of one name, and a browser that kept
        the older one would refuse it for its hash.
        """
        return f"{self.sha256[:12]}/{self.wheel.name}"

    def entry(self) -> dict[str, Any]:
        """What the list says of it."""
        return {
            "depends": self.needs,
            "file_name": self.place,
            "imports": [self.name],
            "install_dir": "site",
            "name": self.name,
            "package_type": "package",
            "sha256": self.sha256,
            "unvendored_tests": False,
            "version": self.version,
        }


def ensure_kit(root: Path = ROOT) -> Path:
    """Return the environment with JupyterLite's tools, Pyodide and the wheels.

    It is made unless it is there: that needs the package registries.

    Raises:
        ToolError: Something could not be downloaded.
    """
    folder = root / NAME
    stamp = folder / STAMP
    wanted = digest([REQUIREMENTS, Path(__file__)], str(folder))
    if stamp.is_file() and stamp.read_text(encoding="utf-8").strip() == wanted:
        return folder
    say(f"Fetching what JupyterLite is made of into {NAME}.")
    if folder.is_symlink():
        raise ToolError(f"{folder} is a link: remove it, then run the command again.")
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True)
    _pip(folder, "install", "--no-deps", "-r", str(REQUIREMENTS))
    pyodide = folder / "kit" / "static" / "pyodide"
    pyodide.mkdir(parents=True)
    _fetch_pyodide(folder, pyodide)
    _fetch_wheels(folder, pyodide)
    _pip(folder, "download", "--no-deps", "--dest", str(folder / "kit/pypi"), *OTHER)
    stamp.write_text(wanted + "\n", encoding="utf-8")
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
        kernel: dict[str, Any] = {"disablePyPIFallback": True}
        if packages:
            kernel["loadPyodideOptions"] = {"packages": [one.name for one in packages]}
        options: dict[str, Any] = {"litePluginSettings": {PLUGIN: kernel}}
        if files is not None:
            options["contentsAllJsonFile"] = LISTING
        settings = {"jupyter-lite-schema-version": 0, "jupyter-config-data": options}
        text = json.dumps(settings)
        place.joinpath("jupyter-lite.json").write_text(text, encoding="utf-8")
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
    words = [npm, "pack", "--silent", "--pack-destination", str(folder), name]
    _call(words, folder, folder)
    (archive,) = folder.glob("pyodide-*.tgz")
    with tarfile.open(archive) as packed:
        for one in CORE:
            source = packed.extractfile(f"package/{one}")
            assert source is not None
            target.joinpath(one).write_bytes(source.read())
    archive.unlink()


def _closure(packages: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
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
            yield name, packages[name]


def _fetch_wheels(folder: Path, target: Path) -> None:
    """Put the wheels beside Pyodide, in the versions that its list names.

    PyPI's files are not the same bytes as those that Pyodide's makers built from the
    same source, so the list gets their hashes. What is not there leaves the list: a
    cell that imports it is told that there is no such module.
    """
    listed = target / "pyodide-lock.json"
    lock = json.loads(listed.read_text(encoding="utf-8"))
    wanted = dict(_closure(lock["packages"]))
    pins = [f"{one['name']}=={one['version']}" for one in wanted.values()]
    options = ["--no-deps", "--only-binary", ":all:", "--python-version", "3.14"]
    _pip(folder, "download", *options, "--dest", str(target), *pins)
    for one in wanted.values():
        wheel = target / one["file_name"]
        if not wheel.is_file():
            raise ToolError(f"PyPI has no {one['file_name']}.")
        one["sha256"] = hashlib.sha256(wheel.read_bytes()).hexdigest()
    lock["packages"] = wanted
    listed.write_text(json.dumps(lock), encoding="utf-8")


def _add_packages(pyodide: Path, packages: Sequence[Package]) -> None:
    listed = pyodide / "pyodide-lock.json"
    lock = json.loads(listed.read_text(encoding="utf-8"))
    for one in packages:
        target = pyodide / one.place
        target.parent.mkdir()
        shutil.copyfile(one.wheel, target)
        lock["packages"][one.name] = one.entry()
    listed.write_text(json.dumps(lock), encoding="utf-8")


def _add_notebooks(out: Path, files: Path) -> None:
    """Put notebooks into a built JupyterLite, with the list that it reads.

    Its own command makes the list with Jupyter Server, which needs forty packages.
    """
    now = datetime.now(UTC).isoformat(timespec="seconds")
    about = {"created": now, "last_modified": now, "mimetype": None, "writable": True}
    listed = []
    for file in sorted(files.glob("*.ipynb")):
        target = out / "files" / file.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
        size = file.stat().st_size
        names = {"name": file.name, "path": file.name, "size": size}
        names |= {"type": "notebook", "content": None, "format": None}
        listed.append(names | about)
    root = {"name": "", "path": "", "size": None, "type": "directory"}
    root |= {"content": listed, "format": "json"}
    listing = out / "api" / "contents" / LISTING
    listing.parent.mkdir(parents=True, exist_ok=True)
    listing.write_text(json.dumps(root | about), encoding="utf-8")


def _pip(folder: Path, *words: str) -> None:
    pip = [str(venv_python(folder)), "-m", "pip", "--disable-pip-version-check"]
    _call([*pip, words[0], "--quiet", *words[1:]], folder, folder)


def _call(command: list[str], venv: Path, folder: Path) -> None:
    done = subprocess.run(
        command,
        cwd=folder,
        env=clean_environ(venv),
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
