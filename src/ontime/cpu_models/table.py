"""What a comparison found, as a table for a terminal, a page and a file."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Any

from ontime.measuring.tables import Table, aligned, as_html

from .measure import Measurement
from .models import Model

__all__ = ["Comparison", "Row"]


@dataclass(frozen=True, slots=True)
class Row:
    """The runs of one model.  Times are seconds; of several runs the median.

    Introduced in the chapter *Move CPU work off the loop*.
    """

    model: Model
    #: The model's name, with the number of its workers.
    name: str
    #: Every run, in order; none if the model is not available.
    runs: tuple[Measurement, ...]
    #: Why the model was not run, or an empty string.
    unavailable: str = ""

    def values(self, what: str) -> list[float]:
        """The *what* of all runs, sorted: an attribute of :class:`Measurement`.

        Raises:
            ValueError: if the model was not run, or nobody measured this.
        """
        if not self.runs:
            raise ValueError(f"{self.name} was not run: {self.unavailable}")
        values = [getattr(run, what) for run in self.runs]
        if None in values:
            raise ValueError(f"the system does not tell the {what} of {self.name}")
        return sorted(values)

    @property
    def wall(self) -> float:
        """From the first job handed over to the last result."""
        return median(self.values("wall"))

    @property
    def startup(self) -> float:
        """From asking for the workers until all of them have answered."""
        return median(self.values("startup"))

    @property
    def total(self) -> float:
        """Start-up and work together."""
        return median(self.values("total"))

    @property
    def cpu(self) -> float:
        """CPU time of the process and all its children."""
        return median(self.values("cpu"))

    @property
    def lateness(self) -> float:
        """Worst lateness of the loop's heartbeat while the jobs were running."""
        return median(self.values("lateness"))


_COLUMNS = (
    ("wall", "wall (s)"),
    ("startup", "start-up (s)"),
    ("cpu", "CPU (s)"),
    ("lateness", "worst lateness (s)"),
)
_HEAD = ["model", *(label for _, label in _COLUMNS)]


@dataclass(repr=False)
class Comparison(Table[Row]):
    """The same jobs in several models; made by :func:`compare_models`.

    Iterating gives a :class:`Row` for each model in the order in which they were asked
    for, and ``comparison["Pool(2)"]`` the one of that name.

    Attributes:
        rows: the rows.
        machine: what it was measured on, as words by name.
        work: what was run, in words.
        count: how many jobs.
    """

    work: str
    count: int

    @staticmethod
    def _row(data: dict[str, Any]) -> Row:
        runs = tuple(Measurement(**run) for run in data["runs"])
        return Row(**data | {"model": Model(**data["model"]), "runs": runs})

    def _cells(self) -> list[list[str]]:
        return [
            [row.name, *(_cell(row, what) for what, _ in _COLUMNS)]
            if row.runs
            else [row.name, f"not run: {row.unavailable}"]
            for row in self.rows
        ]

    def __repr__(self) -> str:
        table = aligned([_HEAD, *self._cells()])
        return f"{self._title()}\n\n{table}\n\n{self.where}"

    def _repr_html_(self) -> str:
        title = self._title()
        caption = f"{title} {self.where}"
        return as_html(
            self._cells(), _HEAD, label=title, caption=caption, cell=_html_cell
        )

    def _title(self) -> str:
        most = max(len(row.runs) for row in self.rows)
        runs = f", the median of {most} runs (least to most)" if most > 1 else ""
        jobs = "1 job" if self.count == 1 else f"{self.count} jobs"
        return f"{jobs} of {self.work}{runs}."


def _cell(row: Row, what: str) -> str:
    try:
        values = row.values(what)
    except ValueError:
        return "not known"
    middle = f"{median(values):.3f}"
    if len(values) == 1:
        return middle
    return f"{middle} ({values[0]:.3f} to {values[-1]:.3f})"


def _html_cell(text: str) -> str:
    """A cell of a page, with the spread in a line of its own: a page is narrow."""
    middle, bracket, rest = text.partition(" (")
    if bracket:
        spread = rest.rstrip(")").replace(" to ", "–")
        middle += f'<br><span style="font-size:85%">{spread}</span>'
    return f'<td style="white-space:nowrap">{middle}</td>'
