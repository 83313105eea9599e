"""Answers to exercise 02-xslices, right and wrong."""

# Why this works: The loop's clock is asked after each item, so a long item pauses at
# once and short ones share a slice. The time is taken anew after each pause.
SOLUTION = """
async def in_slices(items, work, budget):
    loop = asyncio.get_running_loop()
    results, paused = [], loop.time()
    for item in items:
        results.append(work(item))
        if loop.time() - paused >= budget:
            await asyncio.sleep(0)
            paused = loop.time()
    return results
"""

STUB = "a pause only when the budget is used up"

RIGHT = {}

WRONG = {
    "without: for item in items:": (
        """
async def in_slices(items, work, budget):
    loop = asyncio.get_running_loop()
    results, paused = ([], loop.time())
    pass
    return results
""",
        "one result for each item",
    ),
    "never pauses": (
        """
async def in_slices(items, work, budget):
    return [work(item) for item in items]
""",
        "held the loop for 200 ms at a stretch",
    ),
    "pauses after each": (
        """
async def in_slices(items, work, budget):
    results = []
    for item in items:
        results.append(work(item))
        await asyncio.sleep(0)
    return results
""",
        "pauses; 12 are enough",
    ),
    "does not begin anew after a pause": (
        """
async def in_slices(items, work, budget):
    loop = asyncio.get_running_loop()
    begun, results = loop.time(), []
    for item in items:
        results.append(work(item))
        if loop.time() - begun >= budget:
            await asyncio.sleep(0)
    return results
""",
        "a pause only when the budget is used up",
    ),
    "sleeps for a time": (
        SOLUTION.replace("asyncio.sleep(0)", "asyncio.sleep(0.001)"),
        "sleep(0) is one iteration",
    ),
    "looks at the cost of one item": (
        """
async def in_slices(items, work, budget):
    loop = asyncio.get_running_loop()
    results = []
    for item in items:
        begun = loop.time()
        results.append(work(item))
        if loop.time() - begun >= budget:
            await asyncio.sleep(0)
    return results
""",
        "count from the last pause",
    ),
}
