"""``08-modify``: how long a piece of a long computation should be."""

from __future__ import annotations

import asyncio
from typing import Any

from looplab.clock import burn, elapsed
from looplab.heartbeat import Heartbeat
from ontime.check.registry import exercise
from ontime.check.tools import as_number, simulate
from ontime.check.verdict import NotYet

__all__ = ["LATE_BOUND", "TOTAL_BOUND"]

#: Seconds that the export computes in all, and what each of its pieces costs besides.
WORK, BESIDES = 1.0, 0.001

#: Most seconds that the heartbeat may be late.
LATE_BOUND = 0.060

#: Most seconds that the export may take, if nothing else computes.
TOTAL_BOUND = 1.060


async def export(piece: float) -> tuple[float, float, int]:
    """The worst lateness beside an export in such pieces, its time, and the beats."""
    async with Heartbeat(0.0073) as heart:
        await asyncio.sleep(0.01)
        began, left = elapsed(), WORK
        while left > 1e-9:
            burn(min(piece, left) + BESIDES)
            left -= piece
            await asyncio.sleep(0)  # noqa: LAG201 (it makes room, and waits for nothing)
        took = elapsed() - began
        await asyncio.sleep(0.01)
    return heart.worst, took, heart.count


@exercise("08-modify")
def check_modify(answer: Any) -> str:
    """The answer is *piece*, a number of seconds.

    Required of an export that computes for 1 s in such pieces, each of which costs
    1 ms besides, on the virtual clock: the heartbeat beside it can be at most
    :data:`LATE_BOUND` late, by the rule of three iterations and not by luck, and the
    export takes at most :data:`TOTAL_BOUND`.
    """
    piece = as_number(answer)
    if piece is None:
        raise NotYet(f"{answer!r} is not a number of seconds.", "for example 0.005")
    if piece > WORK:
        raise NotYet(
            f"a piece of {piece:g} s is longer than the export, {WORK:g} s.",
            "think of milliseconds",
        )
    if not piece >= 0.0005:
        raise NotYet(
            f"a piece of {piece:g} s is shorter than half a millisecond, and costs a "
            "whole one besides.",
            "think of milliseconds",
        )
    late, took, beats = simulate(export(piece))
    bound = 3 * (piece + BESIDES)
    if late > LATE_BOUND + 1e-6:
        raise NotYet(
            f"with pieces of {piece:g} s the heartbeat is {late:.4f} s late, more than "
            f"{LATE_BOUND} s.",
            "a timer that becomes due needs three iterations until its task runs, and "
            "in each of them a piece computes",
        )
    if bound > LATE_BOUND + 1e-9:
        raise NotYet(
            f"with pieces of {piece:g} s no beat of this run was later than {late:.4f} "
            f"s, but one can be: three pieces take {bound:.4g} s, more than "
            f"{LATE_BOUND} s.",
            "a bound is what the rule of three iterations allows, and not what a run "
            "happened to show",
        )
    if took > TOTAL_BOUND + 1e-6:  # 60 pieces of 1/60 s take that
        raise NotYet(
            f"with pieces of {piece:g} s the export takes {took:.3f} s, more than "
            f"{TOTAL_BOUND} s.",
            "each piece costs a millisecond: how many may there be?",
        )
    return (
        f"three pieces take {bound:.4g} s, the latest of {beats} beats was {late:.4f} "
        f"s late, and the export takes {took:.3f} s."
    )
