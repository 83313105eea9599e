"""Jobs that wait for their own queue: which of them can never go on."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from looplab.jobs.ticket import Ticket

__all__ = ["WouldDeadlockError", "stuck", "would_deadlock"]


class WouldDeadlockError(RuntimeError):
    """A job was about to wait for something only its own queue could ever give it."""


def stuck(running: Collection[Ticket[Any]], worker_free: bool) -> set[Ticket[Any]]:
    """Return the *running* jobs that can never go on unless one of them is cancelled.

    Every job that waits for this queue is a suspect; a suspect is cleared as soon
    as what it waits for can happen without the help of another suspect.
    """
    needs: dict[Ticket[Any], Ticket[Any] | None] = {}
    for ticket in running:
        if ticket._blocked is not None and not ticket._blocked[0].done():
            needs[ticket] = ticket._blocked[1]
    while True:
        worker_to_come = worker_free or len(needs) < len(running)
        cleared = [
            ticket
            for ticket, other in needs.items()
            if (
                other not in needs
                if other is not None and other._state == "running"
                else worker_to_come
            )
        ]
        if not cleared:
            return set(needs)
        for ticket in cleared:
            del needs[ticket]


def would_deadlock(
    mine: Ticket[Any], other: Ticket[Any] | None, workers: int
) -> WouldDeadlockError:
    """Return the error for a job that would wait for ever.

    Args:
        mine: the job.
        other: the job that it would wait for; ``None`` for room in the queue.
        workers: how many workers there are.
    """
    who = f"job {mine.number} ({mine.label}) would wait for"
    if other is mine:
        return WouldDeadlockError(f"{who} itself")
    what = "room in its own queue"
    if other is not None:
        what = f"job {other.number} ({other.label}) of its own queue"
    return WouldDeadlockError(
        f"{who} ever for {what}: every one of the {workers} workers is taken by a job "
        "that waits like this; use more workers, a greater maxsize, or put follow-up "
        "jobs from outside the jobs"
    )
