"""Solutions of the extra exercises of chapter 2: the text of the cell, by name.

Above each stand why it works, and what the check says of the stub.
"""

SOLUTIONS = {
    # Why this works: run_in_executor does not take the context along, as
    # asyncio.to_thread does. A copy is made at each call, in the task of the caller,
    # and context.run calls the function inside it, in the pool that was handed in.
    # Of the stub the check says: three requests r0, r1 and r2 see ['nobody', 'nobody',
    # 'nobody'] in the thread. Its hint: run_in_executor does not take the context
    # along: contextvars.copy_context(), at each call, and run the function in it.
    "02-xcontext": """
async def offload(pool, function, *args):
    loop = asyncio.get_running_loop()
    context = contextvars.copy_context()
    return await loop.run_in_executor(pool, context.run, function, *args)
""",
    # Why this works: `shield` lets the time-out end the *waiting* and leaves the task,
    # so there is something to wait for afterwards. The `finally` sets the event however
    # the block ends, and then waits for the thread.
    # Of the stub the check says: work of 10 s, a limit of 1 s: TimeoutError at 1 s, and
    # the thread works on. Wanted: TimeoutError at 1.2 s. Its hint: a cancelled await
    # forgets the thread: await it through asyncio.shield(), or look at it with
    # asyncio.wait(), so that you can still wait for its end.
    "02-xstop": """
async def compute(offload, work, seconds):
    stop = threading.Event()
    running = asyncio.create_task(offload(work, stop))
    try:
        async with asyncio.timeout(seconds):
            return await asyncio.shield(running)
    finally:
        stop.set()
        await asyncio.wait([running])
""",
    # Why this works: The loop's clock is asked after each item, so a long item pauses
    # at once and short ones share a slice. The time is taken anew after each pause.
    # Of the stub the check says: 0.2 s of work had 20 pauses; 12 are enough. Its hint:
    # a pause only when the budget is used up.
    "02-xslices": """
async def in_slices(items, work, budget):
    loop = asyncio.get_running_loop()
    results, paused = [], loop.time()
    for item in items:
        results.append(work(item))
        if loop.time() - paused >= budget:
            await asyncio.sleep(0)
            paused = loop.time()
    return results
""",
    # Why this works: Slices of `size` items are the fewest trips. The semaphore is held
    # for the whole trip, so two are out at a time; the list of tasks keeps the order.
    # Of the stub the check says: 10 items in batches of 3: 10 trips, not 4. Its hint:
    # as many items as may be share a trip; no trip for none.
    "02-xbatches": """
async def in_batches(offload, work, items, size):
    workers = asyncio.Semaphore(2)

    async def one(batch):
        async with workers:
            return await offload(work, batch)

    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(one(items[start : start + size]))
            for start in range(0, len(items), size)
        ]
    return [result for task in tasks for result in task.result()]
""",
    # Why this works: A place is taken before the first `await`, so nobody can slip in
    # between the question and the answer. The `finally` gives it back after an error
    # and a cancellation too.
    # Of the stub the check says: of six jobs, two workers and three places to wait, 0
    # were refused at once; it should be the sixth and no other. Its hint: count those
    # that run and those that wait, before you wait for anything.
    "02-xrefuse": """
class Front:
    def __init__(self, offload, workers, places):
        self.offload = offload
        self.free = asyncio.Semaphore(workers)
        self.places = workers + places

    async def run(self, work):
        if not self.places:
            raise BusyError
        self.places -= 1
        try:
            async with self.free:
                return await self.offload(work)
        finally:
            self.places += 1
""",
}
