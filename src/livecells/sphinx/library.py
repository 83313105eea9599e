"""What a page needs of Pyodide: its core, and the standard library without what is of
no use there."""

from __future__ import annotations

import base64
import fnmatch
import io
import json
import shutil
import subprocess
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import deflate
from sphinx.errors import ExtensionError
from sphinx.util import logging

__all__ = [
    "PYODIDE",
    "WITHOUT_USE",
    "Compiled",
    "archive_of",
    "compile_library",
    "copy_pyodide",
    "pack_runtime",
    "write_packed",
]

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
COMPILED_GROWTH = 1.3
# The most that the format gives: a twentieth smaller than the standard library's best.
PACKING = 12
# These stay as they are: their lines stand in the stacks of a reader's errors, and of a
# running loop one may ask for the source.
SOURCES = ("asyncio/", "concurrent/", "contextlib.py")


@dataclass(frozen=True)
class Compiled:
    """Modules compiled by Pyodide's own Python, by the path of each in its archive.

    Attributes:
        library: of the standard library, those that every start imports.
        runtime: those of the runtime.
        modules: the top-level modules of Python that can be imported there.
    """

    library: Mapping[str, bytes] = field(default_factory=dict)
    runtime: Mapping[str, bytes] = field(default_factory=dict)
    modules: list[str] = field(default_factory=list)


def compile_library(pyodide: Path) -> Compiled:
    """Compile what every start imports; nothing where there is no Node to run Pyodide.

    Raises:
        ExtensionError: Pyodide failed.
    """
    node = shutil.which("node")
    if node is None:
        logger.info(
            "[livecells] no command node: Python will start in the page more slowly"
        )
        return Compiled()
    with tempfile.TemporaryDirectory() as scrap:
        runtime = Path(scrap, "runtime.zip")
        pack_runtime(runtime, {})
        words = {"pyodide": str(pyodide), "runtime": str(runtime)}
        command = [node, str(HERE / "compile.mjs"), json.dumps(words)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ExtensionError(
            f"Pyodide in {pyodide} could not compile its library:\n"
            f"{done.stderr.strip()}"
        )
    made = json.loads(done.stdout)

    def codes(archive: str) -> dict[str, bytes]:
        return {name: base64.b64decode(code) for name, code in made[archive].items()}

    return Compiled(codes("library"), codes("runtime"), made["modules"])


def pack_runtime(target: Path, compiled: Mapping[str, bytes]) -> None:
    """Write the runtime as an archive that Python imports from as it is."""
    with zipfile.ZipFile(target, "w") as archive:
        for file in sorted((HERE.parent / "runtime").glob("*.py")):
            name = f"livecells_runtime/{file.name}"
            if name in compiled:
                write_entry(archive, f"{name}c", compiled[name])
            else:
                write_entry(archive, name, file.read_bytes())


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
    wasm, library = "pyodide.asm.wasm", "python_stdlib.zip"
    write_packed(target / wasm, (source / wasm).read_bytes())
    check_without(without, source / library, compiled)
    left = library_of(source / library, [*WITHOUT_USE, *without], compiled)
    write_packed(target / library, archive_of(left))
    # The list of all packages that Pyodide's own host offers: none of them is used, and
    # a page that asks no other host must not know where they are.
    lock = json.loads((source / "pyodide-lock.json").read_text(encoding="utf-8"))
    lock["packages"] = {}
    text = json.dumps(lock, sort_keys=True)
    (target / "pyodide-lock.json").write_text(text, encoding="utf-8")


def write_packed(target: Path, data: bytes) -> Path:
    """Write a file compressed, with ``.bin`` after its name: the page unpacks it.

    So it is as small from a host that does not compress, and no host takes it for
    something that it should unpack.
    """
    packed = target.with_name(f"{target.name}.bin")
    packed.write_bytes(deflate.gzip_compress(data, PACKING))
    return packed


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


def library_of(
    source: Path, without: Sequence[str], compiled: Mapping[str, bytes]
) -> dict[str, bytes]:
    """The files of the standard library, but for those that match.

    A module's compiled form takes the place of its source, unless it is too large.
    """
    files = {}
    with zipfile.ZipFile(source) as archive:
        for info in archive.infolist():
            name = info.filename
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in without):
                continue
            code = b"" if name.startswith(SOURCES) else compiled.get(name, b"")
            room = (1 + COMPILED_GROWTH) * info.compress_size
            if code and len(zlib.compress(code, 9)) <= room:
                files[f"{name}c"] = code
            else:
                files[name] = archive.read(name)
    return files


def archive_of(files: Mapping[str, bytes]) -> bytes:
    """An archive that is not compressed, with files of one kind side by side.

    It is compressed as a whole, which takes a tenth less than file by file, and Python
    reads it sooner.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in sorted(files, key=lambda name: (name.rpartition(".")[2], name)):
            write_entry(archive, name, files[name], zipfile.ZIP_STORED)
    return out.getvalue()


def write_entry(
    archive: zipfile.ZipFile,
    name: str,
    data: bytes,
    kind: int = zipfile.ZIP_DEFLATED,
) -> None:
    """Add a file whose bytes in the archive depend on nothing else."""
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = kind
    entry.create_system = 3  # the same on Windows
    entry.external_attr = 0o100644 << 16
    archive.writestr(entry, data, compresslevel=9)
