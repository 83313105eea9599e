"""A guard that looks at the right moment."""

from __future__ import annotations

import asyncio
from typing import Any

from looplab.clock import VirtualTimeLoop
from looplab.clock.observers import Observer
from ontime.check.registry import exercise
from ontime.check.tools import finished, need_async_function, now, simulate
from ontime.check.verdict import NotYet


class _Turns(Observer):
    count = 0

    def left(self, handle: asyncio.Handle, /) -> None:
        self.count += 1


class _Session:
    """A session that is busy for a while, and then rests or turns."""

    def __init__(self, kind: str) -> None:
        self.kind, self._turns = kind, _Turns()
        self._tasks: list[asyncio.Task[None]] = []
        self._answering = asyncio.Event()
        self.opened = self.asked = False

    @property
    def turns(self) -> int:
        return self._turns.count

    async def open(self) -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        loop.add_observer(self._turns)
        self.opened = True
        self._start(self._tick())
        if self.kind == "spins from the start":
            self._start(self._spin())

    async def ask(self) -> None:
        self.asked = True
        self._answering.clear()
        self._start(self._answer())

    async def settled(self) -> None:
        await self._answering.wait()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        self.opened = False
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        loop.remove_observer(self._turns)

    def _start(self, work: Any) -> None:
        self._tasks.append(asyncio.get_running_loop().create_task(work))

    async def _tick(self) -> None:
        while True:  # noqa: ASYNC110 (a timer, as many programs have)
            await asyncio.sleep(0.25)

    async def _answer(self) -> None:
        for _ in range(400):
            await asyncio.sleep(0.001)
        self._answering.set()
        if self.kind == "spins after an answer":
            await self._spin()
        if self.kind == "naps after an answer":
            while True:  # noqa: ASYNC110 (this is the fault)
                await asyncio.sleep(0.01)

    async def _spin(self) -> None:
        while True:  # noqa: ASYNC110
            await asyncio.sleep(0)  # noqa: LAG201 (this is the fault)


@exercise("06-xguard", need_async_function, "guard")
def check_guard(answer: Any) -> str:
    """The answer is an async function ``guard(session)``: a test.

    It raises AssertionError for a session that turns while nobody asks it anything,
    also if it turns only after an answer, and passes for one that rests.
    """
    for kind, wrong in (
        ("rests", False),
        ("spins from the start", True),
        ("spins after an answer", True),
        ("naps after an answer", True),
    ):
        session = _Session(kind)
        error = simulate(
            _guarded(answer, session), callback_cost=0.000_1, max_steps=400_000
        )
        if error is None and not session.asked and wrong:
            raise NotYet(
                f"a session that {kind} passes the test, which never asked it "
                "anything.",
                "some loops spin only after their first answer: ask, and wait until "
                "it is settled",
            )
        if error is None and wrong:
            raise NotYet(
                f"a session that {kind} passes the test.",
                "count for 0.3 s what it turns after it has settled, and allow ten",
            )
        if error is not None and not wrong:
            raise NotYet(
                f"a session that rests fails the test: {error}.",
                "while it opens and answers it may turn: begin to count when it is "
                "settled. It has a timer too, so a few turns are allowed",
            )
        if session.opened:
            raise NotYet(
                f"the test of a session that {kind} left it open.",
                "close it in a finally, also when the test fails",
            )
    return "it passes a session that rests, and fails all three that turn."


async def _guarded(answer: Any, session: _Session) -> str | None:
    began = now()

    async def test() -> None:
        await answer(session)

    try:
        await finished(test())
    except AssertionError as error:
        return str(error) or "AssertionError"
    if now() - began < 0.2:
        raise NotYet(
            f"the test looked for {now() - began:.2f} s in all.",
            "idle is what it does for a while, such as 0.3 s, when it has settled",
        )
    return None
