"""sleep(0), and loops that ask again and again (LAG201 to LAG204)."""

from __future__ import annotations

import pytest

from looplab.lint import check_source
from tests.fast.looplab.lint.marks import EVERY, agrees, flagged

# -- LAG201 and LAG202 ---------------------------------------------------------------


@pytest.mark.parametrize(
    "delay", ["0", "0.0", "-1", "delay=0", "False", "0, 5", "0, result=5", "ZERO"]
)
def test_every_way_to_sleep_for_no_time(delay):
    lines = [
        "ZERO = 0",
        "async def f():",
        " while x:",
        f"  await asyncio.sleep({delay})",
    ]
    assert flagged(*lines) == ["LAG201"]


@pytest.mark.parametrize(
    "delay",
    ["1", "0.2", "delay", "*a", "**k", "delay=1", "", "'0'", "0 or 1", "1 / 60"],
)
def test_a_sleep_that_lasts(delay):
    assert (
        flagged("async def f():", " while x:", f"  await asyncio.sleep({delay})") == []
    )


def test_other_sleeps():
    for module in ("time", "gevent"):
        source = f"import asyncio, {module}\nwhile 1: {module}.sleep(0)"
        assert check_source(source, select=EVERY) == []


@pytest.mark.parametrize(
    "sleep",
    [
        "anyio.sleep(0)",
        "anyio.sleep(delay=0)",
        "anyio.lowlevel.checkpoint()",
        "trio.sleep(0)",
        "trio.sleep(seconds=0)",
        "trio.lowlevel.checkpoint()",
        "asyncio.wait_for(asyncio.sleep(0), 1)",
        "asyncio.shield(asyncio.sleep(0))",
    ],
)
def test_every_library_and_what_is_around_it(sleep):
    source = "import anyio, anyio.lowlevel, asyncio, trio, trio.lowlevel\n"
    source += f"async def f():\n while x: await {sleep}"
    assert [one.code for one in check_source(source)] == ["LAG201"]


def test_what_cannot_raise_leads_to_no_handler():
    agrees(
        """\
        import asyncio
        from asyncio import sleep

        async def f(queue):
            while True:
                try:
                    y = 1
                    await queue.get()
                except TimeoutError:
                    await sleep(0)  # LAG202
            while True:
                try:
                    y = g()
                    await queue.get()
                except TimeoutError:
                    await sleep(0)  # LAG201
            while True:
                try:
                    if y is None: z = w = (1, [y])
                    await queue.get()
                except TimeoutError:
                    await sleep(0)  # LAG202
        """
    )


def test_the_entry_of_a_timeout_is_no_await():
    agrees(
        """\
        import asyncio, anyio

        async def f(queue, lock):
            while not queue.ready:
                async with asyncio.timeout(5):
                    await asyncio.sleep(0)  # LAG201
            while not queue.ready:
                async with asyncio.timeout(5), lock:
                    await asyncio.sleep(0)  # LAG202
            while not queue.ready:
                with anyio.move_on_after(5):
                    await anyio.sleep(0)  # LAG201
        """
    )


def test_room_by_the_clock_or_by_a_count():
    agrees(
        """\
        import asyncio, time

        async def f(parts):
            last = time.monotonic()
            while parts:
                parts.pop().work()
                if time.monotonic() - last > 0.1:
                    await asyncio.sleep(0)  # LAG202
                    last = time.monotonic()
            while parts:
                n += 1
                if n > 1000:
                    n = 0
                    await asyncio.sleep(0)  # LAG202
            while parts:
                if len(parts) % 100 == 0:
                    await asyncio.sleep(0)  # LAG202
            while parts:
                if scope.cancel_called:
                    await asyncio.sleep(0)  # LAG202
            while parts:
                if parts.busy:
                    await asyncio.sleep(0)  # LAG201
        """
    )


def test_a_short_delay():
    agrees(
        """\
        import asyncio, anyio, os, time, trio
        POLL = 0.05
        SLOW = 0.5

        async def polls(self, process, x):
            while self.running:
                n = 1
                await asyncio.sleep(0.1)  # LAG203
            while self.running:
                log.debug("still running")
                await anyio.sleep(POLL)  # LAG203
            while self.running:
                await asyncio.sleep(0.1)  # LAG203
            while True:
                if self.done.is_set() or len(x) > 3:
                    break
                await trio.sleep(1e-3)  # LAG203
            deadline = time.monotonic() + 5
            while key not in self.tasks:
                await asyncio.sleep(0.01)  # LAG203
                if time.monotonic() > deadline:
                    raise TimeoutError
            while not self.closed:
                try:
                    self.items.pop()
                except KeyError:
                    await asyncio.sleep(0.01)  # LAG203

            while True:
                for queue in self.queues:
                    try:
                        return queue.get_nowait()
                    except asyncio.QueueEmpty:
                        continue
                await asyncio.sleep(0.01)  # LAG203

        async def does_not(self, process, x):
            while self.running:
                self.tick()
                await asyncio.sleep(0.05)
            while True:
                self.tick()
                if self.closed:
                    break
                await asyncio.sleep(0.05)
            while self.running:
                await asyncio.sleep(SLOW)
            while self.running:
                log()
                await asyncio.sleep(0.2)
            while True:
                blink()
                await asyncio.sleep(0.1)
            while not os.path.exists(x):
                log()
                await asyncio.sleep(0.1)
            while process.returncode is None:
                log()
                await asyncio.sleep(0.1)
            while self.running:
                item = await self.queue.get()
                await asyncio.sleep(0.1)
            while not self.closed:
                try:
                    connect()
                except OSError:
                    await asyncio.sleep(0.1)
        """
    )


def test_sleep_after_a_queue_operation():
    agrees(
        """\
        import asyncio
        from asyncio import sleep

        async def unbounded(queue):
            for x in range(9):
                await queue.put(x)
                await sleep(0)  # LAG204

        async def bounded():
            queue = asyncio.Queue(1)
            async for x in source():
                queue.put_nowait(x)
                await sleep(0)  # LAG204

        async def consumer(self):
            while True:
                item = await self.queue.get()
                await sleep(0)  # LAG204
                await sleep(0)  # LAG204

        async def other(self, session, cache):
            for x in range(9):
                await sleep(0)  # LAG202
                await self.queue.put(x)
            for x in range(9):
                await session.get(x)
                await sleep(0)  # LAG202
            for x in range(9):
                await cache.get()
                await sleep(0)  # LAG202
            for x in range(9):
                await self.queue.put(x)
                for part in x:
                    await sleep(0)  # LAG202
            await self.queue.put(x)
            await sleep(0)  # LAG202
        """
    )


@pytest.mark.parametrize(
    ("imports", "name"),
    [
        ("from asyncio import sleep", "sleep"),
        ("from asyncio import sleep as nap", "nap"),
        ("import asyncio as aio", "aio.sleep"),
        ("from asyncio.tasks import sleep", "sleep"),
        ("import asyncio\nrest = asyncio.sleep", "rest"),
        ("from asyncio import *", "sleep"),
    ],
)
def test_sleep_by_whatever_name(imports, name):
    source = f"{imports}\nasync def f():\n while x: await {name}(0)"
    assert [one.code for one in check_source(source)] == ["LAG201"]


def test_polling():
    agrees(
        """\
        import asyncio
        from asyncio import sleep
        from contextlib import suppress

        async def only(done):
            while not done():
                await sleep(0)  # LAG201
            while True:
                await sleep(0)  # LAG201
                if done(): break
            while await sleep(0) or not done(): ...  # LAG201
            while True:
                for _ in range(3):
                    await sleep(0)  # LAG201
            while True:
                [await sleep(0) for _ in x]  # LAG201
            while True:
                try:
                    work()
                finally:
                    await sleep(0)  # LAG201

        async def sometimes(queue):
            while True:
                if queue.empty():
                    await sleep(0)  # LAG201
                    continue
                await handle(queue.get_nowait())
            while True:
                if queue:
                    await handle()
                await sleep(0)  # LAG201
            while True:
                if queue:
                    await handle()
                elif other:
                    pass
                else:
                    await one()
                await sleep(0)  # LAG201
            while True:
                try:
                    item = queue.get_nowait()
                except asyncio.QueueEmpty:
                    await sleep(0)  # LAG201
                else:
                    await handle(item)
            while True:
                with suppress(asyncio.QueueEmpty):
                    await handle(queue.get_nowait())
                await sleep(0)  # LAG204
            while True:
                with suppress(asyncio.QueueEmpty):
                    item = queue.get_nowait()
                    await handle(item)
                await sleep(0)  # LAG201
            while True:
                for item in queue:
                    await handle(item)
                await sleep(0)  # LAG201
            while True:
                while queue:
                    await handle(queue.pop())
                await sleep(0)  # LAG201
            while True:
                match queue:
                    case []:
                        await sleep(0)  # LAG201
                    case [item]:
                        await handle(item)

        def pump(loop, future):
            while not future.done():
                loop.run_until_complete(asyncio.sleep(0))  # LAG201
        """
    )


def test_not_polling():
    agrees(
        """\
        import asyncio
        from asyncio import sleep

        await_nothing = sleep(0)

        async def straight():
            await sleep(0)  # LAG202
            for _ in range(3):
                await sleep(0)  # LAG205
            async for _ in stream():
                await sleep(0)  # LAG202

        async def waits(queue, lock):
            while True:
                item = await queue.get()
                await sleep(0)  # LAG204
            while True:
                await sleep(0)  # LAG202
                await queue.get()
            while await queue.get():
                await sleep(0)  # LAG204
            while True:
                async with lock:
                    await sleep(0)  # LAG202
            while True:
                async for item in stream():
                    await sleep(0)  # LAG202
            while True:
                if x:
                    await one()
                else:
                    await other()
                await sleep(0)  # LAG202
            while True:
                try:
                    await queue.get()
                except asyncio.TimeoutError:
                    await sleep(0)  # LAG202
            while True:
                try:
                    await sleep(0)  # LAG202
                finally:
                    await queue.get()
            while True:
                await asyncio.gather(sleep(0), sleep(0))  # LAG202
            while True:
                while True:
                    item = await queue.get()
                    if item is None: break
                await sleep(0)  # LAG202
            while True:
                match x:
                    case 1: await one()
                    case _: await other()
                await sleep(0)  # LAG202

        async def leaves(done):
            while True:
                if done():
                    await sleep(0)  # LAG202
                    break
                work()
            while True:
                if done():
                    return await sleep(0)  # LAG202
            while x:
                work()
            else:
                await sleep(0)  # LAG202

        async def makes(done):
            while not done():
                async def inner():
                    await sleep(0)  # LAG202
                later(lambda: sleep(0))
                class Inner:
                    async def method(self):
                        await sleep(0)  # LAG202
                every = (sleep(0) for _ in x)
                await inner()

        async def yields():
            while True:
                yield 1
                await sleep(0)  # LAG202
        """
    )


def test_only_the_loop_that_polls_is_blamed():
    agrees(
        """\
        import asyncio

        async def main(queue):
            while True:
                await queue.get()
                while not queue.empty():
                    await asyncio.sleep(0)  # LAG201
                await asyncio.sleep(0)  # LAG204
        """
    )


# -- LAG204 --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bound", "operation", "advice"),
    [
        ("3", "await orders.put(x)", "leave it out"),
        ("3", "orders.put_nowait(x)",
         "await put() in place of put_nowait() and sleep(0)"),
        ("maxsize=most()", "orders.put_nowait(x)",
         "await put() in place of put_nowait() and sleep(0)"),
        ("3", "await orders.get()", "leave it out"),
        ("", "await orders.put(x)", "leave it out and bound the queue"),
        ("", "orders.put_nowait(x)",
         "bound the queue, and await put() in place of both"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("attribute", [False, True])
def test_what_to_do_in_place_of_sleep(bound, operation, advice, attribute):
    """A channel is known by what makes it, whatever it is called."""
    name = "self.orders" if attribute else "orders"
    source = "\n".join(
        [
            "import asyncio",
            "async def main(self, source):",
            f" {name} = asyncio.Queue({bound})",
            " start(orders)",
            " async for x in source:",
            f"  {operation.replace('orders', name)}",
            "  await asyncio.sleep(0)",
        ]
    )
    (finding,) = check_source(source, select=["LAG204"])
    assert finding.message.partition("keep up: ")[2] == advice
    assert len(finding.message) <= 120
    assert "bound" not in finding.message or not bound


def test_a_queue_that_is_handed_on_and_one_from_elsewhere():
    source = """\
import anyio, asyncio
async def main():
    both = asyncio.Queue(2)
    send, receive = anyio.create_memory_object_stream(5)
    start(produce(both, send))
async def produce(first, second, queue, mail):
    while True:
        await first.put(1)
        await asyncio.sleep(0)
    for number in range(9):
        second.send_nowait(number)
        await anyio.sleep(0)
    while True:
        await queue.put(1)
        await asyncio.sleep(0)
    while True:
        await mail.send(1)
        await asyncio.sleep(0)
"""
    findings = check_source(source, select=["LAG204", "LAG202"])
    said = [
        (one.line, one.code, one.message.partition("keep up: ")[2]) for one in findings
    ]
    assert said == [
        (9, "LAG204", "leave it out"),
        (12, "LAG204", "await send() in place of send_nowait() and sleep(0)"),
        (15, "LAG204", "leave it out, and see that the queue has a bound"),
        (18, "LAG202", ""),
    ]


def test_the_sleep_of_tornado():
    source = """\
from tornado import gen, queues
numbers = queues.Queue(1)
async def produce():
    for number in range(10):
        await numbers.put(number)
        await gen.sleep(0)
async def wait(this):
    while not this.ready:
        await gen.sleep(0)
"""
    found = [(one.line, one.code) for one in check_source(source)]
    assert found == [(6, "LAG204"), (9, "LAG201")]
