"""Solutions of the extra exercises of chapter 4: the text of the cell, by name.

Above each stand why it works, and what the check says of the stub.
"""

SOLUTIONS = {
    # Why this works: An iteration runs one slice of every job, `jobs * cpu / slices`
    # seconds. A beat meets three such iterations, or all of them if there are fewer:
    # `min(3, slices)`. The stub adds up all the work, as if the loop never looked at
    # its timers.
    # Of the stub the check says: 10 jobs of 0.5 s in 5 slices: the worst beat is 3.000
    # s late, and your function says 5.000. Its hint: after each slice the loop looks at
    # its timers: slices do help.
    "04-xslices": """
def worst(jobs, slices, cpu):
    return jobs * cpu / slices * min(3, slices)
""",
    # Why this works: Each tick is calculated from the start, so the length of the work
    # does not add up. `// interval + 1` is the next tick that has not passed, so none
    # is made up for. The stub sleeps for an interval *after* the work.
    # Of the stub the check says: work of 0.5 s, every 2 s: it began at 0, 2.5, 5, 7.5,
    # 10, 12.5 . Its hint: sleep until the next multiple, not for an interval after the
    # work.
    "04-xevery": """
async def every(interval, work):
    loop = asyncio.get_running_loop()
    start = loop.time()
    while True:
        await work()
        ticks = (loop.time() - start) // interval + 1
        await asyncio.sleep(start + ticks * interval - loop.time())
""",
    # Why this works: A dict keeps its keys in the order in which they came. A customer
    # is taken out for a turn, and put back at the end as long as jobs are left. The
    # stub has one line for all.
    # Of the stub the check says: big had put five jobs and small one; they came as
    # ['big 0', 'big 1', 'big 2', 'big 3'], not ['big 0', 'small 0', 'big 1', 'big 2'].
    # Its hint: a line for each customer; who had a turn goes to the end of the
    # customers.
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
    # Why this works: Two bounds. `(wait + cpu) / cpu`, rounded up, fill the thread.
    # `late // cpu` is rounded down, since all may wake together. The smaller one, and
    # at least one worker. The stub has the first bound only.
    # Of the stub the check says: wait 90 ms, compute 10 ms, at most 50 ms late: 5 are
    # right, and it says 10. Its hint: all workers may wake together: their number times
    # cpu is the lateness.
    "04-xworkers": """
def workers(wait, cpu, late):
    full = -(-(wait + cpu) // cpu)
    return max(1, min(full, late // cpu))
""",
    # Why this works: An error is caught where the job is awaited, and kept at the job's
    # place, since jobs do not end in their order. The `sleep(0)` lets the loop look at
    # its timers after each job. Without it a worker takes all the jobs that never wait
    # in one step. The stub lets one error end the group.
    # Of the stub the check says: a job failed, and settle() raised ExceptionGroup. Its
    # hint: catch the error of a job where it is awaited, and keep it as the outcome.
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
