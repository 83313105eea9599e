"""The order of the priority loops: random programs against a model, and its limits.

``Model`` is written from the rules, as plainly as it can be: it keeps one list of what
is ready, and looks through all of it each time.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from looplab.clock import DeadlockError
from looplab.priority import ByDeadline, ByPriority, VirtualPriorityLoop, priority
from looplab.priority.context import context_with
from tests.fast.looplab.priority.priority_loops import exactly

THOROUGH = settings(
    max_examples=60,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
MS = 1_000_000  # nanoseconds


# ---------------------------------------------------------------- programs


@dataclass
class Step:
    """A callback: how urgent, when, how long it computes, and what it does then."""

    level: int
    deadline: int  # milliseconds
    delay: int | None  # milliseconds; None: call_soon()
    burn: int  # milliseconds
    then: list[Step] = field(default_factory=list)
    cancel: int | None = None  # cancels the callback of that number, if it was made


def steps(*, timers: bool) -> st.SearchStrategy[list[Step]]:
    delays = st.none() | st.integers(0, 6) if timers else st.none()

    def step(**then: Any) -> Any:
        return st.builds(
            Step,
            level=st.integers(-1, 2),
            deadline=st.integers(0, 9),
            delay=delays,
            burn=st.integers(0, 3) if timers else st.just(0),
            cancel=st.none() | st.integers(0, 12),
            **then,
        )

    tree: Any = st.recursive(
        step(), lambda child: step(then=st.lists(child, max_size=4)), max_leaves=14
    )
    return st.lists(tree, min_size=1, max_size=6)


Seen = list[tuple[int, int]]  # when it ran, in milliseconds, and its number


def run_on(loop: Any, program: list[Step]) -> Seen:
    """Run a program; what runs is numbered in the order in which it was made."""
    seen: Seen = []
    handles: list[asyncio.Handle] = []
    virtual = isinstance(loop, VirtualPriorityLoop)

    def make(step: Step) -> None:
        context = context_with(step.level, step.deadline / 1000)
        number = len(handles)
        if step.delay is None:
            handle = loop.call_soon(work, number, step, context=context)
        else:
            handle = loop.call_later(
                step.delay / 1000, work, number, step, context=context
            )
        handles.append(handle)

    def work(number: int, step: Step) -> None:
        if virtual:
            seen.append((loop.time_ns() // MS, number))
            loop.burn(step.burn / 1000)
        else:
            seen.append((0, number))
        for child in step.then:
            make(child)
        if step.cancel is not None and step.cancel < len(handles):
            handles[step.cancel].cancel()

    for step in program:
        make(step)
    if virtual:
        with pytest.raises(DeadlockError):  # nothing is left
            loop.run_forever()
    else:
        loop.call_soon(loop.stop, context=context_with(-9))
        loop.run_forever()
    loop.close()
    return seen


class Model:
    """The rules: due timers join before each callback; then the smallest key.

    While it is *plain*, the rules are asyncio's: due timers join before each batch.
    The first step that has a priority ends that.
    """

    def __init__(
        self, key: Callable[[Step, int], float], *, plain: bool = False
    ) -> None:
        self.key = key
        self.plain = plain
        self.batch = 0  # how many are left of it
        self.now = 0
        self.ready: list[tuple[float, int, int, Step]] = []
        self.timers: list[tuple[int, int, Step]] = []
        self.made = self.joined = 0
        self.cancelled: set[int] = set()

    def join(self, number: int, step: Step) -> None:
        self.ready.append((self.key(step, self.now), self.joined, number, step))
        self.joined += 1

    def make(self, step: Step) -> None:
        self.plain = self.plain and step.level == 0
        if step.delay is None:
            self.join(self.made, step)
        else:
            self.timers.append((self.now + step.delay, self.made, step))
        self.made += 1

    def run(self, program: list[Step]) -> Seen:
        seen: Seen = []
        for step in program:
            self.make(step)
        while True:
            if not self.plain or not self.batch:
                self.look()
                self.batch = len(self.ready)
            if not self.ready:
                return seen
            self.batch -= 1
            first = min(self.ready, key=lambda entry: entry[:2])
            self.ready.remove(first)
            number, step = first[2:]
            if number in self.cancelled:
                continue
            seen.append((self.now, number))
            self.now += step.burn
            for child in step.then:
                self.make(child)
            if step.cancel is not None and step.cancel < self.made:
                self.cancelled.add(step.cancel)

    def look(self) -> None:
        self.timers = [t for t in self.timers if t[1] not in self.cancelled]
        if not self.ready and self.timers:
            self.now = max(self.now, min(self.timers)[0])
        due = sorted(t[:2] for t in self.timers if t[0] <= self.now)
        by_number = {number: step for _, number, step in self.timers}
        self.timers = [t for t in self.timers if t[0] > self.now]
        for _, number in due:
            self.join(number, by_number[number])


PLAIN = Step(0, 0, None, 0)
PROGRAM = [Step(0, 0, None, 1), Step(0, 0, 1, 0), Step(0, 0, None, 0, [PLAIN])]
POLICIES: dict[str, tuple[Any, Callable[[Step, int], float]]] = {
    "priority": (ByPriority(), lambda step, _: -step.level),
    "ageing": (ByPriority(ageing=0.004), lambda step, now: now - 4 * step.level),
    "deadline": (ByDeadline(), lambda step, _: step.deadline),
}


@pytest.mark.parametrize("name", POLICIES)
@THOROUGH
@example(program=PROGRAM)
@example(program=[*PROGRAM, Step(1, 0, 5, 0)])  # of which only the last has a priority
@given(program=steps(timers=True))
def test_a_random_program_runs_as_the_model_says(
    name: str, program: list[Step]
) -> None:
    policy, key = POLICIES[name]
    seen = run_on(VirtualPriorityLoop(policy), program)
    plain = policy == ByPriority()  # until a step has a priority
    assert seen == Model(key, plain=plain).run(program)
    assert all(times == 1 for times in Counter(number for _, number in seen).values())


def test_levels_that_nobody_uses_any_more_are_forgotten() -> None:
    loop = VirtualPriorityLoop()
    for level in range(2_000):
        loop.call_soon(int, context=context_with(level))
    loop.call_soon(loop.stop, context=context_with(-1))
    loop.run_forever()
    assert len(loop._ready._levels) <= 1
    loop.close()


def test_the_queue_shows_what_waits() -> None:
    loop = VirtualPriorityLoop()
    made = [
        loop.call_soon(int, context=context_with(level)) for level in (1, 3, 2, 3, 1)
    ]
    queue = loop._ready
    assert len(queue) == 5
    assert list(queue) == [made[1], made[3], made[2], made[0], made[4]]
    assert repr(queue) == "<ReadyQueue of 5 callbacks>"
    loop.close()
    assert not queue
    assert len(queue) == 0


# ---------------------------------------------------------------- policies


async def urgent_for(seconds: float) -> float:
    """Urgent jobs for a time; when did the other job run?"""
    loop = asyncio.get_running_loop()
    burn: Any = loop.burn  # type: ignore[attr-defined]
    ran: list[float] = []

    async def urgent() -> None:
        while loop.time() < seconds:
            burn(0.01)
            await asyncio.sleep(0)

    async def other() -> None:
        ran.append(loop.time())

    with priority(5):
        jobs = [asyncio.create_task(urgent()) for _ in range(3)]
    with priority(0):
        jobs.append(asyncio.create_task(other()))
    await asyncio.gather(*jobs)
    return ran[0]


def test_ageing_ends_the_wait_of_the_lowest() -> None:
    def waited(policy: ByPriority) -> Any:
        return exactly(lambda: urgent_for(10), policy)

    assert waited(ByPriority()) >= 10, "as long as anything urgent is ready"
    assert waited(ByPriority(ageing=0.5)) == pytest.approx(5 * 0.5, abs=0.05)
    assert waited(ByPriority(ageing=1)) == pytest.approx(5 * 1, abs=0.05)
