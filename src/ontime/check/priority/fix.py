"""``07-fix``: a consumer on a priority loop."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from looplab.clock import burn
from looplab.priority import (
    VirtualPriorityLoop,
    current_priority,
)
from ontime.check.registry import exercise
from ontime.check.tools import (
    abandoned,
    cause,
    finished,
    need_async_function,
    now,
    several,
    simulate,
)
from ontime.check.verdict import NotYet


class _Bus:
    """Messages, and what the answer's tasks did with them."""

    def __init__(self, count: int, cpu: float) -> None:
        self.left, self.cpu = list(range(count)), cpu
        self.held = self.most_held = 0
        self.kept: list[int] = []
        self.done: list[int] = []
        self.lost: list[int] = []
        self.late = self.took = 0.0
        self.levels: dict[str, set[int]] = {}
        self._finished: set[int] = set()

    def _note(self, who: str) -> None:
        self.levels.setdefault(who, set()).add(current_priority())

    async def receive(self) -> int | None:
        await asyncio.sleep(0.25)
        if not self.left:
            return None
        self.held += 1
        self.most_held = max(self.most_held, self.held)
        return self.left.pop(0)

    async def keep_lease(self, message: int) -> None:
        self._note("keep_lease")
        self.kept.append(message)
        renewed = now()
        while message not in self._finished:
            due = now() + 2
            await asyncio.sleep(2)
            self.late = max(self.late, now() - due)
            if now() - renewed > 5:
                self.lost.append(message)
                return
            await asyncio.sleep(0.25)
            renewed = now()

    async def process(self, message: int) -> None:
        self._note("process")
        for _ in range(5):
            burn(self.cpu)
            await asyncio.sleep(1)
            if message in self.lost:
                break
        else:
            self.done.append(message)
        self._finished.add(message)
        self.held -= 1
        self.took = now()


@exercise("07-fix", need_async_function, "serve")
def check_fix(answer: Any) -> str:
    """The answer is an async function ``serve(receive, keep_lease, process)``.

    It receives messages until ``receive()`` returns ``None``, and starts
    ``keep_lease(message)`` and ``process(message)`` as tasks for each.  On a priority
    loop no lease may be lost.

    Required, on a virtual priority loop, with and without jitter: every message kept
    and processed once, none lost with rounds of 1 s and of 1.75 s, no check later than
    one round, at most 6 messages held at once, at most 1.1 times the floor in all, no
    task left behind, and an error of a task comes out.
    """
    worst, held = 0.0, 0
    for cpu in (1.0, 1.75):
        for jitter in (0.0, 0.01):
            bus = _Bus(30, cpu)
            left = _simulate_by_priority(
                _serve(answer, bus.receive, bus.keep_lease, bus.process), jitter
            )
            _judge_served(bus, left)
            worst, held = max(worst, bus.late), max(held, bus.most_held)
    _judge_served_failure(answer)
    return (
        f"no message was lost in four runs. Their latest check was {worst:.2f} s late, "
        f"and no more than {held} messages were held at once."
    )


def _judge_served(bus: _Bus, left: int) -> None:
    cpu = bus.cpu
    if bus.left or sorted(bus.kept) != list(range(30)):
        raise NotYet(
            f"{len(set(bus.kept))} of 30 messages had a task that keeps their lease.",
            "receive until receive() returns None, and start both tasks for each",
        )
    if bus.lost:
        order = {name: sorted(levels) for name, levels in bus.levels.items()}
        if order.get("keep_lease") == order.get("process"):
            hint = (
                "leases and work have one priority: a task takes that of the code "
                "that makes it"
            )
        else:
            hint = "leases need a higher priority than the work"
        raise NotYet(
            f"{len(bus.lost)} of 30 messages were lost, with rounds of {cpu:g} s.",
            hint,
        )
    if sorted(bus.done) != list(range(30)) or left:
        raise NotYet(
            f"{len(bus.done)} of 30 messages were processed when serve() returned, and "
            f"{several(left, 'task')} left behind.",
            "let a TaskGroup own the tasks, and start each once",
        )
    if bus.late > cpu + 0.02:
        raise NotYet(
            f"a check was {bus.late:.2f} s late, with rounds of {cpu:g} s.",
            "leases need a higher priority than anything else",
        )
    floor = 30 * 5 * cpu
    if bus.took > 1.1 * floor:
        raise NotYet(
            f"it took {bus.took:.0f} s, and the computations alone {floor:.0f} s.",
            "while one message waits others compute: each has a task of its own",
        )
    if bus.most_held > 6:
        raise NotYet(
            f"no message was lost, but {bus.most_held} were held at once.",
            "serve() itself receives: it must not be as urgent as the work",
        )


async def _serve(answer: Any, *functions: Any) -> int:
    """Run *answer* to its end; how many tasks it left behind."""
    await finished(answer(*functions), "serve")
    return await abandoned()


def _simulate_by_priority(main: Coroutine[Any, Any, int], jitter: float = 0.0) -> int:
    return simulate(main, jitter=jitter, seed=7, new_loop=VirtualPriorityLoop)


def _judge_served_failure(answer: Any) -> None:
    bus = _Bus(5, 0.1)

    async def process(message: int) -> None:
        if message == 2:
            raise OSError("the disk is full")
        await bus.process(message)

    try:
        _simulate_by_priority(_serve(answer, bus.receive, bus.keep_lease, process))
    except (OSError, BaseExceptionGroup) as error:
        if not isinstance(cause(error), OSError):
            raise
        return
    raise NotYet(
        "process() raised OSError, and serve() returned as if nothing had happened.",
        "let a TaskGroup own the tasks",
    )
