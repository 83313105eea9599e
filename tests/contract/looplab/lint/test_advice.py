"""Programs that a bound would stop: what the linter says must not stop them."""

from __future__ import annotations

import asyncio
import re
import textwrap

import pytest

from tests.fast.looplab.lint.test_advice import PARTS, advice

FIRST_FILLED = {
    "the maker, then sentinels": (
        """\
        async def main():
            queue, out = asyncio.Queue(), []
            for number in numbers():
                await queue.put(number)
            for _ in range(3):
                await queue.put(None)
            await asyncio.gather(*(worker(queue, out) for _ in range(3)))
            return len(out)
        """,
        "lag101-fill",
    ),
    "gather": (
        """\
        async def main():
            queue = asyncio.Queue()
            await asyncio.gather(*(emit(queue) for _ in range(4)))
            return len([await queue.get() for _ in range(80)]) - 60
        """,
        "lag102-fixed",
    ),
    "a group of tasks": (
        """\
        class TaskGroup:  # that of Python 3.11, for this
            async def __aenter__(self): self.tasks = []; return self
            def create_task(self, one): self.tasks.append(asyncio.create_task(one))
            async def __aexit__(self, *error): await asyncio.gather(*self.tasks)
        async def main():
            queue, out = asyncio.Queue(), []
            async with TaskGroup() as group:
                group.create_task(emit(queue))
            for _ in range(20):
                out.append(await queue.get())
            return len(out)
        """,
        "lag102-fixed",
    ),
    "an awaited task": (
        """\
        async def main():
            queue, out = asyncio.Queue(), []
            task = asyncio.create_task(emit(queue))
            await task
            for _ in range(20):
                out.append(await queue.get())
            return len(out)
        """,
        "lag102-fixed",
    ),
    "awaited tasks, then readers": (
        """\
        async def main():
            queue, out = asyncio.Queue(), []
            tasks = [asyncio.create_task(emit(queue)) for _ in range(1)]
            await asyncio.gather(*tasks)
            await queue.put(None)
            await worker(queue, out)
            return len(out)
        """,
        "lag102-fixed",
    ),
    "methods": (
        """\
        class Store:
            def __init__(self): self.queue = asyncio.Queue()
            async def load(self, rows):
                for row in rows:
                    await self.queue.put(row)
            async def drain(self):
                return [await self.queue.get() for _ in range(20)]
        async def main():
            store = Store()
            await store.load(numbers())
            return len(await store.drain())
        """,
        "lag102-fixed",
    ),
    "methods that nobody calls here": (
        """\
        class Store:
            def __init__(self): self.queue = asyncio.Queue()
            async def load(self, rows):
                for row in rows:
                    await self.queue.put(row)
            async def drain(self):
                out = []
                while not self.queue.empty():
                    out.append(await self.queue.get())
                return out
        main = None
        """,
        "lag101-batch",
    ),
}

PUT_BACK = {
    "a try again": (
        """\
        async def again(queue, out):
            while len(out) < 20:
                item = await queue.get()
                await asyncio.sleep(0.001)
                if isinstance(item, int):
                    await queue.put(str(item))
                else:
                    out.append(item)
        async def main():
            queue, out = asyncio.Queue(), []
            task = asyncio.create_task(again(queue, out))
            await emit(queue)
            await task
            return len(out)
        """,
        "lag101-back",
    ),
    "through methods": (
        """\
        class Crawler:
            def __init__(self): self.queue, self.seen = asyncio.Queue(), set()
            async def add(self, one):
                if one not in self.seen:
                    self.seen.add(one)
                    await self.queue.put(one)
            async def handle(self, one):
                for other in (2 * one, 2 * one + 1):
                    if other <= 20:
                        await self.add(other)
            async def work(self):
                while True:
                    await self.handle(await self.queue.get())
                    self.queue.task_done()
        async def main():
            crawler = Crawler()
            tasks = [asyncio.create_task(crawler.work()) for _ in range(3)]
            await crawler.add(1)
            await crawler.queue.join()
            for task in tasks: task.cancel()
            return len(crawler.seen)
        """,
        "lag102-frontier",
    ),
    "through a function of its own": (
        """\
        async def main():
            queue, out = asyncio.Queue(), []
            async def put(item): await queue.put(item)
            async def run():
                for number in range(10):
                    await put(number)
                    await put(-number)
                    out.extend([await queue.get(), await queue.get()])
            await run()
            return len(out)
        """,
        "lag102-frontier",
    ),
}


def applied(source: str, message: str) -> str:
    """The source with the bound that a message asks for, if it asks for one."""
    bound = re.search(r"pass (maxsize=\d+)", message)
    return source.replace("Queue()", f"Queue({bound[1]})") if bound else source


@pytest.mark.parametrize("name", FIRST_FILLED | PUT_BACK)
def test_what_a_bound_would_stop_is_not_told_to_take_one(name):
    """Each of them works as it is, and would wait for ever with a bound of one."""
    program, section = (FIRST_FILLED | PUT_BACK)[name]
    source = PARTS + textwrap.dedent(program)
    found, message = advice(source)
    assert found == section
    assert len(message) <= 120
    assert applied(source, message) == source
    space: dict[str, object] = {}
    exec(compile(source, name, "exec"), space)
    if space["main"] is not None:
        assert asyncio.run(asyncio.wait_for(space["main"](), 60)) == 20
        space = {}
        exec(compile(source.replace("Queue()", "Queue(1)"), name, "exec"), space)
        with pytest.raises(asyncio.TimeoutError):
            asyncio.run(asyncio.wait_for(space["main"](), 0.2))


ENDS = """\
import asyncio
class Box:
    def __init__(self):
        self.lock, self.queue = asyncio.Lock(), asyncio.Queue()
    async def put(self):
        {put}
    async def get(self):
        {get}
async def main():
    box = Box()
    task = asyncio.create_task(box.put())
    await asyncio.sleep(0)
    return len([await box.get() for _ in range(20)])
"""
LOCK_FIRST = "\n        ".join(
    ["async with self.lock: pass", "return await self.queue.get()"]
)
LOCK_LAST = "\n        ".join(
    ["item = await self.queue.get()", "async with self.lock: return item"]
)


@pytest.mark.parametrize(
    ("several", "get", "stops"),
    [
        (True, LOCK_LAST, True),
        (True, LOCK_FIRST, True),
        (False, LOCK_FIRST, True),
        (False, LOCK_LAST, False),
    ],
)
def test_a_bound_under_that_lock_stops_all(several, get, stops):
    """What the linter calls a stop is one, and what it does not is none."""
    lines = ["async with self.lock:", "for item in range(20):"]
    if not several:
        lines.reverse()
    put = f"{lines[0]}\n            {lines[1]}\n                "
    source = ENDS.format(put=put + "await self.queue.put(item)", get=get)
    bound = source.replace("Queue()", "Queue(1)")
    outside = ENDS.format(
        put="for item in range(20):\n            async with self.lock: pass\n"
        "            await self.queue.put(item)",
        get=get,
    ).replace("Queue()", "Queue(1)")
    assert advice(source)[0] == ("lag101-lock" if stops else "lag101-await")
    for program, ends in (source, True), (bound, not stops), (outside, True):
        space: dict[str, object] = {}
        exec(compile(program, "locked", "exec"), space)
        if ends:
            assert asyncio.run(asyncio.wait_for(space["main"](), 60)) == 20
        else:
            with pytest.raises(asyncio.TimeoutError):
                asyncio.run(asyncio.wait_for(space["main"](), 0.2))
