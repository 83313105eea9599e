"""The order of the loop of real programs, and callbacks that come at any moment."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable
from contextvars import Context
from typing import Any

import pytest
from hypothesis import given

from looplab.priority import (
    ByDeadline,
    ByPriority,
    PriorityEventLoop,
    VirtualPriorityLoop,
)
from looplab.priority.context import context_with
from tests.fast.looplab.priority.test_order import THOROUGH, Model, Step, run_on, steps

# ---------------------------------------------------------------- programs


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
