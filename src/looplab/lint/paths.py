"""Which files are read: patterns for paths, the folders that are walked, bad input."""

# Paths are text here, because they are printed as they were given.
# ruff: noqa: PTH100, PTH110, PTH112, PTH116, PTH118

from __future__ import annotations

import io
import os
import stat
import tokenize
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

__all__ = [
    "EXEMPT",
    "MAX_BYTES",
    "NotCheckedError",
    "Patterns",
    "TooLargeError",
    "decode",
    "expand",
    "project_root",
    "read",
]

#: What is exempt unless the settings say otherwise: tests, which end in any case.
EXEMPT = ("tests/", "testing/", "test_*.py", "*_test.py", "conftest.py")

#: A longer file is passed over: Python's parser takes a hundred times the memory.
MAX_BYTES = 1_000_000

#: What is read in a folder.
SUFFIXES = (".py", ".ipynb")

_ROOT_FILES = ("pyproject.toml", "setup.cfg", "tox.ini", ".flake8", ".git")
# Folders that hold what others wrote, or nothing to read.  And: see _skipped.
_SKIPPED = frozenset(("__pycache__", "node_modules"))


class NotCheckedError(Exception):
    """A file, or a folder, could not be checked; the message says why.

    Args:
        message: what is wrong with it.
        line: where, from 1, as far as that is known.
        column: where, from 1, as far as that is known.
        cell: the cell of a notebook, from 1.
        syntax: whether it holds syntax that this Python does not have.
    """

    def __init__(
        self,
        message: str,
        line: int | None = None,
        column: int | None = None,
        *,
        cell: int | None = None,
        syntax: bool = False,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        self.cell = cell
        self.syntax = syntax


class TooLargeError(Exception):
    """A file is larger than the limit; the message says so."""


def project_root(start: str | os.PathLike[str] = ".") -> Path:
    """The nearest folder from *start* upwards that looks like a project's."""
    here = Path(start).absolute()
    for folder in (here, *here.parents):
        if any((folder / name).exists() for name in _ROOT_FILES):
            return folder
    return here


@dataclass(frozen=True, slots=True)
class Patterns:
    """Patterns for paths.

    ``name.py`` stands for a file of this name anywhere, ``name/`` for a folder and all
    that is in it, ``docs/*.py`` and ``docs/old/`` for a path from the root.  ``*``
    stands for any characters, ``?`` for one.

    Args:
        patterns: the patterns.
        root: where paths begin, an absolute folder.  A path outside it is matched as it
            was given.
    """

    patterns: tuple[str, ...]
    root: Path

    def match(self, path: str, folder: bool = False) -> bool:
        """Whether one of the patterns stands for *path*."""
        if not self.patterns:
            return False
        full = os.path.abspath(path)
        inside = full.startswith(os.path.join(self.root, ""))
        if inside:
            path = os.path.relpath(full, self.root)
        parts = path.replace(os.sep, "/").split("/")
        return any(self._one(pattern, parts, folder) for pattern in self.patterns)

    @staticmethod
    def _one(pattern: str, parts: list[str], folder: bool) -> bool:
        pattern = pattern.removeprefix("./")
        name = pattern.removesuffix("/")
        for_folder = name != pattern
        folders = parts if folder else parts[:-1]
        if "/" not in name:
            if for_folder:
                return any(fnmatchcase(part, name) for part in folders)
            return not folder and fnmatchcase(parts[-1], name)
        if for_folder:
            ends = range(1, len(folders) + 1)
            return any(fnmatchcase("/".join(folders[:end]), name) for end in ends)
        return not folder and fnmatchcase("/".join(parts), name)


def expand(
    paths: Sequence[str],
    exclude: Patterns,
    not_checked: Callable[[str, NotCheckedError], None],
) -> Iterator[str]:
    """The files that the paths stand for: each once, in an order that never varies.

    Args:
        paths: files, folders, and ``-`` for standard input.
        exclude: what is left out.
        not_checked: called for each path that leads nowhere.
    """
    seen: set[str] = set()
    for path in paths:
        if path == "-":
            files: Iterator[str] = iter((path,))
        elif os.path.isdir(path):
            files = _walk(os.path.normpath(path), exclude, not_checked)
        else:
            files = iter(() if exclude.match(path) else (os.path.normpath(path),))
        for file in files:
            if file not in seen:
                seen.add(file)
                yield file


def _walk(
    top: str,
    exclude: Patterns,
    not_checked: Callable[[str, NotCheckedError], None],
) -> Iterator[str]:
    """The Python files below a folder.  Links to folders are not followed."""

    found = False

    def failed(error: OSError) -> None:
        nonlocal found
        found = True  # so that it is not called empty
        why = f"cannot be read: {error.strerror or error}"
        not_checked(str(error.filename), NotCheckedError(why))

    for folder, folders, files in os.walk(top, onerror=failed):
        folders[:] = sorted(
            name
            for name in folders
            if not _skipped(folder, name)
            and not exclude.match(os.path.join(folder, name), folder=True)
        )
        for name in sorted(files):
            path = os.path.normpath(os.path.join(folder, name))
            if name.endswith(SUFFIXES):
                found = True
                if not exclude.match(path):
                    yield path
    if not found:
        not_checked(top, NotCheckedError("there are no Python files in this folder"))


def _skipped(folder: str, name: str) -> bool:
    """Whether a folder is passed over: hidden, a cache, an environment."""
    return (
        name.startswith(".")
        or name in _SKIPPED
        or os.path.exists(os.path.join(folder, name, "pyvenv.cfg"))
    )


def read(path: str, limit: int = MAX_BYTES) -> str:
    """The text of a file.

    Args:
        path: the file.
        limit: the most bytes that it may have; 0: any number.

    Raises:
        NotCheckedError: it cannot be read, or is not text.
        TooLargeError: it is larger.
    """
    try:
        facts = os.stat(path)
        if not stat.S_ISREG(facts.st_mode):
            # A pipe would be waited for, perhaps for ever.
            raise NotCheckedError(f"is {_kind(facts.st_mode)}, not a file")
        if limit and facts.st_size > limit and not path.endswith(".ipynb"):
            raise TooLargeError(
                f"skipped: it has {facts.st_size:,} bytes, more than {limit:,} "
                "(--max-bytes 0 checks it)"
            )
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise NotCheckedError("there is no such file or folder") from None
    except OSError as error:
        raise NotCheckedError(f"cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # a null byte in the path
        raise NotCheckedError(f"cannot be read: {error}") from None
    return decode(data)


def _kind(mode: int) -> str:
    """What a path leads to, in words."""
    if stat.S_ISFIFO(mode):
        return "a pipe"
    if stat.S_ISSOCK(mode):
        return "a socket"
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a device"


def decode(data: bytes) -> str:
    """Bytes as text, as Python reads a source: by its mark, its coding line, or UTF-8.

    Raises:
        NotCheckedError: they are no text in that encoding.
    """
    buffer = io.BytesIO(data)
    try:
        try:
            encoding, _ = tokenize.detect_encoding(buffer.readline)
        except SyntaxError:
            data.decode()  # says where, if this is what is wrong
            raise
        buffer.seek(0)
        text = io.TextIOWrapper(buffer, encoding).read()
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise NotCheckedError(
            f"is not {error.encoding}: byte 0x{error.object[error.start]:02x} "
            "does not belong there; save it as UTF-8, or say its encoding in a "
            "'# coding:' line",
            line,
        ) from None
    except (SyntaxError, LookupError, ValueError) as error:
        said = error.msg if isinstance(error, SyntaxError) else error
        raise NotCheckedError(
            f"cannot be decoded ({said}): save it as UTF-8, or correct its "
            "'# coding:' line"
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise NotCheckedError("has a null byte, so it is not Python source", line)
    return text
