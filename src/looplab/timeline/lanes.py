"""Lanes: which callbacks of a trace are drawn on one line, and in which colour."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from looplab._numbers import count_of
from looplab._words import many
from looplab.draw.palette import LOUD, PLAIN, QUIET
from looplab.trace.record import Record

__all__ = [
    "Choice",
    "Lane",
    "bare",
    "busy_between",
    "choose_lanes",
    "lateness",
    "stem",
    "wait_from",
]

_MAX_LANES = 12
_DEFAULT_NAME = re.compile(r"Task-\d+")
_NUMBER_AT_END = re.compile(r"[\s_:.#-]*\d+$")


def bare(label: str) -> str:
    """Return a qualified name without the functions that it is inside of."""
    return label.rpartition("<locals>.")[2]


def stem(record: Record) -> str | None:
    """The lane of a record; ``None`` for a callback by which the loop helps itself."""
    if record.task is None:
        label = bare(record.label)
        if label.rpartition(".")[2].startswith("_"):
            return None
        return f"{label}()"
    if _DEFAULT_NAME.fullmatch(record.task):
        return bare(record.label)
    return _NUMBER_AT_END.sub("", record.task) or record.task


@dataclass
class Lane:
    """The callbacks that share a line.

    Attributes:
        stem: what their tasks or their code have in common.
        records: the callbacks, in the order in which they ran.
        colour: the name of its colour.
        is_probe: whether it is a probe, whose callbacks are beats.
        busy: nanoseconds in which one of them had the thread, in the picture.
        tasks: the names of their tasks.
        name: what stands above it.
    """

    stem: str
    records: list[Record]
    colour: str = PLAIN
    is_probe: bool = False
    busy: int = 0
    tasks: list[str | None] = field(default_factory=list)
    name: str = ""

    def __post_init__(self) -> None:
        names = dict.fromkeys(record.task for record in self.records)
        self.tasks = sorted(names, key=_numbers_in_order)

    @property
    def timed(self) -> list[Record]:
        """Those that a timer set off."""
        return [record for record in self.records if record.due_ns is not None]

    @property
    def latest(self) -> Record | None:
        """The one with the worst lateness; ``None`` if no timer fired."""
        return max(self.timed, key=lateness, default=None)

    @property
    def longest_queue(self) -> int:
        """Nanoseconds of the longest wait in the ready queue without a timer."""
        return max(
            (
                record.run_ns - record.ready_ns
                for record in self.records
                if record.due_ns is None
            ),
            default=0,
        )


def _numbers_in_order(name: str | None) -> tuple[str, int]:
    """Sort names by the number at their end."""
    name = name or ""
    number = re.search(r"\d+$", name)
    return _NUMBER_AT_END.sub("", name), int(number.group()) if number else -1


def lateness(record: Record) -> int:
    """Nanoseconds from due to run; 0 if no timer set it off."""
    return 0 if record.due_ns is None else record.run_ns - record.due_ns


def wait_from(record: Record) -> int:
    """When the wait began: at the due time of its timer, or when it was ready."""
    return record.ready_ns if record.due_ns is None else record.due_ns


def busy_between(records: Iterable[Record], start: int, end: int) -> int:
    """Nanoseconds between *start* and *end* in which one of *records* ran."""
    return sum(
        max(0, min(record.ended_ns, end) - max(record.run_ns, start))
        for record in records
    )


@dataclass(frozen=True)
class Choice:
    """Which lanes there are to be, and how they look.

    Attributes:
        lanes: how many at most, or which, by name and in order; ``None`` for 12.
        probe: the lanes of probes: a pattern for their names, or several.
        colours: the colours by pattern for the names of lanes.
        first_task: the name of the task that the trace begins with.
    """

    lanes: int | Sequence[str] | None
    probe: str | Sequence[str] | None
    colours: Mapping[str, str]
    first_task: str | None

    def is_probe(self, lane: Lane) -> bool:
        """Whether *lane* is a probe's."""
        probes = [self.probe] if isinstance(self.probe, str) else self.probe or ()
        return any(fnmatchcase(lane.stem, pattern) for pattern in probes)

    def colour(self, lane: Lane, alone: bool) -> str:
        """Return the colour of *lane*, which may be the only one."""
        for pattern, colour in self.colours.items():
            if fnmatchcase(lane.stem, pattern):
                return colour
        if lane.is_probe:
            return LOUD
        main = lane.tasks == [self.first_task]
        if main and not alone and _DEFAULT_NAME.fullmatch(lane.tasks[0] or ""):
            return QUIET  # the main task, which only starts the others
        return PLAIN


def choose_lanes(
    shown: Iterable[Record], choice: Choice, start: int, end: int
) -> list[Lane]:
    """Return the lanes of the callbacks that are *shown* between *start* and *end*."""
    by_name: dict[str, list[Record]] = {}
    for record in shown:
        name = stem(record)
        if name is not None:
            by_name.setdefault(name, []).append(record)
    lanes = [Lane(name, records) for name, records in by_name.items()]
    for lane in lanes:
        lane.is_probe = choice.is_probe(lane)
        lane.colour = choice.colour(lane, alone=len(lanes) == 1)
        lane.busy = busy_between(lane.records, start, end)
        lane.name = _lane_name(lane)
    wanted = choice.lanes
    if isinstance(wanted, str):
        wanted = [wanted]
    if wanted is None or isinstance(wanted, int):
        most = count_of(_MAX_LANES if wanted is None else wanted, "lanes")
        lanes.sort(key=lambda lane: not lane.is_probe)
        if len(lanes) <= most:
            return lanes
        ranked = sorted(lanes, key=lambda lane: (not lane.is_probe, -lane.busy))
        kept = {id(lane) for lane in ranked[: most - 1]}
        chosen = [lane for lane in lanes if id(lane) in kept]
    else:
        chosen = []
        for pattern in wanted:
            hits = [
                lane
                for lane in lanes
                if lane not in chosen
                and (
                    fnmatchcase(lane.stem, pattern)
                    or any(fnmatchcase(task or "", pattern) for task in lane.tasks)
                )
            ]
            if not hits:
                names = ", ".join(lane.stem for lane in lanes)
                raise ValueError(f"there is no lane {pattern!r}: the lanes are {names}")
            chosen += hits
        kept = {id(lane) for lane in chosen}
    rest = [lane for lane in lanes if id(lane) not in kept]
    if rest:
        records = [record for lane in rest for record in lane.records]
        other = Lane("others", sorted(records, key=lambda record: record.run_ns))
        other.busy = busy_between(other.records, start, end)
        other.name = many(len(other.tasks), "other task")
        other.colour = QUIET
        chosen.append(other)
    return chosen


def _lane_name(lane: Lane) -> str:
    if len(lane.tasks) == 1 or lane.tasks[0] is None:
        name = lane.tasks[0]
        given = name is not None and not _DEFAULT_NAME.fullmatch(name)
        return str(name) if given else lane.stem
    first, last = str(lane.tasks[0]), str(lane.tasks[-1])
    if _DEFAULT_NAME.fullmatch(first):
        return lane.stem
    return f"{first} … {last}"
