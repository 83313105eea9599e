"""What the messages warn of does happen: each program works, and a bound stops it."""

from __future__ import annotations

import asyncio

import pytest

from looplab.lint import check_source

LOCK = """\
import asyncio

class Jobs:
    def __init__(self):
        self.cond, self.queue = asyncio.Condition(), asyncio.Queue()

    async def spawn(self, job):
        async with self.cond:
            await self.queue.put(job)
            self.cond.notify_all()

    async def take(self):
        async with self.cond:
            await self.cond.wait_for(lambda: not self.queue.empty())
            return self.queue.get_nowait()

async def main():
    jobs = Jobs()
    for job in range(2):
        await jobs.spawn(job)
    return [await jobs.take() for _ in range(2)]
"""
BACK = """\
import asyncio

async def main(jobs=range(20)):
    queue, out = asyncio.Queue(), []

    async def work():
        while len(out) < 20:
            job = await queue.get()
            await asyncio.sleep(0.001)
            if isinstance(job, int):
                await queue.put(str(job))
            else:
                out.append(job)

    async def feed():
        for job in jobs:
            await queue.put(job)

    await asyncio.gather(work(), feed())
    return out
"""
FILL = """\
import asyncio

async def main(lines=range(20)):
    queue, out = asyncio.Queue(), []

    async def work():
        while (line := await queue.get()) is not None:
            out.append(line)

    for line in lines:
        await queue.put(line)
    await queue.put(None)
    await work()
    return out
"""
BATCH = """\
import asyncio

class Sink:
    def __init__(self):
        self.queue = asyncio.Queue()

    async def on_event(self, event):
        await self.queue.put(event)

    def flush(self):
        batch = []
        while not self.queue.empty():
            batch.append(self.queue.get_nowait())
        return batch

async def main():
    sink = Sink()
    for number in range(20):
        await sink.on_event(number)
    return sink.flush()
"""


@pytest.mark.parametrize(
    ("source", "section"),
    [
        (LOCK, "lag101-lock"), (BACK, "lag101-back"),
        (FILL, "lag101-fill"), (BATCH, "lag101-batch"),
    ],
)  # fmt: skip
def test_a_bound_alone_would_stop_it(source, section):
    # Who calls a class may do so from another file, and as often as it likes.
    shown = source.partition("async def main():")[0]
    sections = [finding.section for finding in check_source(shown)]
    assert section in sections
    for queue, works in (("Queue()", True), ("Queue(1)", False)):
        space: dict[str, object] = {}
        exec(compile(source.replace("Queue()", queue), section, "exec"), space)
        if works:
            assert asyncio.run(asyncio.wait_for(space["main"](), 60))
        else:
            with pytest.raises(asyncio.TimeoutError):
                asyncio.run(asyncio.wait_for(space["main"](), 0.2))
