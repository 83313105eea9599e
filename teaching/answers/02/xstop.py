"""Answers to exercise 02-xstop, right and wrong."""

# Why this works: `shield` lets the time-out end the *waiting* and leaves the task, so
# there is something to wait for afterwards. The `finally` sets the event however the
# block ends, and then waits for the thread.
SOLUTION = """
async def compute(offload, work, seconds):
    stop = threading.Event()
    running = asyncio.create_task(offload(work, stop))
    try:
        async with asyncio.timeout(seconds):
            return await asyncio.shield(running)
    finally:
        stop.set()
        await asyncio.wait([running])
"""

STUB = "a cancelled await forgets the thread"

RIGHT = {}

WRONG = {
    "sets the event and does not wait": (
        """
async def compute(offload, work, seconds):
    stop = threading.Event()
    try:
        async with asyncio.timeout(seconds):
            return await offload(work, stop)
    finally:
        stop.set()
""",
        "TimeoutError at 1 s, and the thread works on",
    ),
    "waits for the thread and stops nothing": (
        """
async def compute(offload, work, seconds):
    running = asyncio.create_task(offload(work, threading.Event()))
    done, _ = await asyncio.wait([running], timeout=seconds)
    if not done:
        await running
        raise TimeoutError
    return running.result()
""",
        "set the event when you give up",
    ),
    "forgets that it may be cancelled itself": (
        """
async def compute(offload, work, seconds):
    stop = threading.Event()
    running = asyncio.create_task(offload(work, stop))
    done, _ = await asyncio.wait([running], timeout=seconds)
    if not done:
        stop.set()
        await asyncio.wait([running])
        raise TimeoutError
    return running.result()
""",
        "cancelled after 0.7 s: CancelledError at 0.7 s, and the thread works on",
    ),
    "shields and forgets": (
        """
async def compute(offload, work, seconds):
    stop = threading.Event()
    running = asyncio.create_task(offload(work, stop))
    async with asyncio.timeout(seconds):
        return await asyncio.shield(running)
""",
        "TimeoutError at 1 s, and the thread works on",
    ),
    "no error when the time is over": (
        """
async def compute(offload, work, seconds):
    stop = threading.Event()
    running = asyncio.create_task(offload(work, stop))
    await asyncio.wait([running], timeout=seconds)
    stop.set()
    return await running
""",
        "returned 'done' at 1.2 s. Wanted: TimeoutError",
    ),
}
