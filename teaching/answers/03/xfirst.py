"""Answers to exercise 03-xfirst, right and wrong."""

# Why this works: The first that is done may have failed, so the wait is in a loop. A
# cancelled task has not ended yet, so `finally` waits for all of them. The stub does
# neither.
SOLUTION = """
async def first(sources):
    waiting = {asyncio.create_task(source()) for source in sources}
    every = list(waiting)
    try:
        while waiting:
            done, waiting = await asyncio.wait(
                waiting, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done:
                if not task.exception():
                    return task.result()
                last = task
        return last.result()
    finally:
        for task in every:
            task.cancel()
        await asyncio.gather(*every, return_exceptions=True)
"""

STUB = "cancel the others and wait until they have ended"

RIGHT = """
## as_completed
async def first(sources):
    tasks = [asyncio.create_task(source()) for source in sources]
    try:
        for task in asyncio.as_completed(tasks):
            try:
                return await task
            except Exception as error:
                last = error
        raise last
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
"""

WRONG = """
## cancels and does not wait => returned 'source 1', at 1 s
async def first(sources):
    tasks = [asyncio.create_task(source()) for source in sources]
    done, rest = await asyncio.wait(
        tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in rest:
        task.cancel()
    return done.pop().result()
## takes a failure for an answer => look at it and wait for the next
async def first(sources):
    tasks = [asyncio.create_task(source()) for source in sources]
    try:
        done, _ = await asyncio.wait(
            tasks, return_when=asyncio.FIRST_COMPLETED)
        return done.pop().result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
## cleans up only when it ends well => asyncio.wait() does not cancel what it waits for
async def first(sources):
    waiting = {asyncio.create_task(source()) for source in sources}
    while waiting:
        done, waiting = await asyncio.wait(
            waiting, return_when=asyncio.FIRST_COMPLETED)
        task = done.pop()
        if not task.exception():
            for other in waiting:
                other.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
            return task.result()
    return task.result()
## one after the other => sources of 3 and 1 s: returned 'source 0', at 3 s
async def first(sources):
    for source in sources:
        try:
            return await source()
        except Exception as error:
            last = error
    raise last
## nothing when all fail => both fail: returned None
-                last = task
-        return last.result()
"""
