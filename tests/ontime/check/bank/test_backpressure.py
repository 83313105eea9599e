"""The extra exercises of chapter 5."""

from __future__ import annotations

from tests.ontime.check.bank.bank import Answers, Right, Wrong
from tests.ontime.check.bank.mistakes import changed

ONE_BY_ONE = """
async def feed(source, handle):
    async for item in source:
        await handle(item)
"""

ASKED_BEFORE_EACH_PUT = """
async def feed(source, handle):
    queue = asyncio.Queue(maxsize=1)

    async def consume():
        while True:
            await handle(await queue.get())
            queue.task_done()

    consumer = asyncio.create_task(consume())
    async for item in source:
        while queue.full() and not consumer.done():
            await asyncio.wait([consumer], timeout=0.1)
        if consumer.done():
            consumer.result()
        queue.put_nowait(item)
    joined = asyncio.create_task(queue.join())
    await asyncio.wait([consumer, joined], return_when="FIRST_COMPLETED")
    joined.cancel()
    if consumer.done():
        consumer.result()
    consumer.cancel()
"""

WRONG: Wrong = {
    "05-xcrash": {
        "the error is swallowed": (
            changed(
                "05-xcrash",
                (
                    "            await handle(item)\n",
                    "            try:\n                await handle(item)\n"
                    "            except Exception:\n                pass\n",
                ),
            ),
            "returned as if nothing had been",
        ),
        "the consumer is never told to end": (
            changed("05-xcrash", ("consumer.cancel()", "consumer.done()")),
            "waits for ever",
        ),
        "nobody waits for the last items": (
            changed("05-xcrash", ("        await queue.join()\n", "")),
            "had been handled, each once and in order, when feed() returned",
        ),
        "no bound": (
            changed("05-xcrash", ("maxsize=1", "maxsize=0")),
            "a queue without a bound takes all that comes",
        ),
        "no queue": (ONE_BY_ONE, "handle an item while the next one is awaited"),
        "the error waits for the source": (
            ASKED_BEFORE_EACH_PUT,
            "has to stop the producer, wherever it waits",
        ),
    },
    "05-xrelay": {
        "what is given up is forgotten": (
            changed("05-xrelay", ("given_up.append(item)", "pass")),
            "neither came through nor were given up",
        ),
        "no patience": (
            changed(
                "05-xrelay",
                ("await queue.put(item)", "queue.put_nowait(item)"),
                ("TimeoutError", "asyncio.QueueFull"),
            ),
            "an item is given up after its patience: not at once",
        ),
        "a shield around put": (
            changed(
                "05-xrelay", ("queue.put(item)", "asyncio.shield(queue.put(item))")
            ),
            "came through and were given up too",
        ),
        "a poll": (
            changed(
                "05-xrelay",
                (
                    "                await queue.put(item)\n",
                    "                while queue.full():\n"
                    "                    await asyncio.sleep(0.001)\n"
                    "                queue.put_nowait(item)\n",
                ),
            ),
            "is polling",
        ),
    },
    "05-xend": {
        "None is the end": (
            changed("05-xend", ("END = object()", "END = None")),
            "an object of its own",
        ),
        "an item equals the end": (
            changed("05-xend", ("is not END", "!= END"), ("object()", "0")),
            "compared with 'is'",
        ),
        "no bound": (
            changed("05-xend", ("maxsize=1", "maxsize=0")),
            "keep the bound",
        ),
        "one worker too few": (
            changed(
                "05-xend",
                (
                    "range(workers):\n            tasks",
                    "range(max(1, workers - 1)):\n            tasks",
                ),
            ),
            "start all the workers",
        ),
        "the error is swallowed": (
            changed(
                "05-xend",
                (
                    "await handle(item)",
                    "try:\n                await handle(item)\n"
                    "            except OSError:\n                pass",
                ),
            ),
            "returned as if nothing had been",
        ),
    },
    "05-xshed": {
        "a function": (
            "\ndef Door(service, patience):\n    return None\n",
            "hand over Door itself",
        ),
        "one too many": (
            changed("05-xshed", (">= self.places", "> self.places")),
            "was let in and answered after",
        ),
        "rounded down": (
            changed("05-xshed", ("math.ceil", "int")),
            "rounded up to a whole number",
        ),
        "whoever waits does not count": (
            changed(
                "05-xshed",
                ("        self.inside += 1\n", ""),
                (
                    "            async with self.turn:\n",
                    "            async with self.turn:\n"
                    "                self.inside += 1\n",
                ),
            ),
            "count who is inside",
        ),
        "a failure keeps the place": (
            changed(
                "05-xshed",
                ("        try:\n", "        if True:\n"),
                ("return 200, await work()", "result = await work()"),
                (
                    "        finally:\n            self.inside -= 1",
                    "        self.inside -= 1\n        return 200, result",
                ),
            ),
            "give the place back in a finally",
        ),
        "all at once": (
            changed("05-xshed", ("async with self.turn", "if True")),
            "first come, first served",
        ),
    },
    "05-xdrain": {
        "it stays open": (
            changed("05-xdrain", ("        self.open = False\n", "")),
            "raise RuntimeError once stop() has begun",
        ),
        "what is under way is lost": (
            changed("05-xdrain", ("left = self.under_way", "left = []")),
            "the message that is under way is in no queue",
        ),
        "the whole grace": (
            changed(
                "05-xdrain",
                ("await self.queue.join()", "await asyncio.sleep(grace + 1)"),
            ),
            "wait for the queue, and not for the whole grace",
        ),
        "what was sent is given back": (
            changed("05-xdrain", ("            self.under_way = []\n", "")),
            "none that was sent",
        ),
        "out of order": (
            changed(
                "05-xdrain",
                ("left = self.under_way", "left = []"),
                ("        return left", "        return left + self.under_way"),
            ),
            "give the rest back in order",
        ),
        "the worker goes on": (
            changed(
                "05-xdrain",
                ("        self.worker.cancel()\n", ""),
                ("await asyncio.gather(self.worker, return_exceptions=True)", "pass"),
            ),
            "cancel it, and await it",
        ),
    },
}


RIGHT: Right = {
    "a relay with wait_for": (
        "05-xrelay",
        """
async def relay(source, queue, patience):
    given_up = []
    async for item in source:
        try:
            await asyncio.wait_for(queue.put(item), patience)
        except asyncio.TimeoutError:
            given_up.append(item)
    return given_up
""",
    ),
    "an end that is put back": (
        "05-xend",
        changed(
            "05-xend",
            (
                "await handle(item)\n",
                "await handle(item)\n        queue.put_nowait(END)\n",
            ),
            (
                "        for _ in range(workers):\n            await queue.put(END)\n",
                "        await queue.put(END)\n",
            ),
        ),
    ),
}


class TestAnswers(Answers):
    wrong = WRONG
    right = RIGHT
