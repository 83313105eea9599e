"""The player of a loop, in Node: what it draws is what the loop held.

The ready queue and the heap as drawn are compared with those of the loop, at each
callback of some recordings; and data that are wrong are refused, or drawn without harm.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import livecells
from looplab import Heartbeat, VirtualTimeLoop, burn
from looplab.clock.observers import Observer
from looplab.player import Player
from looplab.trace import LoopTracer
from looplab.trace.labels import describe
from tests.fast.looplab.trace.helpers import both

FRAME = Path(livecells.__file__).parent / "page" / "player" / "frame.js"
SCRIPT = Path(__file__).with_name("player.mjs")


class Truth(Observer):
    """The lengths of the ready queue and of the heap as each callback begins."""

    def __init__(self, loop: VirtualTimeLoop) -> None:
        self.loop = loop
        self.seen: list[tuple[int, int]] = []

    def left(self, handle: asyncio.Handle, /) -> None:
        if describe(handle) is None:
            return
        loop = self.loop
        timers = sum(
            not timer._cancelled for due in loop._timers.values() for timer in due
        )
        self.seen.append((len(loop._ready), timers))


async def job() -> None:
    burn(0.010)


async def storm() -> None:
    async with Heartbeat(interval=1):
        await asyncio.sleep(2.5)
        await asyncio.gather(*[job() for _ in range(200)])
        await asyncio.sleep(1)


async def through_a_queue() -> None:
    queue: asyncio.Queue[int] = asyncio.Queue(1)

    async def worker() -> None:
        while True:
            await queue.get()
            await job()
            queue.task_done()

    async with Heartbeat(interval=0.3):
        crew = [asyncio.create_task(worker()) for _ in range(4)]
        for number in range(200):
            await queue.put(number)
        await queue.join()
        for task in crew:
            task.cancel()


async def timeouts() -> None:
    async def one(seconds: float) -> None:
        try:
            async with asyncio.timeout(0.05):
                await asyncio.sleep(seconds)
                await job()
        except TimeoutError:
            await job()

    await asyncio.gather(*[one(0.007 * n) for n in range(15)])


def film(main: Callable[[], Awaitable[None]], **part: float) -> dict[str, Any]:
    """What the player gets of a run, and what was true at each of its callbacks."""
    loop = VirtualTimeLoop()
    truth = Truth(loop)
    loop.add_observer(truth)
    with LoopTracer(loop, whole=True) as tracer:
        loop.run_until_complete(main())
    loop.close()
    trace = tracer.trace
    assert len(trace) == len(truth.seen)
    data = Player(trace, **part).data
    count = len(data["r"][0])
    start = round(part.get("start", 0.0) * 1e9)
    first = next(i for i, one in enumerate(trace) if one.run_ns >= start)
    while trace[first].run_ns < data["zero"] * data["u"]:
        first += 1
    return {"data": data, "truth": truth.seen[first : first + count]}


def in_node(films: list[dict[str, Any]]) -> dict[str, Any]:
    node = shutil.which("node")
    assert node is not None
    done = subprocess.run(
        [node, "--no-warnings", str(SCRIPT), FRAME.as_uri()],
        input=json.dumps(films),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.fixture(scope="module")
def result() -> dict[str, Any]:
    runs = [both, storm, through_a_queue, timeouts]
    return in_node([film(run) for run in runs])


def test_the_ready_queue_and_the_heap_are_drawn_as_they_were(
    result: dict[str, Any],
) -> None:
    assert result["compared"] > 900
    assert result["wrong"] == []


def test_every_moment_has_its_words_and_no_number_that_is_none(
    result: dict[str, Any],
) -> None:
    assert result["unfit"] == []


def test_wrong_data_are_refused_or_drawn_without_markup(result: dict[str, Any]) -> None:
    assert result["refused"] > 100
    assert result["drawn"] > 1_000
    assert result["markup"] == 0


def test_a_film_is_small() -> None:
    import gzip

    data = film(storm)["data"]
    assert len(data["r"][0]) > 400
    packed = gzip.compress(json.dumps(data, separators=(",", ":")).encode())
    assert len(packed) * 600 < 10_000 * len(data["r"][0])
