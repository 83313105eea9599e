"""Which faults the service has, and its few numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["FAULTS", "Settings"]

#: The faults, each with the chapter that finds it.
FAULTS = {
    "hash": "chapter 2: a password is hashed on the loop",
    "gather": "chapter 3: a task for each part of a price that never waits",
    "storm": "chapter 4: all parts of a report become ready at once",
    "unbounded": "chapter 5: orders wait in a queue without a bound",
    "poll": "chapter 6: the thread of the audit log asks instead of waiting",
    "leases": "chapter 7: leases wait behind the work",
}


@dataclass(frozen=True, slots=True)
class Settings:
    """What the service is made of.

    Args:
        faults: names of :data:`FAULTS`.
        hash_rounds: rounds of the password hash.
        report_parts: parts of a report; each computes for a few milliseconds.
        part_rounds: rounds of work in a part of a report, or in a piece of an order.
        most_waiting: orders that may wait to be saved, where there is a bound.
        held: orders that are worked on at once.
        pieces: pieces of work in an order.
        lease: seconds for which the bus hands out an order.
        refresh_every: seconds from one renewal of a lease to the next.

    Raises:
        TypeError: *faults* is one string.
        ValueError: a fault is not one of them.
    """

    faults: frozenset[str] = frozenset(FAULTS)
    hash_rounds: int = 100_000
    report_parts: int = 60
    part_rounds: int = 1_500
    most_waiting: int = 20
    held: int = 200
    pieces: int = 20
    lease: float = 0.4
    refresh_every: float = 0.1

    def __post_init__(self) -> None:
        if isinstance(self.faults, str):
            raise TypeError(
                f"faults is the string {self.faults!r}: give a set, such as "
                f"{{{self.faults!r}}}"
            )
        object.__setattr__(self, "faults", frozenset(self.faults))
        check_faults(self.faults)

    def has(self, fault: str) -> bool:
        """Whether the service has this fault."""
        return fault in self.faults


def check_faults(names: Iterable[str]) -> None:
    """Check that all *names* are names of :data:`FAULTS`.

    Raises:
        ValueError: one is not.
    """
    for name in names:
        if name not in FAULTS:
            raise ValueError(
                f"there is no fault {name!r}; there are {', '.join(FAULTS)}"
            )
