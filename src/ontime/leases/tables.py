"""Results as text, for a terminal, and as a table, for a notebook."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from statistics import median

from looplab._words import TO_THE_MILLISECOND, seconds

__all__ = ["aligned", "as_html", "as_time", "range_of"]


#: A time of an exact run, in words.
as_time = partial(seconds, scale=TO_THE_MILLISECOND)


def range_of(values: Sequence[float]) -> str:
    """The least, the greatest and the median of some times."""
    low, middle, high = min(values), median(values), max(values)
    return f"{as_time(low)} to {as_time(high)}, median {as_time(middle)}"


def aligned(
    rows: Sequence[Sequence[str]], across: Callable[[str, int], str] = str.rjust
) -> str:
    """Return rows as text: the first column to the left, the others by *across*."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            [row[0].ljust(widths[0])]
            + [
                across(cell, width)
                for cell, width in zip(row[1:], widths[1:], strict=True)
            ]
        ).rstrip()
        for row in rows
    )


def as_html(rows: Sequence[Sequence[str]], head: Sequence[str] | None = None) -> str:
    """Return rows as a table whose first column names the rows.

    Args:
        rows: of cells, as text.
        head: names the columns, if they have names.
    """
    top = ""
    if head is not None:
        names = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
        top = f"<thead><tr>{names}</tr></thead>"
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        + "</tr>"
        for name, *cells in rows
    )
    return f'<table class="looplab-leases">{top}<tbody>{body}</tbody></table>'
