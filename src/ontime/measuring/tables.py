"""Results as text for a terminal, as a table for a page, and in a file.

A row is a list of cells, and its first cell names it.  A row with fewer cells than the
others ends with a reason: why it has no figures.  The reason runs over their columns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from html import escape
from pathlib import Path
from statistics import median
from typing import Any, Generic, Protocol, Self, TypeVar

from looplab._words import TO_THE_MILLISECOND, seconds

__all__ = ["Table", "aligned", "as_html", "as_time", "range_of"]

#: A time of an exact run, in words.
as_time = partial(seconds, scale=TO_THE_MILLISECOND)


class _Named(Protocol):
    @property
    def name(self) -> str: ...


R = TypeVar("R", bound=_Named)


@dataclass(repr=False)
class Table(Generic[R]):
    """Rows of a measurement side by side.

    Iterating gives them in order, ``table["NAME"]`` the first of that name.

    Attributes:
        rows: the rows.
        machine: what they were measured on, as words by name.
    """

    rows: tuple[R, ...]
    machine: dict[str, str]

    def __iter__(self) -> Iterator[R]:
        return iter(self.rows)

    def __getitem__(self, name: Any) -> R:
        """The row of that name.

        Raises:
            KeyError: there is none; the message lists them.
        """
        for row in self.rows:
            if row.name == name:
                return row
        names = ", ".join(row.name for row in self.rows)
        raise KeyError(f"there is no row {name!r}; there are {names}")

    @property
    def where(self) -> str:
        """The machine and the versions, in a sentence; empty if nobody has noted it."""
        listed = ", ".join(self.machine.values())
        return listed and f"Measured on {listed}."

    def save(self, path: str | Path) -> None:
        """Write it as JSON to *path*."""
        words = json.dumps(asdict(self), indent=1, ensure_ascii=False)
        Path(path).write_text(f"{words}\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read what :meth:`save` has written."""
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        return cls(**data | {"rows": tuple(map(cls._row, data["rows"]))})

    @staticmethod
    def _row(data: dict[str, Any]) -> Any:
        """A row from its JSON."""
        raise NotImplementedError


def range_of(values: Sequence[float]) -> str:
    """The least, the greatest and the median of some times."""
    low, middle, high = min(values), median(values), max(values)
    return f"{as_time(low)} to {as_time(high)}, median {as_time(middle)}"


def aligned(rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Return rows as text: *left* columns to the left, the others to the right."""
    most = max(map(len, rows))
    full = [row for row in rows if len(row) == most]
    widths = [max(map(len, column)) for column in zip(*full, strict=True)]
    for place in range(left):
        widths[place] = max(len(row[place]) for row in rows)
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=False))
        ]
        if len(row) < most:
            cells[-1] = row[-1]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def as_html(
    rows: Sequence[Sequence[str]],
    head: Sequence[str] | None = None,
    *,
    label: str = "",
    caption: str = "",
    cell: Callable[[str], str] = lambda text: f"<td>{escape(text)}</td>",
) -> str:
    """Return rows as a table whose first column names the rows.

    Args:
        rows: of cells, as text.
        head: names the columns, if they have names.
        label: what it is, for those who cannot see it; it scrolls sideways then.
        caption: what stands above it.
        cell: makes a cell of the table, if it is not only text.
    """
    top = ""
    if head is not None:
        names = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
        top = f"<thead><tr>{names}</tr></thead>"
    most = max(map(len, [*rows, head or ()]))
    body = ""
    for name, *cells in rows:
        body += f'<tr><th scope="row">{escape(name)}</th>'
        if len(cells) == most - 1:
            body += "".join(map(cell, cells))
        else:
            reason = escape(cells[-1])
            body += "".join(map(cell, cells[:-1]))
            body += f'<td colspan="{most - len(cells)}">{reason}</td>'
        body += "</tr>"
    if not label:
        return f'<table class="looplab-leases">{top}<tbody>{body}</tbody></table>'
    return (
        '<div class="looplab-table" style="overflow-x:auto" tabindex="0" role="region" '
        f'aria-label="{escape(label)}"><table><caption>{escape(caption)}</caption>'
        f"{top}<tbody>{body}</tbody></table></div>"
    )
