"""What the page fetches: bundled scripts, Pyodide, and the wheels of the book.

Everything lies in one folder whose name is a hash of its content.  A page names the
folder, so the parts of two releases are never mixed, whatever a browser has kept.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sphinx.errors import ExtensionError
from sphinx.util import logging

from .kept import digest, keep
from .library import (
    PYODIDE,
    WITHOUT_USE,
    compile_library,
    copy_pyodide,
    pack_runtime,
)
from .scripts import bundle_scripts, find_esbuild
from .wheels import (
    describe,
    make_wheel,
    pack,
    project_files,
    wheel_source,
)

__all__ = ["Bundle", "cache_folder", "prepare", "replace"]

logger = logging.getLogger(__name__)

PACKAGE = Path(__file__).parents[1]
CODE = ("sphinx/*.py", "sphinx/*.mjs", "page/**/*", "runtime/*.py")


@dataclass(frozen=True)
class Bundle:
    """The finished assets of one build.

    Attributes:
        folder: where they lie in the cache.
        version: a hash of all of them.
        files: name -> {"bytes": raw size, "gzip": compressed size}.
        wheels: the book's packages, each ``{"file", "packages", "needs"}``; ``needs``
            names the packages of other wheels that its code imports.
        modules: the top-level modules of Python that a page can import; empty where
            that could not be found out.
        without: patterns of what the page's standard library goes without.
        frame: the hash of the script in the worker's frame, for a content policy.
    """

    folder: Path
    version: str
    files: dict[str, dict[str, int]]
    wheels: list[dict[str, Any]]
    modules: list[str]
    without: list[str]
    frame: str

    @property
    def packages(self) -> list[str]:
        """The top-level packages and modules that the wheels hold."""
        return sorted(name for wheel in self.wheels for name in wheel["packages"])

    def settings(self, assets: str, *, limit: int) -> dict[str, Any]:
        """The settings that a page gives its script; ``assets`` as seen from it."""
        return {
            "assets": assets,
            "version": self.version,
            "wheels": self.wheels,
            "files": self.files,
            "limit": limit,
        }

    def groups(self) -> list[tuple[str, str, int]]:
        """What is fetched, when, and its compressed bytes."""
        groups = {
            ("Buttons, status and their style", "with the page"): 0,
            ("Python, and what talks to it", "at the first Run"): 0,
            ("Editor", "at the first Edit"): 0,
            ("Script of the sliders", "with a page that has one"): 0,
            ("Player of a loop", "with a page that has one"): 0,
        }
        page, python, editor, slider, player = groups
        holds = {wheel["file"]: wheel["packages"] for wheel in self.wheels}
        for name, size in self.files.items():
            if name in holds:
                what = ", ".join(holds[name])
                group = (f"Package {what}", "with Python, where a cell imports it")
                groups[group] = 0
            elif name.startswith("explorable."):
                group = slider
            elif name.startswith("editor-"):
                group = editor
            elif name.startswith("player-"):
                group = player
            elif name in ("livecells.js", "livecells.css"):
                group = page
            else:
                group = python
            groups[group] += size["gzip"]
        return [(*group, size) for group, size in groups.items() if size]

    def install(self, target: Path) -> None:
        """Copy the assets below ``target``, and take other versions away."""
        place = target / self.version
        if not place.is_dir():
            fresh = target / f".{self.version}.{os.getpid()}"
            shutil.copytree(self.folder, fresh)
            fresh.rename(place)
        for other in target.iterdir():
            if other.is_dir() and other.name not in (
                self.version,
                "explorables",
                "index",
            ):
                shutil.rmtree(other, ignore_errors=True)
        manifest = {
            "version": self.version,
            "wheels": self.wheels,
            "files": self.files,
            "frame": self.frame,
        }
        text = json.dumps(manifest, indent=1, sort_keys=True) + "\n"
        (target / "manifest.json").write_text(text, encoding="utf-8")


def cache_folder(app: Any) -> Path:
    """The folder for what one build keeps for the next."""
    named = app.config.livecells_cache
    if named:
        return Path(app.srcdir, named)
    return Path(app.outdir).parent / ".livecells"


def prepare(app: Any) -> Bundle:
    """Make the assets of a book, or take them from an earlier build.

    Raises:
        ExtensionError: a folder or a tool is missing; the message says what to do.
    """
    source = Path(app.srcdir)
    modules = source / app.config.livecells_node_modules
    pyodide = source / app.config.livecells_pyodide
    esbuild = find_esbuild(modules, app.config.livecells_node_modules)
    missing = [name for name in PYODIDE if not (pyodide / name).is_file()]
    if missing:
        raise ExtensionError(
            f"livecells_pyodide is {app.config.livecells_pyodide!r}, and "
            f"{pyodide} has no {', '.join(missing)}: run npm ci, or name the folder "
            "of the npm package pyodide"
        )
    projects = [wheel_source(source, str(path)) for path in app.config.livecells_wheels]
    without = sorted(app.config.livecells_without)
    node = "node" if shutil.which("node") else "no node"
    cache = cache_folder(app)
    common = digest(_inputs(modules, pyodide), node, *without)

    def make_common(fresh: Path) -> dict[str, Any]:
        """What does not depend on a book's own packages."""
        frame = bundle_scripts(esbuild, modules, pyodide, fresh)
        compiled = compile_library(pyodide)
        pack_runtime(fresh / "runtime.zip", compiled.runtime)
        copy_pyodide(pyodide, fresh / "pyodide", without, compiled.library)
        return {"frame": frame, "modules": compiled.modules}

    def make(fresh: Path) -> dict[str, Any]:
        logger.info("[livecells] making the assets of the live cells")
        base = keep(cache, "common", common, make_common)
        shutil.copytree(base.folder, fresh, dirs_exist_ok=True)
        (fresh / "wheels").mkdir()
        with tempfile.TemporaryDirectory() as scrap:
            made = [make_wheel(project, Path(scrap)) for project in projects]
            wheels = describe(
                [(pack(wheel, fresh / "wheels"), wheel) for wheel in made]
            )
        return {
            **base.note,
            "version": digest(_files(fresh))[:12],
            "wheels": wheels,
            "without": [*WITHOUT_USE, *without],
        }

    sources = [file for project in projects for file in _sources(project)]
    kept = keep(cache, "assets", digest(sources, common), make)
    return Bundle(folder=kept.folder, files=kept.files, **kept.note)


def _inputs(modules: Path, pyodide: Path) -> Iterator[Path]:
    """What the assets of every book are made from; lock files stand for packages."""
    for pattern in CODE:
        yield from (file for file in PACKAGE.glob(pattern) if file.is_file())
    yield from (pyodide / name for name in PYODIDE)
    lock = modules / ".package-lock.json"
    if lock.is_file():
        yield lock


def _sources(project: Path) -> Iterator[Path]:
    return project_files(project) if project.is_dir() else iter([project])


def _files(folder: Path) -> Iterator[Path]:
    return (file for file in folder.rglob("*") if file.is_file())


def replace(place: Path, data: bytes) -> None:
    """Write a file whole or not at all: another process may write it, too."""
    fresh = place.with_name(f".{place.name}.{os.getpid()}")
    fresh.write_bytes(data)
    fresh.replace(place)
