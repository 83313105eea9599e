"""Answers to exercise 03-xerrors, right and wrong."""

# Why this works: A `TaskGroup` cancels the others *and waits* until they have ended.
# It raises a group, and the one error is taken out of it. The stub's `gather` lets
# the others run on.
SOLUTION = """
async def all_or_nothing(parts):
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(part()) for part in parts]
    except BaseExceptionGroup as several:
        raise several.exceptions[0] from None
    return [task.result() for task in tasks]
"""

STUB = "gather() lets the others go on when one has failed"

RIGHT = {}

WRONG = {
    "a group comes out": (
        """
async def all_or_nothing(parts):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(part()) for part in parts]
    return [task.result() for task in tasks]
""",
        "raised a group",
    ),
    "cancels and does not wait": (
        """
async def all_or_nothing(parts):
    tasks = [asyncio.create_task(part()) for part in parts]
    try:
        return list(await asyncio.gather(*tasks))
    except Exception:
        for task in tasks:
            task.cancel()
        raise
""",
        "at 1 s",
    ),
    "in sequence": (
        """
async def all_or_nothing(parts):
    return [await part() for part in parts]
""",
        "all end well: returned ['part 0', 'part 1'], at 3 s",
    ),
    "errors are results": (
        """
async def all_or_nothing(parts):
    tasks = (part() for part in parts)
    return await asyncio.gather(*tasks, return_exceptions=True)
""",
        "part 0 would take 9 s: returned",
    ),
}
