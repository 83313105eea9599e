"""Solutions of the extra exercises of chapter 4: the text of the cell, by name."""

SOLUTIONS = {
    "04-xslices": """
def worst(jobs, slices, cpu):
    return jobs * cpu / slices * min(3, slices)
""",
    "04-xevery": """
async def every(interval, work):
    loop = asyncio.get_running_loop()
    start = loop.time()
    while True:
        await work()
        ticks = (loop.time() - start) // interval + 1
        await asyncio.sleep(start + ticks * interval - loop.time())
""",
    "04-xfair": """
class Fair:
    def __init__(self):
        self.lines = {}  # in the order of their turns

    def put(self, customer, job):
        self.lines.setdefault(customer, deque()).append(job)

    def get(self):
        if not self.lines:
            raise LookupError("nothing waits")
        customer = next(iter(self.lines))
        line = self.lines.pop(customer)
        job = line.popleft()
        if line:
            self.lines[customer] = line
        return job

    def __len__(self):
        return sum(map(len, self.lines.values()))
""",
    "04-xworkers": """
def workers(wait, cpu, late):
    full = -(-(wait + cpu) // cpu)
    return max(1, min(full, late // cpu))
""",
    "04-xsettle": """
async def settle(jobs, workers):
    left, outcomes = deque(enumerate(jobs)), {}

    async def worker():
        while left:
            place, job = left.popleft()
            try:
                outcomes[place] = await job()
            except Exception as error:
                outcomes[place] = error
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
    return [outcomes[place] for place in sorted(outcomes)]
""",
}
