"""What was measured of sessions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median

__all__ = ["Idle", "Waits"]


@dataclass(frozen=True, slots=True)
class Waits:
    """Waits of one thread, for others or for the interpreter.

    Attributes:
        taken: seconds of each wait, in order.
        voluntary: voluntary context switches of the calling thread: how often it went
            to sleep; None where the system does not count them for a thread.
        cpu: seconds of CPU time of the calling thread.
    """

    taken: tuple[float, ...]
    voluntary: int | None
    cpu: float

    @property
    def median(self) -> float:
        """The middle one, in seconds."""
        return median(self.taken)

    @property
    def worst(self) -> float:
        """The longest, in seconds."""
        return max(self.taken)

    @property
    def total(self) -> float:
        """All together, in seconds."""
        return math.fsum(self.taken)

    @property
    def voluntary_each(self) -> float:
        """Voluntary context switches for each wait.

        Raises:
            NotImplementedError: the system does not count them for a thread.
        """
        if self.voluntary is None:
            raise NotImplementedError(
                "this system does not count the context switches of a thread: Linux "
                "does (resource.RUSAGE_THREAD)"
            )
        return self.voluntary / len(self.taken)

    def __repr__(self) -> str:
        count = len(self.taken)
        text = (
            f"{count:,} wait{'' if count == 1 else 's'}: "
            f"median {self.median * 1000:.3f} ms, worst {self.worst * 1000:.3f} ms"
        )
        if self.voluntary is None:
            return text
        return f"{text}, {self.voluntary_each:.1f} voluntary switches each"


@dataclass(frozen=True, slots=True)
class Idle:
    """What sessions did while nobody sent them anything.

    Attributes:
        turns: iterations of each loop while they were counted.
        seconds: how long they were counted.
        cpu: seconds of CPU time that their threads used in *wall* seconds.
        wall: the same time and a little more, as the CPU time is asked of each loop.
    """

    turns: tuple[int, ...]
    seconds: float
    cpu: float
    wall: float

    @property
    def most(self) -> int:
        """The iterations of the busiest loop."""
        return max(self.turns)

    @property
    def share(self) -> float:
        """Share of a core that all of them used together; 1 is a whole core."""
        return self.cpu / self.wall

    def __repr__(self) -> str:
        loops = len(self.turns)
        return (
            f"{loops} idle loop{'' if loops == 1 else 's'} for {self.seconds:.2f} s: "
            f"{sum(self.turns):,} turns, {self.share:.2%} of a core"
        )
