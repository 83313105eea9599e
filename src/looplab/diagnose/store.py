"""The file of one process, within the bound on disk that the user set."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any, BinaryIO

from .fileformat import FORMAT
from .options import Options
from .writer import Encoder

__all__ = ["Store"]


class Store:
    """Writes lines to the first free file for *options*.

    The first process of a run has the file that the user named; another one puts its
    number before the suffix.  When a file has taken half of the bound it is moved to
    the same name with ``.1`` at the end, in place of the one there, and begun anew.

    Raises:
        OSError: here and from all methods, if the file cannot be written.
    """

    def __init__(self, options: Options, about: dict[str, Any], origin_ns: int) -> None:
        self._about = {"format": FORMAT, **about}
        self._origin_ns = origin_ns
        self._half = options.max_bytes // 2
        self._size = 0
        path = Path(options.output).absolute()
        self.path, self._file = _first_free(path)
        self._begin()

    def _begin(self) -> None:
        self._encoder = Encoder(self._origin_ns)
        self._size = 0
        self._put(json.dumps(self._about, separators=(",", ":")).encode() + b"\n")
        self._file.flush()

    def _put(self, line: bytes) -> None:
        self._size += len(line)
        self._file.write(line)

    def write(self, loop: int, part: dict[str, Any]) -> None:
        """Write what is known about *loop*."""
        if self._size > self._half:
            self._file.close()
            self.path.replace(self.path.with_name(self.path.name + ".1"))
            self._file = self.path.open("wb")
            self._begin()
        self._put(self._encoder.encode(loop, part))

    def flush(self) -> None:
        """Hand all lines to the system: they survive a kill of the process."""
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        with contextlib.suppress(OSError):  # it was said when it was flushed
            self._file.close()

    def abandon(self) -> None:
        """Forget the file in a forked process: nothing of its buffer is written."""
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._file.fileno())
            os.close(nowhere)
            self._file.close()
        except (OSError, ValueError):
            pass


def _first_free(path: Path) -> tuple[Path, BinaryIO]:
    number = os.getpid()
    beside = path.with_name(f"{path.stem}-{number}{path.suffix}")
    for one in (path, beside):
        try:
            return one, one.open("xb")
        except FileExistsError:
            continue
    return beside, beside.open("wb")
