"""``05-fix``: a pipeline that neither polls nor runs ahead."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from looplab.clock import DeadlockError, burn
from ontime.check.backpressure.flow import Flow, left_by_a_failure, watched_to_its_end
from ontime.check.registry import exercise
from ontime.check.tools import (
    callbacks_in,
    need_async_function,
    need_awaitable,
    simulate,
    under_load,
)
from ontime.check.verdict import NotYet

#: Callbacks of the one who looks.
_WAKES = 4


@exercise("05-fix", need_async_function, "pipeline")
def check_fix(answer: Any) -> str:
    """The answer is an async function ``pipeline(source, parse, store)``.

    It hands each item of *source*, an async iterable, to ``parse`` (a plain function
    that computes) and the result to ``store`` (an async function that waits), in order,
    and returns when all are stored.  Parsing and storing must overlap.

    Required, on the virtual clock: every item once and in order; at most 5 under way;
    nobody polls (while nothing comes, the loop runs nothing); worst lateness of a
    heartbeat below 0.015 s with parses of 0.005; 100 items whose store takes 0.010 in
    at most 1.2 s (one after the other would take 1.5); no task left behind; an error in
    ``store`` comes out.
    """
    worst, most = 0.0, 0

    def parse(item: int) -> str:
        burn(0.005)
        return _text(item)

    for count, gap, wait, limit in (
        (100, 0.0, 0.010, 1.2),
        (60, 0.0, 0.002, 0.5),
        (30, 0.020, 0.010, 0.8),
        (20, 0.0, 0.060, 1.4),
    ):
        for phase in (0.5, 0.07, 0.829):
            flow = Flow()

            async def store(text: str, flow: Flow = flow, wait: float = wait) -> None:
                flow.stored += 1
                # Unequal, so that two who store at once end in another order.
                await asyncio.sleep(wait * (1.5 if flow.stored % 2 else 0.5))
                flow.delivered.append(text)

            source = flow.arrivals(count, gap)

            async def process(_: Any, source: Any = source, store: Any = store) -> None:
                work = answer(source, parse, store)
                need_awaitable(work, "pipeline")
                await work

            load = simulate(
                under_load(process, [], name="pipeline", phase=phase, interval=0.25)
            )
            _judge_flow(flow, count)
            if load.left:
                raise NotYet(
                    f"pipeline() returned and left tasks behind: {load.left}.",
                    "let each stage end, or cancel it",
                )
            if load.worst >= 0.015:
                raise NotYet(
                    f"the heartbeat was {load.worst:.3f} s late.",
                    "the parser takes several items in one turn: bound the queues",
                )
            if load.took > limit:
                raise NotYet(
                    f"{count} items took {load.took:.4g} s, more than {limit:g} s.",
                    "one item can be parsed while the one before is being stored",
                )
            worst, most = max(worst, load.worst), max(most, flow.most_ahead)
    _judge_idle(answer)
    _judge_failure(answer)
    return (
        f"everything is stored in order, {most} items were under way at the fullest, "
        f"and the latest beat was {worst:.3f} s late."
    )


def _text(item: int) -> str:
    """What is stored of an item: an empty text is one too, and not the end."""
    return f"item {item}" if item != 7 else ""


def _judge_flow(flow: Flow, count: int) -> None:
    wanted = [_text(number) for number in range(count)]
    if len(flow.delivered) < count:
        raise NotYet(
            f"only {len(flow.delivered)} of {count} items were stored when "
            "pipeline() returned.",
            "wait until the last stage has seen the end",
        )
    if flow.most_ahead > 5:
        raise NotYet(
            f"{flow.most_ahead} items were under way at once, more than 5.",
            "a queue without a bound takes whatever comes: give each one a maxsize, "
            "and a small one, since they add up",
        )
    if flow.delivered != wanted:
        raise NotYet(
            "the items were not stored once each and in their order.",
            "one task per stage and a queue between two stages keep the order",
        )


def _judge_idle(answer: Any) -> None:
    """While the source has nothing for forty seconds, nobody must ask for it."""
    flow, ran = Flow(), 0

    async def store(text: str) -> None:
        flow.delivered.append(text)

    async def look() -> None:
        nonlocal ran
        await asyncio.sleep(41)
        ran = await callbacks_in(35)

    async def main() -> None:
        looking = asyncio.create_task(look())
        await watched_to_its_end(
            answer, flow.arrivals(2, 40.0), "item {}".format, store
        )
        await looking

    simulate(main())
    if ran > _WAKES:
        raise NotYet(
            f"while the source had nothing for 35 s, the loop ran {ran:,} callbacks.",
            "a task that sleeps and looks again polls, however long it sleeps: await "
            "queue.get()",
        )


def _judge_failure(answer: Any) -> None:
    async def store(text: str) -> None:
        if text == "item 3":
            raise OSError("the disk is full")

    async def source() -> AsyncIterator[int]:
        for number in range(50):
            yield number

    def parse(item: int) -> str:
        return f"item {item}"

    try:
        left = simulate(left_by_a_failure(answer, source(), parse, store))
    except DeadlockError:
        raise NotYet(
            "store() raised OSError for one item, and pipeline() waits for ever.",
            "let a TaskGroup own the stages: it cancels the others",
        ) from None
    if left is None:
        raise NotYet(
            "store() raised OSError for one item, and pipeline() returned as if "
            "nothing had happened.",
            "let a TaskGroup own the stages",
        )
    if left:
        raise NotYet(
            "store() raised OSError for one item, and a stage was left behind.",
            "let a TaskGroup own the stages: it cancels the others",
        )
