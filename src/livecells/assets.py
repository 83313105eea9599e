"""What the page fetches: bundled scripts, Pyodide, and the wheels of the book.

Everything lies in one folder whose name is a hash of its content.  A page names the
folder, so the parts of two releases are never mixed, whatever a browser has kept.
"""

from __future__ import annotations

import base64
import fnmatch
import gzip
import hashlib
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sphinx.errors import ExtensionError
from sphinx.util import logging

__all__ = ["Bundle", "check_options", "prepare"]

logger = logging.getLogger(__name__)

HERE = Path(__file__).parent
PYODIDE = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)
# Modules that need processes, sockets or Windows, which a page has not; Python's
# documentation says that they do not work there. They would be a thirtieth of the
# download.
WITHOUT_USE = (
    "asyncio/proactor_events.py",
    "asyncio/windows_events.py",
    "asyncio/windows_utils.py",
    "ftplib.py",
    "http/server.py",
    "imaplib.py",
    "multiprocessing/*",
    "poplib.py",
    "smtplib.py",
    "wsgiref/*",
    "xmlrpc/*",
)
# Most of a first start is Python compiling modules of its own. Those that it always
# needs are compiled here, if the compiled form is larger than the source by this part
# of it at most: the download has a bound too.
COMPILED_GROWTH = 0.95
# These stay as they are: a reader of a running loop may ask for their source.
SOURCES = ("asyncio/",)


def check_options(config: Any) -> None:
    """Stop at an option that cannot be meant so, with the value and the fix."""
    limit = config.livecells_output_limit
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1000:
        raise ExtensionError(
            f"livecells_output_limit is {limit!r}: give a number of characters, "
            "1000 or more"
        )
    timeout = config.livecells_timeout
    if not isinstance(timeout, (int, float)) or not timeout > 0:
        raise ExtensionError(
            f"livecells_timeout is {timeout!r}: give a number of seconds above 0"
        )
    tag = config.livecells_tag
    if not isinstance(tag, str) or not tag.strip() or tag != tag.strip():
        raise ExtensionError(
            f'livecells_tag is {tag!r}: give the tag of the live cells, such as "live"'
        )
    if isinstance(config.livecells_wheels, str):
        raise ExtensionError(
            f"livecells_wheels is {config.livecells_wheels!r}: give a list of paths, "
            f"here [{config.livecells_wheels!r}]"
        )
    without = config.livecells_without
    if isinstance(without, str) or not all(isinstance(one, str) for one in without):
        raise ExtensionError(
            f"livecells_without is {without!r}: give a list of paths in the standard "
            'library, such as ["xml/*"]'
        )


@dataclass(frozen=True)
class Bundle:
    """The finished assets of one build.

    Attributes:
        folder: where they lie in the cache.
        version: a hash of all of them.
        files: name -> {"bytes": raw size, "gzip": compressed size}.
        wheels: names of the wheels among the files.
        packages: top-level packages that the wheels hold.
    """

    folder: Path
    version: str
    files: dict[str, dict[str, int]]
    wheels: list[str]
    packages: list[str]

    def is_whole(self) -> bool:
        """Whether every file is there in its full length."""
        return all(
            (self.folder / name).is_file()
            and (self.folder / name).stat().st_size == size["bytes"]
            for name, size in self.files.items()
        )

    def settings(self, assets: str, *, limit: int) -> dict[str, Any]:
        """The settings that a page gives its script; ``assets`` as seen from it."""
        return {
            "assets": assets,
            "version": self.version,
            "wheels": self.wheels,
            "packages": self.packages,
            "files": self.files,
            "limit": limit,
        }

    def groups(self) -> list[tuple[str, str, int]]:
        """What is fetched, when, and its compressed bytes."""
        groups = {
            ("Buttons, status and their style", "with the page"): 0,
            ("Python, and what talks to it", "at the first Run or Edit"): 0,
            (f"Packages: {', '.join(self.packages)}", "at the first Run or Edit"): 0,
            ("Editor", "at the first Edit"): 0,
            ("Script of the sliders", "with a page that has one"): 0,
        }
        page, python, packages, editor, slider = groups
        for name, size in self.files.items():
            if name.startswith("wheels/"):
                group = packages
            elif name.startswith("explorable."):
                group = slider
            elif name.startswith("editor-"):
                group = editor
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
            if other.is_dir() and other.name not in (self.version, "explorables"):
                shutil.rmtree(other, ignore_errors=True)
        manifest = {
            "version": self.version,
            "wheels": self.wheels,
            "packages": self.packages,
            "files": self.files,
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
    wanted = _digest(_inputs(modules, pyodide, projects), node, *without)
    cache = cache_folder(app)
    folder, note = cache / "assets", cache / "assets.json"
    try:
        kept = json.loads(note.read_text(encoding="utf-8"))
        bundle = Bundle(folder=folder, **kept) if kept.pop("from") == wanted else None
        if bundle is not None and bundle.is_whole():
            return bundle
    except (OSError, ValueError, KeyError, TypeError):
        pass
    logger.info("[livecells] making the assets of the live cells")
    cache.mkdir(parents=True, exist_ok=True)
    note.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=cache) as scrap:
        fresh = Path(scrap, "assets")
        fresh.mkdir()
        bundle_scripts(esbuild, modules, pyodide, fresh)
        shutil.copyfile(HERE / "runtime.py", fresh / "runtime.py")
        copy_pyodide(pyodide, fresh / "pyodide", without, compile_library(pyodide))
        (fresh / "wheels").mkdir()
        wheels = []
        for project in projects:
            made = make_wheel(project, fresh / "wheels")
            wheels.append(f"wheels/{made.name}")
        packages = sorted({p for name in wheels for p in packages_in(fresh / name)})
        files = sizes(fresh)
        version = _digest(fresh / name for name in files)[:12]
        fresh.rename(folder)
    kept = {
        "version": version,
        "files": files,
        "wheels": wheels,
        "packages": packages,
    }
    text = json.dumps({"from": wanted, **kept}, indent=1, sort_keys=True)
    note.write_text(text, encoding="utf-8")
    return Bundle(folder=folder, **kept)


def _digest(paths: Iterable[Path], *words: str) -> str:
    total = hashlib.sha256(json.dumps(words).encode())
    for path in sorted(paths):
        total.update(f"{path.name}\0".encode())
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def _inputs(modules: Path, pyodide: Path, projects: list[Path]) -> Iterator[Path]:
    """Every file that the assets are made from; lock files stand for packages."""
    for pattern in ("*.py", "*.mjs", "js/*", "css/*"):
        yield from (file for file in HERE.glob(pattern) if file.is_file())
    yield from (pyodide / name for name in PYODIDE)
    lock = modules / ".package-lock.json"
    if lock.is_file():
        yield lock
    for project in projects:
        yield from project_files(project) if project.is_dir() else [project]


def project_files(project: Path) -> Iterator[Path]:
    """The files of a project that can get into its wheel."""
    for name in ("pyproject.toml", "setup.cfg", "setup.py", "README.md", "LICENSE"):
        if (project / name).is_file():
            yield project / name
    for file in sorted((project / "src").rglob("*")):
        parts = file.relative_to(project).parts
        cache = "__pycache__" in parts or any(p.endswith(".egg-info") for p in parts)
        if file.is_file() and not cache:
            yield file


# ---------------------------------------------------------------- scripts


def find_esbuild(modules: Path, named: str) -> Path:
    """The program of the npm package esbuild, without Node in between.

    Raises:
        ExtensionError: it is not there.
    """
    for pattern in ("@esbuild/*/bin/esbuild", "@esbuild/*/esbuild.exe"):
        for found in sorted(modules.glob(pattern)):
            return found
    raise ExtensionError(
        f"livecells_node_modules is {named!r}, and {modules} has no esbuild: run "
        "npm ci, or set livecells_enabled to False for a book whose cells do not run"
    )


def bundle_scripts(esbuild: Path, modules: Path, pyodide: Path, out: Path) -> None:
    """Bundle and minify scripts and styles into ``out``."""
    # The worker and the slider's script share no part with the page's script: a shared
    # part would be one more file to fetch before the first click.
    jobs = [
        ["--splitting", f"livecells={HERE / 'js' / 'page.js'}"],
        [
            # Pyodide's script lies in the worker's: without the network, a page can
            # start a new worker from one text.
            f"--alias:livecells-pyodide={(pyodide / 'pyodide.mjs').resolve()}",
            "--alias:livecells-pyodide-module="
            f"{(pyodide / 'pyodide.asm.mjs').resolve()}",
            "--external:node:*",
            "--external:ws",
            f"worker={HERE / 'js' / 'worker.js'}",
        ],
        [f"explorable={HERE / 'js' / 'explorable.js'}"],
        [f"livecells={HERE / 'css' / 'livecells.css'}"],
        [f"explorable={HERE / 'css' / 'explorable.css'}"],
    ]
    for words in jobs:
        if not Path(words[-1].partition("=")[2]).is_file():
            raise ExtensionError(
                f"{words[-1].partition('=')[2]} is missing: this copy of the extension "
                "is not whole, install it again"
            )
        command = [
            str(esbuild),
            *words,
            "--bundle",
            "--minify",
            "--format=esm",
            "--target=es2022",
            "--charset=utf8",
            "--legal-comments=none",
            "--chunk-names=[name]-[hash]",
            "--log-level=warning",
            f"--outdir={out}",
        ]
        environ = {**os.environ, "NODE_PATH": str(modules.resolve())}
        done = subprocess.run(
            command, env=environ, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise ExtensionError(f"esbuild failed:\n{done.stderr.strip()}")


def compile_library(pyodide: Path) -> dict[str, bytes]:
    """The modules that every start imports, compiled by Pyodide's own Python.

    Returns:
        The compiled form of each, by the path of its source in the archive; nothing
        where there is no Node to run Pyodide.

    Raises:
        ExtensionError: Pyodide failed.
    """
    node = shutil.which("node")
    if node is None:
        logger.info(
            "[livecells] no command node: Python will start in the page more slowly"
        )
        return {}
    words = {"pyodide": str(pyodide), "runtime": str(HERE / "runtime.py")}
    command = [node, str(HERE / "compile.mjs"), json.dumps(words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ExtensionError(
            f"Pyodide in {pyodide} could not compile its library:\n"
            f"{done.stderr.strip()}"
        )
    compiled: dict[str, str] = json.loads(done.stdout)
    return {name: base64.b64decode(code) for name, code in compiled.items()}


def copy_pyodide(
    source: Path, target: Path, without: Sequence[str], compiled: Mapping[str, bytes]
) -> None:
    """Copy the files of Pyodide that a page needs.

    Raises:
        ExtensionError: what the page is to do without is not there, or every start
            needs it.
    """
    target.mkdir()
    # The scripts are in the worker's; the library and the list are made anew below.
    wasm = "pyodide.asm.wasm"
    shutil.copyfile(source / wasm, target / wasm)
    library = "python_stdlib.zip"
    check_without(without, source / library, compiled)
    copy_zip(source / library, target / library, [*WITHOUT_USE, *without], compiled)
    # The list of all packages that Pyodide's own host offers: none of them is used, and
    # a page that asks no other host must not know where they are.
    lock = json.loads((source / "pyodide-lock.json").read_text(encoding="utf-8"))
    lock["packages"] = {}
    text = json.dumps(lock, sort_keys=True)
    (target / "pyodide-lock.json").write_text(text, encoding="utf-8")


def check_without(without: Sequence[str], library: Path, needed: Iterable[str]) -> None:
    """Stop at a path of ``livecells_without`` that cannot be meant so.

    Raises:
        ExtensionError: nothing has that path, or every start needs what has it.
    """
    with zipfile.ZipFile(library) as archive:
        names = archive.namelist()
    for pattern in without:
        if not fnmatch.filter(names, pattern):
            raise ExtensionError(
                f"livecells_without names {pattern!r}, and Pyodide's standard library "
                "has no such path: give one like 'xml/*' or 'turtle.py'"
            )
        if wanted := fnmatch.filter(needed, pattern):
            raise ExtensionError(
                f"livecells_without names {pattern!r}, and Python does not start "
                f"without {', '.join(sorted(wanted)[:3])}: leave it there"
            )


def copy_zip(
    source: Path,
    target: Path,
    without: Sequence[str],
    compiled: Mapping[str, bytes],
) -> None:
    """Copy an archive without the entries that match, compressed as they are.

    To compress them again would make them larger: whoever made the archive took more
    time over it.  A module's compiled form takes the place of its source, unless it is
    too large.
    """
    with (
        zipfile.ZipFile(source) as old,
        source.open("rb") as raw,
        zipfile.ZipFile(target, "w") as new,
    ):
        assert new.fp is not None
        for info in old.infolist():
            if any(fnmatch.fnmatchcase(info.filename, one) for one in without):
                continue
            if not info.filename.startswith(SOURCES):
                code = compiled.get(info.filename, b"")
                room = (1 + COMPILED_GROWTH) * info.compress_size
                if code and len(zlib.compress(code, 9)) <= room:
                    write_entry(new, f"{info.filename}c", code)
                    continue
            raw.seek(info.header_offset + 26)
            name_length, extra_length = struct.unpack("<HH", raw.read(4))
            raw.seek(name_length + extra_length, os.SEEK_CUR)
            data = raw.read(info.compress_size)
            entry = copy(info)
            entry.flag_bits &= ~0x08  # sizes stand before the data, not after it
            entry.extra = b""
            entry.header_offset = new.fp.tell()
            new.fp.write(entry.FileHeader(zip64=False) + data)
            new.filelist.append(entry)
            new.NameToInfo[entry.filename] = entry
            new.start_dir = new.fp.tell()
            new._didModify = True  # type: ignore[attr-defined]


def write_entry(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    """Add a file whose bytes in the archive depend on nothing else."""
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = 3  # the same on Windows
    entry.external_attr = 0o100644 << 16
    archive.writestr(entry, data, compresslevel=9)


def sizes(folder: Path) -> dict[str, dict[str, int]]:
    """Raw and compressed size of every file, as a static host would send it."""
    out = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            data = file.read_bytes()
            packed = len(gzip.compress(data, 9, mtime=0))
            name = file.relative_to(folder).as_posix()
            out[name] = {"bytes": len(data), "gzip": min(packed, len(data))}
    return out


# ---------------------------------------------------------------- wheels


def wheel_source(source: Path, named: str) -> Path:
    """The wheel or project that an entry of ``livecells_wheels`` names.

    Raises:
        ExtensionError: there is no such wheel, or it is not pure Python.
    """
    path = (source / named).resolve()
    if path.is_dir() and (path / "pyproject.toml").is_file():
        return path
    if path.is_file() and path.suffix == ".whl":
        if not path.stem.endswith("-none-any"):
            raise ExtensionError(
                f"livecells_wheels names {named!r}, which is made for one kind of "
                "machine: the page needs a pure Python wheel (…-none-any.whl)"
            )
        return path
    what = "is no wheel and has no pyproject.toml" if path.exists() else "is not there"
    raise ExtensionError(
        f"livecells_wheels names {named!r}, and {path} {what}: name a .whl file or "
        "the folder of a Python project"
    )


def make_wheel(project: Path, out: Path) -> Path:
    """Make a wheel whose bytes depend on the project's files only.

    The project's own build tool makes it, in a copy of the project, from what is
    installed: nothing is downloaded.  It is then packed again with its files in order
    and without times.
    """
    if project.is_file():
        return Path(shutil.copyfile(project, out / project.name))
    with tempfile.TemporaryDirectory() as scrap:
        place, made = Path(scrap, "project"), Path(scrap, "made")
        for file in project_files(project):
            target = place / file.relative_to(project)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel"]
        command += ["--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
        command += ["--wheel-dir", str(made), str(place)]
        environ = {
            **os.environ,
            "SOURCE_DATE_EPOCH": "315532800",
            "PYTHONHASHSEED": "0",
        }
        done = subprocess.run(
            command, env=environ, capture_output=True, text=True, check=False
        )
        wheels = sorted(made.glob("*.whl")) if made.is_dir() else []
        if done.returncode or len(wheels) != 1:
            raise ExtensionError(
                f"livecells_wheels: no wheel could be made of {project}:\n"
                f"{done.stdout}{done.stderr}".strip()
            )
        if not wheels[0].stem.endswith("-none-any"):
            raise ExtensionError(
                f"livecells_wheels: {project} makes {wheels[0].name}, which is for one "
                "kind of machine: the page needs pure Python"
            )
        return repack(wheels[0], out / wheels[0].name)


def repack(wheel: Path, target: Path) -> Path:
    """Write a wheel again: files in order, one time stamp, one kind of compression."""
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(target, "w") as new:
        for name in sorted(n for n in old.namelist() if not n.endswith("/")):
            write_entry(new, name, old.read(name))
    return target


def packages_in(wheel: Path) -> list[str]:
    """The top-level packages and modules of a wheel."""
    names = set()
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            top, _, rest = name.partition("/")
            if rest == "__init__.py":
                names.add(top)
            elif not rest and top.endswith(".py"):
                names.add(top[:-3])
    return sorted(names)
