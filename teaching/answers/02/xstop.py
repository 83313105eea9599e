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

RIGHT = """
## waits, and looks which came first
async def compute(offload, work, seconds):
    stop = threading.Event()
    running = asyncio.ensure_future(offload(work, stop))
    try:
        done, _ = await asyncio.wait([running], timeout=seconds)
        if not done:
            raise TimeoutError
        return running.result()
    finally:
        stop.set()
        while not running.done():
            await asyncio.wait([running])
"""

WRONG = """
## sets the event and does not wait => TimeoutError at 1 s, and the thread works on
async def compute(offload, work, seconds):
    stop = threading.Event()
    try:
        async with asyncio.timeout(seconds):
            return await offload(work, stop)
    finally:
        stop.set()
## waits for the thread and stops nothing => set the event when you give up
async def compute(offload, work, seconds):
    running = asyncio.create_task(offload(work, threading.Event()))
    done, _ = await asyncio.wait([running], timeout=seconds)
    if not done:
        await running
        raise TimeoutError
    return running.result()
## forgets that it may be cancelled itself => cancelled after 0.7 s: CancelledError at 0.7 s, and the thread works on
async def compute(offload, work, seconds):
    stop = threading.Event()
    running = asyncio.create_task(offload(work, stop))
    done, _ = await asyncio.wait([running], timeout=seconds)
    if not done:
        stop.set()
        await asyncio.wait([running])
        raise TimeoutError
    return running.result()
## shields and forgets => TimeoutError at 1 s, and the thread works on
async def compute(offload, work, seconds):
    stop = threading.Event()
    running = asyncio.create_task(offload(work, stop))
    async with asyncio.timeout(seconds):
        return await asyncio.shield(running)
## no error when the time is over => returned 'done' at 1.2 s. Wanted: TimeoutError
async def compute(offload, work, seconds):
    stop = threading.Event()
    running = asyncio.create_task(offload(work, stop))
    await asyncio.wait([running], timeout=seconds)
    stop.set()
    return await running
"""
