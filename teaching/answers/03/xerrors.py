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

RIGHT = """
## waits until one fails, then cancels
async def all_or_nothing(parts):
    tasks = [asyncio.ensure_future(part()) for part in parts]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
"""

WRONG = """
## a group comes out => raised a group
async def all_or_nothing(parts):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(part()) for part in parts]
    return [task.result() for task in tasks]
## cancels and does not wait => at 1 s
async def all_or_nothing(parts):
    tasks = [asyncio.create_task(part()) for part in parts]
    try:
        return list(await asyncio.gather(*tasks))
    except Exception:
        for task in tasks:
            task.cancel()
        raise
## in sequence => all end well: returned ['part 0', 'part 1'], at 3 s
async def all_or_nothing(parts):
    return [await part() for part in parts]
## errors are results => part 0 would take 9 s: returned
async def all_or_nothing(parts):
    tasks = (part() for part in parts)
    return await asyncio.gather(*tasks, return_exceptions=True)
"""
