"""The published experiments: their settings, and models of what they ran on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from looplab.priority import PriorityProtocol
from ontime.leases.results import LeaseRun, LeaseRuns
from ontime.leases.schedulers import ThreadPool
from ontime.leases.settings import LeaseSettings
from ontime.leases.simulator import consume
from ontime.leases.window import Window

__all__ = ["EXPERIMENTS", "LATE", "SEEDS", "Experiment"]

#: Seconds by which a timer of that system may be late.
LATE = 0.004
#: The runs with which a model is judged.
SEEDS = range(12)


@dataclass(frozen=True, slots=True)
class Experiment:
    """One of the published experiments: its settings and what it ran on."""

    id: str
    title: str
    settings: LeaseSettings
    scheduler: Any

    def run(self, scheduler: Any = ..., **options: Any) -> LeaseRun:
        """Run it once; with another *scheduler*, if one is given.

        Args:
            scheduler: see :func:`consume`; the experiment's own if not given, and then
                timers are up to :data:`LATE` late.
            options: passed on to :func:`consume`.
        """
        if scheduler is ...:
            options.setdefault("jitter", LATE)
            scheduler = self.scheduler
        return consume(self.settings, scheduler, **options)

    def judged(self, scheduler: Any = ...) -> LeaseRuns:
        """Run it with each of :data:`SEEDS`, timers up to :data:`LATE` late.

        Args:
            scheduler: another model of what it ran on, if one is given.
        """
        model = self.scheduler if scheduler is ... else scheduler
        return LeaseRuns(
            tuple(
                consume(self.settings, model, jitter=LATE, seed=seed) for seed in SEEDS
            )
        )


_LITTLE = LeaseSettings(cpu=0.1)
_MUCH = LeaseSettings(cpu=1.0)
# Eight threads fit what was received in the first seconds of E2, and one more every
# 2.6 s what was done in the last: the article does not say how its pool grew.
_POOL = ThreadPool(8, grow_every=2.6, tick=1 / 64)

#: The published experiments by id.
EXPERIMENTS: Mapping[str, Experiment] = MappingProxyType(
    {
        one.id: one
        for one in (
            Experiment("E1", "a thread pool, little CPU", _LITTLE, _POOL),
            Experiment("E2", "a thread pool, much CPU", _MUCH, _POOL),
            Experiment("E3", "one thread, little CPU", _LITTLE, Window()),
            Experiment("E4", "one thread, much CPU", _MUCH, Window()),
            Experiment(
                "E5",
                "one thread, much CPU, with priorities",
                _MUCH,
                Window(PriorityProtocol),
            ),
        )
    }
)
