"""Columns of whole numbers as text: their bytes, little-endian, in base64.

It takes a quarter of the time that the digits of the numbers would.  The module uses
the standard library only and runs in a browser.
"""

from __future__ import annotations

import struct
from binascii import a2b_base64, b2a_base64
from collections.abc import Collection, Iterable, Sequence

__all__ = ["pack", "unpack"]


def pack(kinds: str, columns: Sequence[Collection[int]]) -> str:
    """Return the text for *columns*, one after the other.

    Args:
        kinds: a format character of :mod:`struct` for each column.
        columns: as many numbers each.
    """
    count = len(columns[0])
    form = "<" + "".join([f"{count}{kind}" for kind in kinds])
    numbers: list[int] = []
    for column in columns:
        numbers += column
    return b2a_base64(struct.pack(form, *numbers), newline=False).decode("ascii")


def unpack(kinds: str, text: str) -> Iterable[tuple[int, ...]]:
    """Return the rows of *text*.

    Args:
        kinds: as they were given to :func:`pack`.
        text: what it returned.

    Raises:
        ValueError: if *text* is not what :func:`pack` makes of such columns.
    """
    data = a2b_base64(text)
    count, rest = divmod(len(data), struct.calcsize(f"<{kinds}"))
    if rest:
        raise ValueError(f"{len(data)} bytes are not rows of {kinds!r}")
    form = "<" + "".join([f"{count}{kind}" for kind in kinds])
    numbers = struct.unpack(form, data)
    columns = [numbers[at * count : (at + 1) * count] for at in range(len(kinds))]
    return zip(*columns, strict=True)
