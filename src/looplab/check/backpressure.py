"""The exercises of chapter 5, *Bound every channel*.

=============  ===================================================================
``05-predict``   a function ``waiting(made, served, seconds, maxsize)``
``05-parsons``   a list of line numbers
``05-fix``       an async function ``pipeline(source, parse, store)``
``05-modify``    a whole number, ``maxsize``
``05-make``      an async function ``chain(items, *stages)``
=============  ===================================================================

Each check says in its docstring what the answer must be.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from looplab.check import (
    NotYet,
    exercise,
    finished,
    need_async_function,
    need_awaitable,
    simulate,
)
from looplab.check.common import (
    abandoned,
    as_number,
    compiled,
    executed,
    left_over,
    now,
    read_order,
    under_load,
)
from looplab.clock import DeadlockError, burn

__all__ = [
    "AGE_BOUND",
    "HELD_BOUND",
    "PARSONS_LINES",
    "parsons_program",
]


def _cause(error: BaseException) -> BaseException:
    """What was raised, taken out of the groups that a TaskGroup makes."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


async def _watched_to_its_end(
    answer: Callable[..., Any], *args: Any
) -> tuple[Any, int]:
    """What *answer* returned, and how many tasks it left behind."""
    work = answer(*args)
    need_awaitable(work, getattr(answer, "__name__", "the function"))
    result: list[Any] = []

    async def wait() -> None:
        result.append(await work)

    await finished(wait())
    return result[0], await abandoned()


# 1. Predict


async def _backlog(made: int, served: int, seconds: float, maxsize: int) -> int:
    queue: asyncio.Queue[int] = asyncio.Queue(maxsize)

    async def produce() -> None:
        while True:
            await asyncio.sleep(1 / made)
            await queue.put(0)

    async def consume() -> None:
        while True:
            await queue.get()
            await asyncio.sleep(1 / served)

    tasks = [asyncio.create_task(produce()), asyncio.create_task(consume())]
    await asyncio.sleep(seconds)
    length = queue.qsize()
    for task in tasks:
        task.cancel()
    return length


@exercise("05-predict")
def check_predict(answer: Any) -> str:
    """The answer is a plain function ``waiting(made, served, seconds, maxsize)``.

    It returns how many items are in the queue after *seconds* if *made* items a second
    are put and *served* a second can be served, and the queue was made with *maxsize*
    (0: no bound).  The check runs eleven such streams on the virtual clock; an item and
    a half more or less is right.
    """
    if not callable(answer):
        raise NotYet(
            f"the answer is {answer!r}, not a function.",
            "hand over waiting itself, without parentheses or arguments",
        )
    cases = [
        (100, 80, 60, 0),
        (50, 80, 60, 0),
        (100, 80, 60, 10),
        (100, 80, 2, 1000),
        (25, 25, 40, 0),
        (200, 10, 5, 0),
        (200, 10, 5, 1),
        (40, 50, 30, 5),
        (64, 32, 10, 320),
        (125, 100, 8, 100),
        (100, 99, 100, 0),
    ]
    for made, served, seconds, maxsize in cases:
        said = answer(made, served, seconds, maxsize)
        if said is None or said is ...:
            raise NotYet(
                "waiting() returned no number.", "does it end with a return statement?"
            )
        count = as_number(said)
        if count is None:
            raise NotYet(
                f"waiting() returned {said!r}, which is not a number of items.",
                "an async function or a print() will not do: return the number",
            )
        seen = simulate(_backlog(made, served, seconds, maxsize))
        if abs(count - seen) <= 1.5:
            continue
        if count < 0:
            hint = "a queue is never shorter than empty"
        elif abs(count - made * seconds) <= 1.5:
            hint = "those are all the items; the consumer has taken some of them"
        elif maxsize and count > maxsize:
            hint = "put() waits at the bound: the queue is never longer than that"
        elif not maxsize and count < 1:
            hint = "maxsize=0 does not mean room for none: it means no bound"
        else:
            hint = "how many more come than go in a second, and for how long?"
        raise NotYet(
            f"{made} a second made, {served} served, {seconds} s, maxsize={maxsize}: "
            f"your function says {count:g}, in the run {seen} wait.",
            hint,
        )
    return f"your arithmetic agrees with {len(cases)} runs on the virtual clock."


# 2. Put the lines in order

#: The shuffled lines.  An answer names them by position, from 1.  Two are not needed.
PARSONS_LINES: tuple[str, ...] = (
    "            await queue.put(item)",
    "                await sink(item)",
    "    queue = asyncio.Queue()",
    "            while (item := await queue.get()) is not END:",
    "    async with asyncio.TaskGroup() as tasks:",
    "        await queue.put(END)",
    "async def copy(source, sink):",
    "        tasks.create_task(consume())",
    "    queue = asyncio.Queue(maxsize=1)",
    "        for item in source:",
    "            queue.put_nowait(item)",
    "        async def consume():",
)
_UNBOUNDED = 3
_NOWAIT = 11


def parsons_program(order: list[int]) -> str:
    """The lines of :data:`PARSONS_LINES` in the given order, as one program."""
    return "\n".join(PARSONS_LINES[number - 1] for number in order)


class _Flow:
    """Counts the items that a program has taken and not yet delivered."""

    def __init__(self) -> None:
        self.taken = 0
        self.delivered: list[Any] = []
        self.most_ahead = 0

    def items(self, count: int) -> Iterator[int]:
        for number in range(count):
            self.taken += 1
            self.most_ahead = max(self.most_ahead, self.taken - len(self.delivered))
            yield number

    async def arrivals(self, count: int, gap: float) -> AsyncIterator[int]:
        """The same, from a source that needs *gap* seconds for each."""
        for number in self.items(count):
            await asyncio.sleep(gap)
            yield number


@exercise("05-parsons")
def check_parsons(answer: Any) -> str:
    """The answer is a list of line numbers (from 1) of :data:`PARSONS_LINES`.

    In that order the lines must make a program ``copy(source, sink)`` that hands each
    item of an iterable to an async function through a bounded queue, and ends.  Ten
    lines are needed, two are not.  :func:`parsons_program` shows an order as a program.
    """
    order = read_order(answer, len(PARSONS_LINES), "[7, 9, 5]")
    namespace: dict[str, Any] = {"asyncio": asyncio, "END": object()}
    code = compiled(parsons_program(order), order, PARSONS_LINES)
    begin = "begin with 'async def copy(source, sink):'"
    copy = executed(code, namespace, "copy", begin)
    if copy is None:
        raise NotYet("the program defines no copy().", begin)
    flow = _Flow()

    async def sink(item: int) -> None:
        await asyncio.sleep(0.010)
        flow.delivered.append(item)

    async def watched() -> int:
        _, left = await _watched_to_its_end(copy, flow.items(20), sink)
        return left

    try:
        left = simulate(watched())
    except (asyncio.QueueFull, BaseExceptionGroup) as error:
        if not isinstance(_cause(error), asyncio.QueueFull):
            raise
        raise NotYet(
            "it raised QueueFull: put_nowait() does not wait for room.",
            "another line puts the item and waits",
        ) from None
    if flow.delivered != list(range(20)):
        raise NotYet(
            f"{len(flow.delivered)} of 20 items came out, or in another order.",
            "each item that is put must be taken and handed to the sink, once",
        )
    if left:
        raise NotYet(
            "all items came out, but the consumer still waits for more.",
            "let it see the END",
        )
    if flow.most_ahead > 4:
        raise NotYet(
            f"all items came out, but {flow.most_ahead} were under way at once.",
            "one of the two queues has no bound",
        )
    return f"20 items came out, and never more than {flow.most_ahead} were under way."


# 3. Fix the bug


@exercise("05-fix")
def check_fix(answer: Any) -> str:
    """The answer is an async function ``pipeline(source, parse, store)``.

    It hands each item of *source*, an async iterable, to ``parse`` (a plain function
    that computes) and the result to ``store`` (an async function that waits), in order,
    and returns when all are stored.  Parsing and storing must overlap.

    Required, on the virtual clock: every item once and in order; at most 5 under way;
    nobody polls (the clock moves); worst lateness of a heartbeat below 0.015 s with
    parses of 0.005; 100 items whose store takes 0.010 in at most 1.2 s (one after the
    other would take 1.5); no task left behind; an error in ``store`` comes out.
    """
    need_async_function(answer, "pipeline")
    worst, most = 0.0, 0

    def parse(item: int) -> str:
        burn(0.005)
        return f"item {item}"

    for count, gap, wait, limit in (
        (100, 0.0, 0.010, 1.2),
        (60, 0.0, 0.002, 0.5),
        (30, 0.020, 0.010, 0.8),
    ):
        for phase in (0.5, 0.07, 0.829):
            flow = _Flow()

            async def store(text: str, flow: _Flow = flow, wait: float = wait) -> None:
                await asyncio.sleep(wait)
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
                    f"pipeline() returned and left {load.left} tasks behind.",
                    "let each stage end, or cancel it",
                )
            if load.worst >= 0.015:
                raise NotYet(
                    f"the heartbeat was {load.worst:.3f} s late.",
                    "the parser takes several items in one turn: bound the queues",
                )
            if load.took > limit:
                raise NotYet(
                    f"{count} items took {load.took:.2f} s, more than {limit:g} s.",
                    "one item can be parsed while the one before is being stored",
                )
            worst, most = max(worst, load.worst), max(most, flow.most_ahead)
    _judge_failure(answer)
    return (
        f"everything is stored in order, at most {most} items are under "
        f"way, and the heartbeat is at most {worst:.3f} s late."
    )


def _judge_flow(flow: _Flow, count: int) -> None:
    wanted = [f"item {number}" for number in range(count)]
    if len(flow.delivered) < count:
        raise NotYet(
            f"only {len(flow.delivered)} of {count} items were stored when "
            "pipeline() returned.",
            "wait until the last stage has seen the end",
        )
    if flow.delivered != wanted:
        raise NotYet(
            "the items were not stored once each and in their order.",
            "one task a stage, and a queue between two stages, keeps the order",
        )
    if flow.most_ahead > 5:
        raise NotYet(
            f"{flow.most_ahead} items were under way at once.",
            "a queue without a bound takes whatever comes: give each one a maxsize",
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
        left = simulate(_left_by_a_failure(answer, source(), parse, store))
    except DeadlockError:
        raise NotYet(
            "store() raised OSError for one item, and pipeline() waits for ever.",
            "let a TaskGroup own the stages: it cancels the others",
        ) from None
    if left is None:
        raise NotYet(
            "store() raised OSError for one item, and pipeline() returned as if "
            "nothing had been.",
            "let a TaskGroup own the stages",
        )
    if left:
        raise NotYet(
            "store() raised OSError for one item, and a stage was left behind.",
            "let a TaskGroup own the stages: it cancels the others",
        )


async def _left_by_a_failure(answer: Any, *args: Any) -> int | None:
    """How many tasks are left when an OSError came out; None if none came out."""
    try:
        await _watched_to_its_end(answer, *args)
    except (OSError, BaseExceptionGroup) as error:
        if not isinstance(_cause(error), OSError):
            raise
    else:
        return None
    for _ in range(3):
        await asyncio.sleep(0)
    return len(left_over())


# 4. Modify

#: ``05-modify``: seconds that the producer may be held back by one burst.
HELD_BOUND = 0.35
#: ``05-modify``: seconds that an item may lie in the queue.
AGE_BOUND = 0.55
_BURST, _SERVICE = 8, 0.1


async def _bursts(maxsize: int) -> tuple[float, float]:
    """The longest time a burst took to put, and the greatest age of an item."""
    queue: asyncio.Queue[list[float]] = asyncio.Queue(maxsize)
    held = age = 0.0

    async def consume() -> None:
        nonlocal age
        while True:
            (put_at,) = await queue.get()
            age = max(age, now() - put_at)
            await asyncio.sleep(_SERVICE)

    async def put() -> None:
        # What waits for room is still the producer's: its age counts from then on.
        item = [now()]
        await queue.put(item)
        item[0] = now()

    serving = asyncio.create_task(consume())
    for burst in range(10):
        await asyncio.sleep(max(0.0, burst - now()))
        began = now()
        for _ in range(_BURST):
            await put()
        held = max(held, now() - began)
    serving.cancel()
    return held, age


@exercise("05-modify")
def check_modify(answer: Any) -> str:
    """The answer is a whole number, the ``maxsize`` of a queue.

    Eight items come at once, every second; serving one takes 0.1 s.  The producer may
    be held back by a burst for at most :data:`HELD_BOUND`, and no item may lie in the
    queue for longer than :data:`AGE_BOUND`.
    """
    if isinstance(answer, bool) or not isinstance(answer, int):
        raise NotYet(f"maxsize is {answer!r}.", "it must be a whole number")
    if answer < 1:
        raise NotYet(
            f"maxsize={answer} is no bound at all.", "asyncio takes 0 for 'no bound'"
        )
    if answer > 1000:
        raise NotYet(f"maxsize is {answer}.", "eight items come at once: think smaller")
    held, age = simulate(_bursts(answer))
    if held > HELD_BOUND:
        raise NotYet(
            f"maxsize={answer} holds the producer for {held:.2f} s, more than "
            f"{HELD_BOUND:g} s.",
            "what the queue has no room for waits in the producer, 0.1 s an item",
        )
    if age > AGE_BOUND:
        raise NotYet(
            f"maxsize={answer} lets an item lie in the queue for {age:.2f} s, more "
            f"than {AGE_BOUND:g} s.",
            "the last item of a full queue waits for all those before it",
        )
    return (
        f"maxsize={answer} holds the producer for {held:.2f} s at most, and no item "
        f"is older than {age:.2f} s."
    )


# 5. Make


@exercise("05-make")
def check_make(answer: Any) -> str:
    """The answer is an async function ``chain(items, *stages)``.

    Each stage is an async function of one item.  ``chain`` hands every item through all
    stages, returns the list of results in the order of the items, lets different stages
    work at the same time and one stage on one item at a time.  Items are taken from the
    iterable as they are needed: at most ``3 * len(stages) + 3`` may be under way.  If a
    stage raises, the error comes out and nothing is left behind.  None is an item like
    any other.
    """
    need_async_function(answer, "chain")
    for count, pauses in ((0, (0.01,)), (1, (0.01,)), (30, (0.01, 0.01, 0.01))):
        _judge_chain(answer, count, pauses)
    ahead = _judge_chain(answer, 200, (0.001, 0.010))
    _judge_none(answer)
    _judge_chain_failure(answer)
    return (
        "order, overlap, backpressure, failure and None are right; at most "
        f"{ahead} items were under way."
    )


def _judge_chain(answer: Any, count: int, pauses: tuple[float, ...]) -> int:
    flow = _Flow()
    inside = [0] * len(pauses)
    crowded: list[int] = []

    def stage(place: int) -> Callable[[Any], Any]:
        async def work(item: Any) -> Any:
            inside[place] += 1
            if inside[place] > 1:
                crowded.append(place)
            await asyncio.sleep(pauses[place])
            inside[place] -= 1
            if place == len(pauses) - 1:
                flow.delivered.append(item)
            return (item, place)

        return work

    async def main() -> tuple[Any, int, float]:
        began = now()
        result, left = await _watched_to_its_end(
            answer, flow.items(count), *(stage(n) for n in range(len(pauses)))
        )
        return result, left, now() - began

    def wanted(item: Any) -> Any:
        for place in range(len(pauses)):
            item = (item, place)
        return item

    what = f"{_many(count, 'item')}, {_many(len(pauses), 'stage')}"
    result, left, took = simulate(main())
    if not isinstance(result, list):
        raise NotYet(
            f"{what}: chain() returned {result!r}.",
            "collect the results and return the list",
        )
    if result != [wanted(number) for number in range(count)]:
        raise NotYet(
            f"{what}: the results are not those of all stages, in the order of the "
            "items.",
            "the result of one stage is the item of the next",
        )
    if left:
        raise NotYet(
            f"{what}: {left} tasks were left behind.", "let each stage see the end"
        )
    if crowded:
        raise NotYet(
            f"{what}: a stage worked on several items at the same time.",
            "one task for each stage, not for each item",
        )
    limit = 3 * len(pauses) + 3
    if flow.most_ahead > limit:
        raise NotYet(
            f"{what}: {flow.most_ahead} items were under way at once, more than "
            f"{limit}.",
            "a queue of size 1 between two stages, and take an item only when there "
            "is room",
        )
    slowest = count * max(pauses)
    if took > slowest + sum(pauses) + 0.1 * slowest:
        raise NotYet(
            f"{what} took {took:.2f} s; the slowest stage needs {slowest:.2f} s.",
            "let the stages work at the same time",
        )
    return flow.most_ahead


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _judge_none(answer: Any) -> None:
    async def stage(item: Any) -> Any:
        return item

    async def main() -> Any:
        result, _ = await _watched_to_its_end(answer, [1, None, 2], stage)
        return result

    if simulate(main()) != [1, None, 2]:
        raise NotYet(
            "the items 1, None, 2 did not come out as they went in.",
            "mark the end with an object of its own: END = object()",
        )


def _judge_chain_failure(answer: Any) -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for number in range(1000):
            taken.append(number)
            yield number

    async def good(item: int) -> int:
        await asyncio.sleep(0.001)
        return item

    async def bad(item: int) -> int:
        if item == 5:
            raise OSError("connection lost")
        return item

    left = simulate(_left_by_a_failure(answer, items(), good, bad))
    if left is None:
        raise NotYet(
            "a stage raised OSError, and chain() returned as if nothing had been.",
            "let a TaskGroup own the stages",
        )
    if left:
        raise NotYet(
            "a stage raised OSError, and tasks were left behind.",
            "let a TaskGroup own the stages: it cancels the others",
        )
    if len(taken) > 20:
        raise NotYet(
            f"a stage raised OSError for item 5, and {len(taken)} items had been "
            "taken.",
            "take an item only when there is room for it",
        )
