"""Solutions of the extra exercises of chapter 2: the text of the cell, by name."""

SOLUTIONS = {
    "02-xcontext": """
async def offload(pool, function, *args):
    loop = asyncio.get_running_loop()
    context = contextvars.copy_context()
    return await loop.run_in_executor(pool, context.run, function, *args)
""",
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
