"""The order of the priority loops: random programs against a model, and its limits.

``Model`` is written from the rules, as plainly as it can be: it keeps one list of what
is ready, and looks through all of it each time.
"""

from __future__ import annotations

import asyncio
import gc
from collections import Counter
from collections.abc import Callable
from contextvars import Context
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from looplab.clock import DeadlockError
from looplab.priority import (
    ByDeadline,
    ByPriority,
    PriorityEventLoop,
    VirtualPriorityLoop,
)
from looplab.priority.context import context_with

THOROUGH = settings(
    max_examples=200,
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
    one: Any = st.builds(
        Step,
        level=st.integers(-1, 2),
        deadline=st.integers(0, 9),
        delay=delays,
        burn=st.integers(0, 3) if timers else st.just(0),
        cancel=st.none() | st.integers(0, 12),
    )
    tree: Any = st.recursive(
        one,
        lambda child: st.builds(
            Step,
            level=st.integers(-1, 2),
            deadline=st.integers(0, 9),
            delay=delays,
            burn=st.integers(0, 3) if timers else st.just(0),
            then=st.lists(child, max_size=4),
            cancel=st.none() | st.integers(0, 12),
        ),
        max_leaves=14,
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


@THOROUGH
@given(program=steps(timers=False))
def test_the_loop_of_real_programs_keeps_the_same_order(program: list[Step]) -> None:
    seen = run_on(PriorityEventLoop(), program)
    assert seen == Model(lambda step, _: -step.level).run(program)


# ---------------------------------------------------------------- adding at any moment


class Cycle:
    """Garbage whose collection adds a callback, between any two lines of the loop."""

    def __init__(self, last_wish: Callable[[], Any]) -> None:
        self.me = self
        self.last_wish = last_wish

    def __del__(self) -> None:
        self.last_wish()


@pytest.mark.parametrize("policy", [ByPriority(), ByPriority(ageing=1), ByDeadline()])
@pytest.mark.parametrize("loop_class", [VirtualPriorityLoop, PriorityEventLoop])
def test_a_collection_may_add_callbacks_at_any_moment(
    loop_class: Any, policy: Any
) -> None:
    loop = loop_class(policy=policy)
    ran: Counter[str] = Counter()
    added: list[str] = []
    contexts = [Context(), *(context_with(level) for level in (0, 1, 5, 9))]

    def add(kind: str, number: int) -> None:
        name = f"{kind}-{number}"
        added.append(name)
        loop.call_soon(work, name, number, context=contexts[number % len(contexts)])

    def work(name: str, number: int) -> None:
        ran[name] += 1
        kind, _, _ = name.partition("-")
        if kind == "own" and number < 1_500:
            Cycle(lambda: add("garbage", number))
            add("own", number + 7)

    before = gc.get_threshold()
    gc.set_threshold(3)
    try:
        for number in range(7):
            add("own", number)
        for _ in range(5_000):
            loop.call_soon(loop.stop, context=context_with(-9))
            loop.run_forever()
            if len(ran) == len(added):
                break
    finally:
        gc.set_threshold(*before)
        gc.collect()
    loop.call_soon(loop.stop, context=context_with(-9))
    loop.run_forever()
    loop.close()
    assert sum(name.startswith("garbage") for name in added) > 1_000
    assert ran == Counter(added)


def test_the_queue_shows_what_waits() -> None:
    loop = PriorityEventLoop()
    made = [
        loop.call_soon(int, context=context_with(level)) for level in (1, 3, 2, 3, 1)
    ]
    queue = loop._ready
    assert len(queue) == 5
    assert list(queue) == [made[1], made[3], made[2], made[0], made[4]]
    assert repr(queue) == "<TimedQueue of 5 callbacks>"
    loop.close()
    assert not queue
    assert len(queue) == 0


# ---------------------------------------------------------------- policies
