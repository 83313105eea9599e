"""The published experiments, their event log, and how far a run lies from it.

The log is a table: experiment, second, thread, event, message and so on.  It gives
whole seconds, and the time that a message took to the millisecond.  A part that the
article left out is one row, ``gap``.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from looplab.priority import PriorityProtocol
from ontime.leases.consumer import LeaseSettings
from ontime.leases.runs import LeaseRun, LeaseRuns, State, consume
from ontime.leases.schedulers import ThreadPool
from ontime.leases.window import Window

__all__ = [
    "EXPERIMENTS", "LAST", "Event", "Experiment", "Log", "events_of", "judge",
    "read_logs",
]  # fmt: skip

#: The last messages of E3, whose times the log gives.
LAST = range(95, 101)
# Seconds by which a timer of that system may be late, and the runs that judge a model.
_LATE, _SEEDS = 0.004, range(12)


@dataclass(frozen=True, slots=True)
class Experiment:
    """One of the published experiments: its settings and what it ran on."""

    settings: LeaseSettings
    scheduler: Any

    def judged(self, scheduler: Any = ...) -> LeaseRuns:
        """Run it with each of 12 seeds, timers up to 4 ms late.

        Args:
            scheduler: another model of what it ran on, if one is given.
        """
        used = self.scheduler if scheduler is ... else scheduler
        return LeaseRuns(
            consume(self.settings, used, jitter=_LATE, seed=seed) for seed in _SEEDS
        )


_LITTLE, _MUCH = LeaseSettings(cpu=0.1), LeaseSettings(cpu=1.0)
# Eight threads fit what was received in the first seconds of E2, and one more every
# 2.6 s what was done in the last: the article does not say how its pool grew.
_POOL = ThreadPool(8, grow_every=2.6, tick=1 / 64)

#: The published experiments by id.
EXPERIMENTS: dict[str, Experiment] = {
    "E1": Experiment(_LITTLE, _POOL),
    "E2": Experiment(_MUCH, _POOL),
    "E3": Experiment(_LITTLE, Window()),
    "E4": Experiment(_MUCH, Window()),
    "E5": Experiment(_MUCH, Window(PriorityProtocol)),
}


@dataclass(frozen=True, slots=True)
class Event:
    """Something that befell a message.

    Attributes:
        at: seconds from the start; the published ones are whole, cut off.
        kind: ``"received"``, ``"refreshed"``, ``"finished"`` or ``"lost"``.
        message: its number, from 1.
    """

    at: float
    kind: str
    message: int


@dataclass(frozen=True, slots=True)
class Log:
    """What the article shows of one experiment.

    Attributes:
        parts: the events, in parts between which rows were left out.
        times: the seconds that a message took, by its number.
        states: the printed counts, by second.
    """

    parts: list[list[Event]] = field(default_factory=lambda: [[]])
    times: dict[int, float] = field(default_factory=dict)
    states: dict[int, State] = field(default_factory=dict)

    @property
    def events(self) -> list[Event]:
        """All events that are shown."""
        return [event for part in self.parts for event in part]

    def found_in(self, run: LeaseRun, *, within: float = 1.0) -> int:
        """How many of the events the run has too, at most so many seconds away.

        A published second is cut off, so an event may lie anywhere in it.
        """
        ours = events_of(run)
        return sum(
            any(
                (event.kind, event.message) == (other.kind, other.message)
                and event.at - within <= other.at < event.at + 1 + within
                for other in ours
            )
            for event in self.events
        )

    def distance(self, run: LeaseRun, messages: Sequence[int]) -> float:
        """The greatest difference in the time of one of these messages, in seconds.

        It is infinite if the run lost one of them.
        """
        if any(run.messages[number - 1].lost for number in messages):
            return math.inf
        return max(abs(run.messages[n - 1].seconds - self.times[n]) for n in messages)


def read_logs(path: Path) -> dict[str, Log]:
    """Return the logs in a file, by experiment."""
    logs: dict[str, Log] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            log, kind = logs.setdefault(row["experiment"], Log()), row["event"]
            if kind == "gap":
                log.parts.append([])
            elif kind == "counts":
                counts = row["seconds_or_received"], row["success"], row["failed"]
                log.states[int(row["second"])] = State(*map(int, counts))
            else:
                message = int(row["message"])
                log.parts[-1].append(Event(int(row["second"]), kind, message))
                if kind == "finished":
                    log.times[message] = float(row["seconds_or_received"])
    for log in logs.values():
        log.parts[:] = filter(None, log.parts)
    return logs


def events_of(run: LeaseRun) -> list[Event]:
    """Return what befell the messages of a run, in order of time."""
    events = []
    for number, message in enumerate(run.messages, start=1):
        events.append(Event(message.received_at, "received", number))
        events += [Event(at, "refreshed", number) for at in message.renewals]
        if message.lost_at is not None:
            events.append(Event(message.lost_at, "lost", number))
        else:
            events.append(Event(message.ended_at, "finished", number))
    return sorted(events, key=lambda event: event.at)


# -- what a model must do ------------------------------------------------------------


def judge(logs: Mapping[str, Log], runs: Mapping[str, LeaseRuns]) -> dict[str, bool]:
    """Hold the runs of a model, of E3, E4 and E5, against the published facts.

    Returns:
        Which of them it meets, by name, over all its runs.
    """
    light, heavy, urgent = runs["E3"], runs["E4"], runs["E5"]
    log = logs["E3"]
    third = urgent.spread(lambda run: run.messages[2].received_at)
    return {
        # 3 lost in every run, in 222 s ± 1 %.
        "E3_lost": all(
            run.lost == 3 and abs(run.makespan / 222 - 1) <= 0.01 for run in light
        ),
        # The state printed at 117 s, in every run, before 118 s.
        "E3_state": all(
            any(run.state(117 + n / 20) == log.states[117] for n in range(20))
            for run in light
        ),
        # The times of the messages 95 to 100 within 0.2 s, in every run.
        "E3_last": all(log.distance(run, LAST) <= 0.2 for run in light),
        # 90 lost and 484 s are inside the spread.
        "E4": heavy.lost.min <= 90 <= heavy.lost.max
        and heavy.makespan.min <= 484 <= heavy.makespan.max,
        # None lost, in 2,030 s ± 2 %, in every run.
        "E5": all(
            run.lost == 0 and abs(run.makespan / 2030 - 1) <= 0.02 for run in urgent
        ),
        # The third message is received at 11 s: inside the spread, which is no wider
        # than 20 s.
        "E5_third": third.min < 12 and third.max >= 11 and third.max - third.min < 20,
    }
