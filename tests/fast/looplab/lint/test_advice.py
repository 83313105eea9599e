"""Programs that a bound would stop: what the linter says must not stop them."""

from __future__ import annotations

import textwrap

import pytest

from looplab.lint import check_source
from tests.fast.looplab.lint.marks import EVERY

#: A consumer that ends with its sentinel, and producers.
PARTS = """\
import asyncio

def numbers():
    yield from range(20)

async def emit(queue):
    for number in numbers():
        await queue.put(number)

async def worker(queue, out):
    while (item := await queue.get()) is not None:
        out.append(item)

"""


def advice(source: str) -> tuple[str, str]:
    """The section and the message of the one channel of a source."""
    (one,) = [x for x in check_source(source, select=EVERY) if x.code[:5] == "LAG10"]
    return one.section, one.message


@pytest.mark.parametrize(
    "start",
    [
        "task = asyncio.create_task(worker(queue, out))",
        "task = asyncio.ensure_future(worker(queue, out))",
        "start(queue)",
        "self.queue = queue",
        "task = group.start_soon(worker, queue, out)",
        "loop.call_soon(lambda: asyncio.create_task(worker(queue, out)))",
    ],
)
def test_who_starts_a_reader_first_is_told_to_bound(start):
    """It is not filled first, by the maker or by a task."""
    for fill in (
        "async for item in source: await queue.put(item)",
        "await fill(queue)",
    ):
        source = PARTS + (
            "async def main(self, source, group, loop, out):\n"
            f"    queue = asyncio.Queue()\n    {start}\n    {fill}\n"
            "async def fill(queue):\n"
            "    while True: await queue.put(await read())\n"
        )
        section, message = advice(source)
        assert section == "lag101-await"
        assert "pass maxsize=1," in message


def test_a_task_that_nobody_awaits_goes_on():
    """It puts while the other takes."""
    source = PARTS + textwrap.dedent(
        """\
        async def main(group):
            queue, out = asyncio.Queue(), []
            task = asyncio.create_task(emit(queue))
            await worker(queue, out)
            await task
        """
    )
    assert advice(source)[0] == "lag101-await"
    inside = source.replace(
        "    task = asyncio.create_task(emit(queue))\n    await worker(queue, out)\n"
        "    await task\n",
        "    async with asyncio.TaskGroup() as group:\n"
        "        group.create_task(emit(queue))\n        await worker(queue, out)\n",
    )
    assert inside != source
    assert advice(inside)[0] == "lag101-await"


def test_a_fill_beside_an_ordinary_producer():
    source = PARTS + textwrap.dedent(
        """\
        async def main(out):
            queue = asyncio.Queue()
            for number in (1, 2, 3):
                await queue.put(number)
            task = asyncio.create_task(worker(queue, out))
            await emit(queue)
        """
    )
    section, message = advice(source)
    assert section == "lag101-fill"
    assert message == (
        "asyncio.Queue() grows, and is filled in line 17 before anybody takes: first "
        "start who takes, then pass maxsize=1"
    )


SERVICE = """\
import asyncio
class Service:
    def __init__(self): self.queue = asyncio.Queue()
    async def work(self):
        while True:
            item = await self.queue.get()
            if item.failed:
                await self.add(item)
"""


@pytest.mark.parametrize(
    ("producers", "section", "line"),
    [
        # One helper for all: the loop outside is what must be held back.
        (
            "async def add(self, x): await self.queue.put(x)\n"
            "async def feed(self, source):\n"
            "    async for x in source: await self.add(x)\n",
            "lag101-back",
            11,
        ),
        # What is only started is not waited for.
        (
            "async def add(self, x): asyncio.create_task(self.later(x))\n"
            "async def later(self, x): await self.queue.put(x)\n",
            "lag101-await",
            10,
        ),
        # A method of another object that has the same name.
        (
            "async def add(self, x): await self.backend.publish(x)\n"
            "async def publish(self, x): await self.queue.put(x)\n",
            "lag101-await",
            10,
        ),
        # A plain function cannot wait.
        (
            "async def add(self, x): self.queue.put_nowait(x)\n"
            "def data_received(self, x): self.queue.put_nowait(x)\n",
            "lag101-back",
            10,
        ),
    ],
)
def test_who_takes_also_puts(producers, section, line):
    found, message = advice(SERVICE + textwrap.indent(producers, "    "))
    assert found == section
    assert f"line {line} " in message
    if section == "lag101-back":
        assert "maxsize" not in message
        assert ("qsize()" in message) == ("data_received" in producers)


@pytest.mark.parametrize(
    ("imports", "made", "bound"),
    [
        ("import asyncio", "asyncio.PriorityQueue()", 1000),
        ("import asyncio", "asyncio.LifoQueue()", 1000),
        ("from asyncio import PriorityQueue as Q", "Q()", 1000),
        ("from tornado.queues import PriorityQueue", "PriorityQueue()", 1000),
        ("import asyncio\nclass Q(asyncio.LifoQueue): pass", "Q()", 1000),
        ("import asyncio\nclass Q(asyncio.Queue): pass", "Q()", 1),
        ("import asyncio", "asyncio.Queue()", 1),
    ],
)
def test_a_queue_with_an_order_needs_room_for_it(imports, made, bound):
    source = (
        f"{imports}\nclass A:\n    def __init__(self): self.queue = {made}\n"
        "    async def feed(self, source):\n"
        "        async for x in source: await self.queue.put(x)\n"
        "    async def read(self): return await self.queue.get()\n"
    )
    section, message = advice(source)
    assert section == "lag101-await"
    assert f"pass maxsize={bound}, so that" in message


LOCKED = """\
import asyncio
class Box:
    def __init__(self):
        self.{lock} = asyncio.Lock()
        self.other = asyncio.Lock()
        self.queue = asyncio.Queue()
    async def put(self, source):
        async for item in source:
            async with self.{lock}:
                {put}
    async def get(self):
        {get}
"""


@pytest.mark.parametrize(
    ("put", "get", "section"),
    [
        (
            "await self.queue.put(item)",
            "async with self.lock: return await self.queue.get()",
            "lag101-lock",
        ),
        (
            "self.queue.put_nowait(item)",
            "async with self.lock: return await self.queue.get()",
            "lag101-lock",
        ),
        (
            "for one in item: await self.queue.put(one)",
            "return await self.queue.get(), await self.note()\n"
            "    async def note(self):\n"
            "        async with self.lock: pass",
            "lag101-lock",
        ),
        (
            "await self.queue.put(item); await self.queue.put(item)",
            "return await self.queue.get(), await self.note()\n"
            "    async def note(self):\n"
            "        async with self.lock: pass",
            "lag101-lock",
        ),
        (  # who takes has made room before it needs the lock
            "await self.queue.put(item)",
            "return await self.queue.get(), await self.note()\n"
            "    async def note(self):\n"
            "        async with self.lock: pass",
            "lag101-await",
        ),
        (
            "await self.queue.put(item)",
            "async with self.lock: pass\n        return await self.queue.get()",
            "lag101-lock",
        ),
        (
            "await self.queue.put(item)",
            "async with self.other: return await self.queue.get()",
            "lag101-await",
        ),
        ("await self.queue.put(item)", "return await self.queue.get()", "lag101-await"),
    ],
)
def test_a_lock_that_who_takes_needs(put, get, section):
    source = LOCKED.format(lock="lock", put=put, get=get)
    found, message = advice(source)
    assert found == section
    assert len(message) <= 120
    assert ("outside of lock (line 9)" in message) == (section == "lag101-lock")
    long = source.replace("lock", "l" + "o" * 100 + "ck")
    assert len(advice(long)[1]) <= 120


STOPPED = """\
import asyncio
class Log:
    def __init__(self):
        self.queue = asyncio.Queue()
        self.task = asyncio.create_task(self.read())
        self.clock = asyncio.create_task(tick())
    async def read(self):
        while await self.queue.get() is not None: pass
    async def write(self, source):
        async for line in source: await self.queue.put(line)
    async def stop(self):
"""


@pytest.mark.parametrize(
    ("lines", "section"),
    [
        (("self.task.cancel()", "await self.queue.put(None)"), "lag101-cancel"),
        (("await self.queue.put(None)", "self.task.cancel()"), "lag101-await"),
        (("self.clock.cancel()", "await self.queue.put(None)"), "lag101-await"),
        (("self.task.cancel()", "self.queue.empty()"), "lag101-await"),
    ],
)
def test_an_end_that_is_put_when_nobody_reads(lines, section):
    source = STOPPED + "".join(f"        {line}\n" for line in lines)
    found, message = advice(source)
    assert found == section
    assert len(message) <= 120
    assert ("no put() in line 13 once line 12" in message) == (
        section == "lag101-cancel"
    )
