"""``07-parsons``: the protocol that settles once, out of shuffled lines."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from looplab.clock import LivelockError, StepLimitError
from ontime.check.parsons import Shuffled
from ontime.check.priority.urgent import urgent_wait
from ontime.check.registry import exercise
from ontime.check.tools import simulate
from ontime.check.verdict import NotYet
from ontime.leases import LeaseSettings, consume

__all__ = ["PARSONS_LINES", "parsons_program"]

#: The shuffled lines.  An answer names them by position, from 1.  Three are not needed.
PARSONS_LINES: tuple[str, ...] = (
    "            await asyncio.sleep(0)",
    "        while kept < 2:",
    "            if self.bid <= priority:",
    "        self.bid, self.cookie = -1, None",
    "    async def turn(self, priority):",
    "            kept = kept + 1 if self.cookie is mine else 0",
    "        while self.cookie is not mine:",
    "            if self.bid < priority:",
    "            kept += 1",
    "        mine, kept = object(), 0",
    "                self.bid, self.cookie = priority, mine",
)

_HEAD = "class Settling:\n    bid, cookie = -1, None\n\n"


_SHUFFLED = Shuffled(PARSONS_LINES, _HEAD)
parsons_program = _SHUFFLED.program


@exercise("07-parsons")
def check_parsons(answer: Any) -> str:
    """The answer is a list of line numbers (from 1) of :data:`PARSONS_LINES`.

    In that order the lines must make the method ``turn(self, priority)`` of the
    protocol that settles once: the winner keeps the highest bid for two iterations in a
    row before it goes on.  Eight lines are needed, three are not.
    :func:`parsons_program` shows an order as a program.
    """
    namespace: dict[str, Any] = {"asyncio": asyncio}
    order, code = _SHUFFLED.read(answer, "[5, 10, 2]")
    exec(code, namespace)
    make = namespace["Settling"]
    if 3 in order:
        _judge_equals(make)
    try:
        waited = simulate(urgent_wait(make().turn, 1.0))
    except (LivelockError, StepLimitError):
        raise NotYet(
            "nobody ever has a turn: the tasks yield for ever.",
            "an equal bid must not take the place of one that is there, and a bid "
            "that has won must be taken off",
        ) from None
    if waited > 2:
        raise NotYet(
            f"an urgent task waited for {waited:.2f} s beside computations of 1 s.",
            "the winner must see its own cookie twice in a row, two iterations apart",
        )
    _judge_one_at_a_time(make)
    lost = consume(LeaseSettings(cpu=1.75, messages=12), make()).lost
    if lost:
        raise NotYet(
            f"{lost} of 12 messages were lost.",
            "bid before you yield, or others compute first; and is the bid taken off?",
        )
    return (
        f"an urgent task waited for {waited:.2f} s beside computations of 1 s, the "
        "longest wait of those tried, and no message was lost."
    )


def _judge_equals(make: Callable[[], Any]) -> None:
    async def two() -> None:
        turns = make()
        async with asyncio.TaskGroup() as tasks:
            for _ in range(2):
                tasks.create_task(turns.turn(2))

    try:
        simulate(two())
    except (LivelockError, StepLimitError):
        raise NotYet(
            "two tasks of equal priority take the bid from each other for ever.",
            "only a lower bid may be replaced",
        ) from None


def _judge_one_at_a_time(make: Callable[[], Any]) -> None:
    """Of several who ask at once, the highest goes first and none beside another."""
    order: list[int] = []

    async def ask(turns: Any, level: int) -> None:
        await turns.turn(level)
        order.append(level)

    async def all_at_once() -> None:
        turns = make()
        async with asyncio.TaskGroup() as tasks:
            for level in (1, 2, 3, 2, 1):
                tasks.create_task(ask(turns, level))

    simulate(all_at_once())
    if order != [3, 2, 2, 1, 1]:
        raise NotYet(
            f"five tasks of the priorities 1, 2, 3, 2, 1 had their turns in the order "
            f"{', '.join(map(str, order))}.",
            "a winner counts only iterations in which its cookie is still there",
        )
