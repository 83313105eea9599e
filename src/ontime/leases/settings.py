"""What a consumer has to do: its messages, its waits and its priorities."""

from __future__ import annotations

from dataclasses import dataclass, replace

from looplab._numbers import count_of, seconds_of

__all__ = ["LeaseSettings"]

_TIMES = ("cpu", "io", "receive", "refresh_every", "refresh", "lease")


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseSettings:
    """What the consumer has to do.  All times are in seconds.

    The defaults are the published settings with one second of CPU a round.

    Args:
        messages: how many messages there are.
        rounds: how many rounds of computing and waiting each needs.
        cpu: what a round computes.
        io: what a round waits.
        receive: what it takes to receive a message.
        refresh_every: the wait between a refresh and the next check of the lease.
        refresh: what the call that renews the lease takes.
        lease: a lease older than this at the check is lost.
        limit: how many messages may be held at once; ``None`` for any number.
        lease_priority: priority of keeping a lease, the greater the more urgent.
        work_priority: priority of processing.
        receive_priority: priority of receiving.
        work_deadline: seconds from the receipt of a message to the deadline of its
            processing; ``None`` for none.  Only a scheduler that serves the earliest
            deadline first looks at it.  The deadline of a lease is its end.

    Raises:
        TypeError: a time is not a number.
        ValueError: a time is negative, infinite or not a number, or there is no message
            or place for one.

    Introduced in the chapter *Put the lease first*.
    """

    messages: int = 100
    rounds: int = 20
    cpu: float = 1.0
    io: float = 1.0
    receive: float = 0.25
    refresh_every: float = 2.0
    refresh: float = 0.25
    lease: float = 5.0
    limit: int | None = None
    lease_priority: int = 3
    work_priority: int = 2
    receive_priority: int = 1
    work_deadline: float | None = None

    def __post_init__(self) -> None:
        count_of(self.messages, "messages")
        if self.limit is not None:
            count_of(self.limit, "limit", none="any number")
        for name in (*_TIMES, "work_deadline"):
            if (value := getattr(self, name)) is not None:
                seconds_of(value, name)
        if not self.refresh_every + self.refresh:
            raise ValueError(
                "refresh_every and refresh are both 0 s: the lease would be checked "
                "for ever at one instant; give one of them a time"
            )

    @property
    def floor(self) -> float:
        """Seconds of CPU that all messages need; one thread cannot be faster."""
        return self.messages * self.rounds * self.cpu

    def scaled(self, factor: float) -> LeaseSettings:
        """Return the same settings with every time multiplied by *factor*."""
        times = {name: getattr(self, name) * factor for name in _TIMES}
        if self.work_deadline is not None:
            times["work_deadline"] = self.work_deadline * factor
        return replace(self, **times)
