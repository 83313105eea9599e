"""Answers to exercise 04-xevery, right and wrong."""

# Why this works: Each tick is calculated from the start, so the length of the work
# does not add up. `// interval + 1` is the next tick that has not passed, so none is
# made up for. The stub sleeps for an interval *after* the work.
SOLUTION = """
async def every(interval, work):
    loop = asyncio.get_running_loop()
    start = loop.time()
    while True:
        await work()
        ticks = (loop.time() - start) // interval + 1
        await asyncio.sleep(start + ticks * interval - loop.time())
"""

STUB = "sleep until the next multiple"

RIGHT = """
## counts the ticks
async def every(interval, work):
    loop = asyncio.get_running_loop()
    due = loop.time()
    while True:
        await work()
        due += interval
        while due < loop.time():
            due += interval
        await asyncio.sleep(due - loop.time())
"""

WRONG = """
## takes off how long the work took => the second work takes 2.5 s: it began at 0, 1, 3.5
async def every(interval, work):
    loop = asyncio.get_running_loop()
    while True:
        began = loop.time()
        await work()
        await asyncio.sleep(interval - (loop.time() - began))
## catches up in a burst => what was missed stays missed
async def every(interval, work):
    loop = asyncio.get_running_loop()
    due = loop.time()
    while True:
        await work()
        due += interval
        await asyncio.sleep(due - loop.time())
## sleeps first => the first tick is at 0
async def every(interval, work):
    while True:
        await asyncio.sleep(interval)
        await work()
## at a multiple takes it for the next one => ceil() gives it again
import math

async def every(interval, work):
    loop = asyncio.get_running_loop()
    start = loop.time()
    while True:
        await work()
        ticks = math.ceil((loop.time() - start) / interval)
        await asyncio.sleep(start + ticks * interval - loop.time())
## ends => ended by itself after 1 tick
async def every(interval, work):
    await work()
"""
