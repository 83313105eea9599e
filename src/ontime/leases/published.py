"""The published event log, and how far a run lies from it.

The log is a table: experiment, second, thread, event, message and so on.  It gives
whole seconds, and the time that a message took to the millisecond.  A part that the
article left out is one line, ``gap``.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast, get_args

from ontime.leases.results import LeaseRun, LeaseRuns, State

__all__ = ["LAST", "Aims", "Event", "Log", "events_of", "judge", "read_logs"]

#: The last messages of E3, whose times the log gives.
LAST = range(95, 101)

Kind = Literal["received", "refreshed", "finished", "lost"]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that befell a message.

    Attributes:
        at: seconds from the start; the published ones are whole, cut off.
        kind: what it was.
        message: its number, from 1.
    """

    at: float
    kind: Kind
    message: int


@dataclass(frozen=True, slots=True)
class Log:
    """What the article shows of one experiment.

    Attributes:
        parts: the events, in parts between which lines were left out.
        times: the seconds that a message took, by its number.
        states: the printed counts, by second.
    """

    parts: tuple[tuple[Event, ...], ...]
    times: Mapping[int, float]
    states: Mapping[int, State]

    @property
    def events(self) -> tuple[Event, ...]:
        """All events that are shown."""
        return tuple(event for part in self.parts for event in part)

    def found_in(self, run: LeaseRun, *, within: float = 1.0) -> int:
        """How many of the events the run has too, at most so many seconds away.

        A published second is cut off, so an event may lie anywhere in it.
        """
        when: dict[tuple[str, int], list[float]] = {}
        for event in events_of(run):
            when.setdefault((event.kind, event.message), []).append(event.at)
        return sum(
            any(
                event.at - within <= at < event.at + 1 + within
                for at in when.get((event.kind, event.message), ())
            )
            for event in self.events
        )

    def distance(self, run: LeaseRun, messages: Sequence[int]) -> float:
        """The greatest difference in the time of one of these messages, in seconds.

        It is infinite if the run lost one of them.

        Raises:
            KeyError: the log does not give the time of one.
        """
        return max(
            float("inf")
            if run.messages[number - 1].lost
            else abs(run.messages[number - 1].seconds - self.times[number])
            for number in messages
        )


def read_logs(path: str | Path) -> dict[str, Log]:
    """Return the logs in a file, by experiment.

    Raises:
        OSError: the file cannot be read.
        ValueError: a line cannot be understood; the error names it.
    """
    parts: dict[str, list[list[Event]]] = {}
    times: dict[str, dict[int, float]] = {}
    states: dict[str, dict[int, State]] = {}
    with Path(path).open(encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.DictReader(file), start=2):
            try:
                name, kind = row["experiment"], row["event"]
                mine = parts.setdefault(name, [[]])
                times.setdefault(name, {})
                states.setdefault(name, {})
                if kind == "gap":
                    mine.append([])
                    continue
                second = int(row["second"])
                if kind == "counts":
                    columns = ("seconds_or_received", "success", "failed", "running")
                    *counts, running = (int(row[one]) for one in columns)
                    state = State(*counts)
                    if state.running != running:
                        raise ValueError(f"{running} running is not what is left")
                    states[name][second] = state
                    continue
                if kind not in get_args(Kind):
                    raise ValueError(f"the event is {kind!r}")
                message = int(row["message"])
                mine[-1].append(Event(second, cast(Kind, kind), message))
                if kind == "finished":
                    times[name][message] = float(row["seconds_or_received"])
            except (KeyError, TypeError, ValueError) as error:
                raise ValueError(f"{path}, line {number}: {error}") from error
    return {
        name: Log(
            tuple(tuple(part) for part in mine if part), times[name], states[name]
        )
        for name, mine in parts.items()
    }


def events_of(run: LeaseRun) -> list[Event]:
    """Return what befell the messages of a run, in order of time."""
    found = []
    for one in run.messages:
        number = one.number + 1
        found.append(Event(one.received_at, "received", number))
        found += [Event(at, "refreshed", number) for at in one.renewals]
        if one.lost_at is not None:
            found.append(Event(one.lost_at, "lost", number))
        else:
            found.append(Event(one.ended_at, "finished", number))
    return sorted(found, key=lambda event: event.at)


# -- what a model must do ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Aims:
    """Which of the published facts a model meets, over all its runs.

    Attributes:
        E3_lost: 3 lost in every run, in 222 s ± 1 %.
        E3_state: the state printed at 117 s, in every run, before 118 s.
        E3_last: the times of the messages 95 to 100 within 0.2 s, in every run.
        E4: 90 lost and 484 s are inside the spread.
        E5: none lost, in 2,030 s ± 2 %, in every run.
        E5_third: the third message of E5 is received at 11 s: that is inside the
            spread, which is no wider than 20 s.
    """

    E3_lost: bool
    E3_state: bool
    E3_last: bool
    E4: bool
    E5: bool
    E5_third: bool


def judge(logs: Mapping[str, Log], runs: Mapping[str, LeaseRuns]) -> Aims:
    """Hold the runs of a model, of E3, E4 and E5, against the published facts."""
    light, heavy, urgent = runs["E3"], runs["E4"], runs["E5"]
    log = logs["E3"]
    third = [run.messages[2].received_at for run in urgent]
    return Aims(
        E3_lost=all(
            run.lost == 3 and abs(run.makespan / 222 - 1) <= 0.01 for run in light
        ),
        E3_state=all(
            any(run.state(117 + n / 20) == log.states[117] for n in range(20))
            for run in light
        ),
        E3_last=all(log.distance(run, LAST) <= 0.2 for run in light),
        E4=heavy.lost.min <= 90 <= heavy.lost.max
        and heavy.makespan.min <= 484 <= heavy.makespan.max,
        E5=all(
            run.lost == 0 and abs(run.makespan / 2030 - 1) <= 0.02 for run in urgent
        ),
        E5_third=min(third) < 12 and max(third) >= 11 and max(third) - min(third) < 20,
    )
