"""The checks of chapter 7: right answers pass, wrong ones are told why.

The answers of the lab and its wrong answers are run by tests/notebooks; here are
other right answers, and other mistakes with the words that they are told.
"""

from __future__ import annotations

import asyncio
from heapq import heappop, heappush
from typing import Any

import pytest

from looplab.priority import PriorityGate, PriorityProtocol, priority
from ontime.check import exercises
from ontime.check.priority import PARSONS_LINES, parsons_program
from tests.ontime.check.exercise_checks import assert_not_yet, assert_passes

pytestmark = pytest.mark.usefixtures("quiet_check")


def test_the_exercises_of_chapter_7() -> None:
    names = ["07-fix", "07-make", "07-modify", "07-parsons", "07-predict"]
    assert [name for name in exercises() if name.startswith("07-")] == names


# 1. Predict


def test_predict() -> None:
    assert_passes("07-predict", lambda lease, every, count: (lease - every) / count)
    assert_passes("07-predict", lambda lease, every, n: 0.99 * (lease - every) / n)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda *_: None, "returned no number"),
        (lambda *_: ..., "returned no number"),
        (lambda *_: "long", "'long', which is not a time"),
        (lambda *_: 0, "0, which is not a time"),
        (lambda *_: float("nan"), "nan, which is not a time"),
        (lambda lease, every, n: 1.2 * (lease - every) / n, "how late may the check"),
        (lambda lease: lease, "parameters"),
        (12, "not a function"),
    ],
)
def test_predict_wrong(answer: Any, words: str) -> None:
    assert_not_yet("07-predict", answer, words)


# 2. Put the lines in order

ORDER = [5, 10, 2, 8, 11, 1, 6, 4]


def test_parsons() -> None:
    assert_passes("07-parsons", ORDER)
    assert_passes("07-parsons", tuple(ORDER))
    compile(parsons_program(ORDER), "x", "exec")
    assert len(set(PARSONS_LINES)) == len(PARSONS_LINES) == len(ORDER) + 3


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ([], "the list is empty"),
        ([5, 5], "twice"),
        ([0], "there is no line 0"),
        (["async def"], "is not a line number"),
        (5, "not a list"),
        (list(range(1, 12)), "cannot stand at place 1"),
        ([5, 2], "cannot stand at place"),
        ([10], "cannot stand at place 1"),
    ],
)
def test_parsons_wrong(order: Any, words: str) -> None:
    assert_not_yet("07-parsons", order, words)


# 3. Fix the bug


async def with_levels(receive: Any, keep_lease: Any, process: Any) -> None:
    async with asyncio.TaskGroup() as tasks:
        while (message := await receive()) is not None:
            with priority(3):
                tasks.create_task(keep_lease(message))
            with priority(2):
                tasks.create_task(process(message))


async def other_numbers(receive: Any, keep_lease: Any, process: Any) -> None:
    async def work(message: int) -> None:
        await asyncio.gather(process(message))

    async with asyncio.TaskGroup() as tasks:
        with priority(-5):
            while (message := await receive()) is not None:
                with priority(100):
                    tasks.create_task(keep_lease(message))
                with priority(7):
                    tasks.create_task(work(message))


@pytest.mark.parametrize("answer", [with_levels, other_numbers])
def test_fix(answer: Any) -> None:
    assert_passes("07-fix", answer)


async def nothing(receive: Any, keep_lease: Any, process: Any) -> None: ...


async def all_alike(receive: Any, keep_lease: Any, process: Any) -> None:
    async with asyncio.TaskGroup() as tasks:
        with priority(3):
            while (message := await receive()) is not None:
                tasks.create_task(keep_lease(message))
                tasks.create_task(process(message))


async def no_work(receive: Any, keep_lease: Any, process: Any) -> None:
    tasks = []
    while (message := await receive()) is not None:
        with priority(3):
            tasks.append(asyncio.create_task(keep_lease(message)))


async def careless(receive: Any, keep_lease: Any, process: Any) -> None:
    async def guarded(message: int) -> None:
        try:
            await process(message)
        except OSError:
            done.add(message)

    done: set[int] = set()
    leases = []
    async with asyncio.TaskGroup() as tasks:
        while (message := await receive()) is not None:
            with priority(3):
                leases.append(asyncio.create_task(keep_lease(message)))
            with priority(2):
                tasks.create_task(guarded(message))
    await asyncio.wait(leases, timeout=10)
    for lease in leases:
        lease.cancel()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (nothing, "0 of 30 messages had a task"),
        (all_alike, "have one priority"),
        (no_work, "0 of 30 messages were processed"),
        (careless, "as if nothing had been"),
        (lambda *_: None, "plain function"),
        (print, "cannot be awaited"),
        (3, "not"),
    ],
)
def test_fix_wrong(answer: Any, words: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert_not_yet("07-fix", answer, words)
    if answer is print:
        capfd.readouterr()


# 4. Modify


@pytest.mark.parametrize("answer", [4, 5, 6, 7])
def test_modify(answer: int) -> None:
    assert_passes("07-modify", answer)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (40, "one computation for each message"),
        (0, "lets nothing in"),
        (-1, "lets nothing in"),
        (4.0, "whole number"),
        (True, "whole number"),
    ],
)
def test_modify_wrong(answer: Any, words: str) -> None:
    assert_not_yet("07-modify", answer, words)


# 5. Make


class Heap:
    """Not three queues, and as good."""

    def __init__(self) -> None:
        self.waiting: list[Any] = []
        self.count = 0
        self.pumping = False

    async def turn(self, priority: int) -> None:
        loop = asyncio.get_running_loop()
        mine = loop.create_future()
        self.count += 1
        heappush(self.waiting, (-priority, self.count, mine))
        if not self.pumping:
            self.pumping = True
            loop.call_soon(self.pump, 4)
        await mine

    def pump(self, rest: int) -> None:
        loop = asyncio.get_running_loop()
        if rest:
            loop.call_soon(self.pump, rest - 1)
            return
        while self.waiting:
            mine = heappop(self.waiting)[2]
            if not mine.done():
                mine.set_result(None)
                loop.call_soon(self.pump, 4)
                return
        self.pumping = False


class Standing:
    """A processor that stays, and waits for an event while nobody waits for it."""

    def __init__(self) -> None:
        self.queues: dict[int, list[asyncio.Future[None]]] = {3: [], 2: [], 1: []}
        self.somebody = asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    async def turn(self, priority: int) -> None:
        if self.task is None:
            self.task = asyncio.create_task(self.serve())
        mine = asyncio.get_running_loop().create_future()
        self.queues[priority].append(mine)
        self.somebody.set()
        await mine

    async def serve(self) -> None:
        while True:
            await self.somebody.wait()
            for _ in range(4):
                await asyncio.sleep(0)
            waiting = [one for queue in self.queues.values() for one in queue]
            alive = [one for one in waiting if not one.done()]
            for queue in self.queues.values():
                queue[:] = [one for one in queue if not one.done()]
            if alive:
                alive[0].set_result(None)
            else:
                self.somebody.clear()


@pytest.mark.parametrize("answer", [Heap, Standing, PriorityGate])
def test_make(answer: Any) -> None:
    assert_passes("07-make", answer)


class InOrder(Heap):
    async def turn(self, priority: int) -> None:
        await super().turn(1)


class LastFirst(Heap):
    async def turn(self, priority: int) -> None:
        self.count -= 2
        await super().turn(priority)


class Hasty(Heap):
    def pump(self, rest: int) -> None:
        super().pump(0)


class Restless(Standing):
    async def serve(self) -> None:
        while True:
            await asyncio.sleep(0)
            self.somebody.set()
            for queue in self.queues.values():
                if queue:
                    for _ in range(4):
                        await asyncio.sleep(0)
                    mine = queue.pop(0)
                    if not mine.done():
                        mine.set_result(None)
                    break


class Polling(Heap):
    taken = False

    async def turn(self, priority: int) -> None:
        self.count += 1
        mine = (-priority, self.count, None)
        heappush(self.waiting, mine)
        await asyncio.sleep(0)
        while self.taken or self.waiting[0] is not mine:
            await asyncio.sleep(0)
        heappop(self.waiting)
        self.taken = True
        asyncio.get_running_loop().call_soon(self.free)

    def free(self) -> None:
        self.taken = False


class Fragile(Heap):
    def pump(self, rest: int) -> None:
        loop = asyncio.get_running_loop()
        if rest:
            loop.call_soon(self.pump, rest - 1)
        elif self.waiting:
            heappop(self.waiting)[2].set_result(None)
            loop.call_soon(self.pump, 4)
        else:
            self.pumping = False


class NotAsync:
    def turn(self, priority: int) -> None: ...


class WithoutTurn:
    pass


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (InOrder, "serve the highest priority"),
        (LastFirst, "the first to come is the first to go"),
        (Hasty, "let some iterations pass"),
        (lambda: PriorityProtocol(settle=2), "not a class"),
        (Polling, "callbacks"),
        (Restless, "keeps the loop busy"),
        (Fragile, "not yet"),
        (NotAsync, "cannot be awaited"),
        (WithoutTurn, "has no turn()"),
        (Heap(), "not a class"),
        (7, "not a class"),
    ],
)
def test_make_wrong(answer: Any, words: str) -> None:
    assert_not_yet("07-make", answer, words)
