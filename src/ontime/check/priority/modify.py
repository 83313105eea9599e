"""``07-modify``: how many messages to hold at once."""

from __future__ import annotations

from typing import Any

from ontime.check.registry import exercise
from ontime.check.verdict import NotYet
from ontime.leases import LeaseSettings, consume, consume_many

__all__ = ["STRETCH_BOUND"]

#: ``07-modify``: how many times the floor the makespan may be.
STRETCH_BOUND = 1.1

_MODIFY = LeaseSettings(cpu=0.4, messages=40)


@exercise("07-modify")
def check_modify(answer: Any) -> str:
    """The answer is a whole number, ``limit``: how many messages are held at once.

    The consumer of the chapter with 0.4 s of CPU in a round, 40 messages and the stock
    order must lose none, exact and over jitter, and take at most
    :data:`STRETCH_BOUND` times the floor.  The runs may be lucky: the limit must also
    be one with which no lease can be lost, since it waits for one computation of each
    message at most.
    """
    if isinstance(answer, bool) or not isinstance(answer, int):
        raise NotYet(f"limit is {answer!r}.", "it must be a whole number")
    if answer < 1:
        raise NotYet(f"limit={answer} lets nothing in.", "it must be at least 1")
    settings = LeaseSettings(cpu=_MODIFY.cpu, messages=_MODIFY.messages, limit=answer)
    runs = [consume(settings), *consume_many(settings, runs=4, callback_cost=5e-6)]
    lost = max(run.lost for run in runs)
    if lost:
        raise NotYet(
            f"limit={answer} loses up to {lost} of {settings.messages} messages.",
            "a lease waits for up to one computation for each message that is held",
        )
    longest = answer * settings.cpu
    if longest > (slack := settings.lease - settings.refresh_every):
        raise NotYet(
            f"limit={answer} lost nothing in these runs, but it can: a lease may have "
            f"to wait for {answer} computations, {longest:g} s, and bears {slack:g} s.",
            "a lease waits for up to one computation for each message that is held",
        )
    stretch = max(run.stretch for run in runs)
    if stretch > STRETCH_BOUND:
        raise NotYet(
            f"limit={answer} loses nothing, but takes {stretch:.2f} times the floor, "
            f"more than {STRETCH_BOUND:g}.",
            "while a message waits for 1 s, others should fill the thread",
        )
    return (
        f"limit={answer} can lose nothing, and the longest of {len(runs)} runs took "
        f"{stretch:.3f} times the floor."
    )
