"""Answers to exercise 05-xend, right and wrong."""

# Why this works: Each worker takes one `END` and leaves. So there must be as many as
# workers. They come last, so no worker leaves while an item is before it.
SOLUTION = """
END = object()

async def work_off(items, handle, workers):
    queue = asyncio.Queue(maxsize=1)

    async def worker():
        while (item := await queue.get()) is not END:
            await handle(item)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(workers):
            tasks.create_task(worker())
        for item in items:
            await queue.put(item)
        for _ in range(workers):
            await queue.put(END)
"""

STUB = "one end is taken by one worker"

RIGHT = {
    "an end that is put back": SOLUTION.replace(
        "await handle(item)\n", "await handle(item)\n        queue.put_nowait(END)\n"
    ).replace(
        "        for _ in range(workers):\n            await queue.put(END)\n",
        "        await queue.put(END)\n",
    ),
}

WRONG = {
    "twice: tasks.create_task(worker())": (
        """
END = object()

async def work_off(items, handle, workers):
    queue = asyncio.Queue(maxsize=1)

    async def worker():
        while (item := (await queue.get())) is not END:
            await handle(item)
        queue.put_nowait(END)
    async with asyncio.TaskGroup() as tasks:
        for _ in range(workers):
            tasks.create_task(worker())
            tasks.create_task(worker())
        for item in items:
            await queue.put(item)
        await queue.put(END)
""",
        "a worker handles one item at a time",
    ),
    "without: async with asyncio.TaskGroup() as tasks:": (
        """
END = object()

async def work_off(items, handle, workers):
    queue = asyncio.Queue(maxsize=1)

    async def worker():
        while (item := (await queue.get())) is not END:
            await handle(item)
    pass
""",
        "items had been handled when work_off() returned",
    ),
    "None is the end": (
        SOLUTION.replace("END = object()", "END = None"),
        "an object of its own",
    ),
    "an item equals the end": (
        SOLUTION.replace("is not END", "!= END").replace("object()", "0"),
        "compared with 'is'",
    ),
    "no bound": (SOLUTION.replace("maxsize=1", "maxsize=0"), "keep the bound"),
    "one worker too few": (
        SOLUTION.replace(
            "range(workers):\n            tasks",
            "range(max(1, workers - 1)):\n            tasks",
        ),
        "start all the workers",
    ),
    "the error is swallowed": (
        SOLUTION.replace(
            "await handle(item)",
            "try:\n                await handle(item)\n            except OSError:\n                pass",
        ),
        "returned as if nothing had been",
    ),
}
