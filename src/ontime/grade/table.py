"""The table of grades as CSV: written whole or not at all, and harmless to open."""

from __future__ import annotations

import contextlib
import csv
import io
import os
import tempfile
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from pathlib import Path

__all__ = ["COLUMNS", "Row", "as_csv", "safe", "write"]

_LONGEST = 300  # characters of a cell


@dataclass(frozen=True, slots=True)
class Row:
    """One exercise of one submission; of an unreadable one there is one row."""

    submission: str
    exercise: str
    status: str
    reason: str
    graded: str


#: The names of the columns.
COLUMNS = Row.__match_args__


def safe(text: str) -> str:
    """*text* in one short line that no spreadsheet takes for a formula."""
    printable = "".join(c if c.isprintable() else " " for c in text[: 4 * _LONGEST])
    line = " ".join(printable.split())
    if len(line) > _LONGEST:
        line = line[: _LONGEST - 1] + "…"
    return f"'{line}" if line.startswith(("=", "+", "-", "@", "|", "%")) else line


def as_csv(rows: Iterable[Row]) -> str:
    """The table with a line of names, in the CSV of RFC 4180."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    writer.writerows([safe(word) for word in astuple(row)] for row in rows)
    return text.getvalue()


_OF_SYSTEM = (("dev",), ("proc",))


def write(path: Path, rows: Iterable[Row]) -> None:
    """Write the table; a file that is there already is replaced in one step.

    A link stays a link: what it leads to is written.  A device, a pipe and whatever is
    named below ``/dev`` or ``/proc`` are written to as they are: where the output of
    the command goes into a file, ``/dev/stdout`` leads to that file.

    Raises:
        OSError: it could not be written; what was there is as it was.
    """
    data = as_csv(rows).encode()
    named = path.absolute()
    path = path.resolve()
    of_system = any(place.parts[1:2] in _OF_SYSTEM for place in (named, path))
    if of_system or (path.exists() and not path.is_file()):
        with path.open("ab" if of_system else "wb") as stream:
            stream.write(data)
        return
    number, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    part = Path(name)
    try:
        with os.fdopen(number, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if os.name == "posix":
            mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
            part.chmod(mode)
        part.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
