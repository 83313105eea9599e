"""Answers to exercise 05-xcrash, right and wrong."""

# Why this works: The producer waits in `put` inside the task group. When the consumer
# raises, the group cancels the producer, in `put` or in the source, and raises the
# error. `consumer.cancel()` at the end is for the good day: the consumer never ends
# by itself.
SOLUTION = """
async def feed(source, handle):
    queue = asyncio.Queue(maxsize=1)

    async def consume():
        while True:
            item = await queue.get()
            await handle(item)
            queue.task_done()

    async with asyncio.TaskGroup() as tasks:
        consumer = tasks.create_task(consume())
        async for item in source:
            await queue.put(item)
        await queue.join()
        consumer.cancel()
"""

STUB = "the consumer has died"

RIGHT = {}

WRONG = {
    "the error is swallowed": (
        SOLUTION.replace(
            "            await handle(item)\n",
            "            try:\n                await handle(item)\n            except Exception:\n                pass\n",
        ),
        "returned as if nothing had been",
    ),
    "the consumer is never told to end": (
        SOLUTION.replace("consumer.cancel()", "consumer.done()"),
        "waits for ever",
    ),
    "nobody waits for the last items": (
        SOLUTION.replace("        await queue.join()\n", ""),
        "had been handled, each once and in order, when feed() returned",
    ),
    "no bound": (
        SOLUTION.replace("maxsize=1", "maxsize=0"),
        "a queue without a bound takes all that comes",
    ),
    "no queue": (
        """
async def feed(source, handle):
    async for item in source:
        await handle(item)
""",
        "handle an item while the next one is awaited",
    ),
    "the error waits for the source": (
        """
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
""",
        "has to stop the producer, wherever it waits",
    ),
}
