"""The player of a loop, in Node: what it draws is what the loop held.

The ready queue and the heap as drawn are compared with those of the loop, at each
callback of some recordings; and data that are wrong are refused, or drawn without harm.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import shutil
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import livecells
from livecells.sphinx.scripts import find_esbuild
from livecells.sphinx.strips import strips
from looplab import Heartbeat, VirtualTimeLoop, burn, record
from looplab.clock.observers import Observer
from looplab.player import Player
from looplab.priority import VirtualPriorityLoop, priority
from looplab.trace import LoopTracer
from looplab.trace.labels import describe
from tests.fast.looplab.trace.helpers import both, closed_as_it_is_noticed
from tools.common import ROOT

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
        ready = sum(not handle._cancelled for handle in loop._ready)
        self.seen.append((ready, timers))


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


async def with_priorities() -> None:
    with priority(1):
        await asyncio.gather(both(), both(), closed_as_it_is_noticed())


def film(
    main: Callable[[], Awaitable[None]],
    kind: type[VirtualTimeLoop] = VirtualTimeLoop,
) -> dict[str, Any]:
    """What the player gets of a run, and what was true at each of its callbacks."""
    loop = kind()
    truth = Truth(loop)
    loop.add_observer(truth)
    with LoopTracer(loop, whole=True) as tracer:
        loop.run_until_complete(main())
    loop.close()
    trace = tracer.trace
    assert len(trace) == len(truth.seen)
    return {"data": Player(trace).data, "truth": truth.seen}


def test_what_is_drawn_is_what_the_loop_held() -> None:
    """And data that are wrong are refused, or drawn without markup."""
    node = shutil.which("node")
    assert node is not None
    runs = [both, storm, through_a_queue, timeouts, closed_as_it_is_noticed]
    films = [*map(film, runs), film(with_priorities, VirtualPriorityLoop)]
    done = subprocess.run(
        [node, "--no-warnings", str(SCRIPT), FRAME.as_uri()],
        input=json.dumps(films),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    result = json.loads(done.stdout)
    assert result["compared"] > 900 and result["wrong"] == []
    assert result["refused"] > 100 and result["drawn"] > 1_000
    assert result["markup"] == 0


def test_a_film_and_the_player_itself_are_small(tmp_path: Path) -> None:
    data = film(storm)["data"]
    assert len(data["r"][0]) > 400
    packed = gzip.compress(json.dumps(data, separators=(",", ":")).encode())
    assert len(packed) * 600 < 10_000 * len(data["r"][0])
    esbuild = find_esbuild(ROOT / "node_modules", "node_modules")
    for name in ("player.js", "player.css"):
        words = ["--bundle", "--minify", "--format=esm", f"--outfile={tmp_path / name}"]
        subprocess.run([esbuild, str(FRAME.with_name(name)), *words], check=True)
    sizes = [len(gzip.compress(file.read_bytes())) for file in tmp_path.iterdir()]
    assert sum(sizes) <= 10_000


def test_four_moments_are_drawn_for_paper() -> None:
    texts = [json.dumps(Player(record(both(), whole=True)).data), "no recording"]
    drawn, none = strips(texts)
    assert none == ""
    said = re.findall(r'<svg role="img" aria-label="([\d.]+) s, iteration (\d+)', drawn)
    assert said == [("0.028", "4"), ("0.030", "5"), ("0.040", "5"), ("0.050", "6")]
    assert "NaN" not in drawn
