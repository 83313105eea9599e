"""Answers to exercise 05-xrelay, right and wrong."""

# Why this works: The time-out stands around `put` alone, so a slow source is not cut
# short. A `put` that is cancelled has not put, so the item is given up and in no
# queue.
SOLUTION = """
async def relay(source, queue, patience):
    given_up = []
    async for item in source:
        try:
            async with asyncio.timeout(patience):
                await queue.put(item)
        except TimeoutError:
            given_up.append(item)
    return given_up
"""

STUB = "an item is given up after its patience"

RIGHT = {
    "a relay with wait_for": """
async def relay(source, queue, patience):
    given_up = []
    async for item in source:
        try:
            await asyncio.wait_for(queue.put(item), patience)
        except asyncio.TimeoutError:
            given_up.append(item)
    return given_up
""",
}

WRONG = {
    "without: return given_up": (
        """
async def relay(source, queue, patience):
    given_up = []
    async for item in source:
        try:
            async with asyncio.timeout(patience):
                await queue.put(item)
        except TimeoutError:
            given_up.append(item)
    pass
""",
        "return the list of given up",
    ),
    "without: async for item in source:": (
        """
async def relay(source, queue, patience):
    given_up = []
    pass
    return given_up
""",
        "a time-out around anext(source) cancels the source itself",
    ),
    "what is given up is forgotten": (
        SOLUTION.replace("given_up.append(item)", "pass"),
        "neither came through nor were given up",
    ),
    "no patience": (
        SOLUTION.replace("await queue.put(item)", "queue.put_nowait(item)").replace(
            "TimeoutError", "asyncio.QueueFull"
        ),
        "an item is given up after its patience: not at once",
    ),
    "a shield around put": (
        SOLUTION.replace("queue.put(item)", "asyncio.shield(queue.put(item))"),
        "came through and were given up too",
    ),
    "a poll": (
        SOLUTION.replace(
            "                await queue.put(item)\n",
            "                while queue.full():\n                    await asyncio.sleep(0.001)\n                queue.put_nowait(item)\n",
        ),
        "is polling",
    ),
}
