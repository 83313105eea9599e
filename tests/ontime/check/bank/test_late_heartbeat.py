"""The extra exercises of chapter 4."""

from __future__ import annotations

from tests.ontime.check.bank.bank import Answers, Wrong
from tests.ontime.check.bank.mistakes import changed

WRONG: Wrong = {
    "04-xslices": {
        "one iteration": (
            "def worst(jobs, slices, cpu): return jobs * cpu / slices",
            "touches three iterations",
        ),
        "always three": (
            "def worst(jobs, slices, cpu): return 3 * jobs * cpu / slices",
            "there are fewer full iterations",
        ),
        "one slice of one job": (
            "def worst(jobs, slices, cpu): return cpu / slices",
            "one iteration runs a slice of every job",
        ),
    },
    "04-xevery": {
        "takes off how long the work took": (
            """
async def every(interval, work):
    loop = asyncio.get_running_loop()
    while True:
        began = loop.time()
        await work()
        await asyncio.sleep(interval - (loop.time() - began))
""",
            "the second work takes 2.5 s: it began at 0, 1, 3.5",
        ),
        "catches up in a burst": (
            """
async def every(interval, work):
    loop = asyncio.get_running_loop()
    due = loop.time()
    while True:
        await work()
        due += interval
        await asyncio.sleep(due - loop.time())
""",
            "what was missed stays missed",
        ),
        "sleeps first": (
            """
async def every(interval, work):
    while True:
        await asyncio.sleep(interval)
        await work()
""",
            "the first tick is at 0",
        ),
        "two at a time": (
            """
async def every(interval, work):
    loop = asyncio.get_running_loop()
    start, n = loop.time(), 0
    async with asyncio.TaskGroup() as group:
        while True:
            group.create_task(work())
            n += 1
            await asyncio.sleep(start + n * interval - loop.time())
""",
            "the second work takes 2.5 s: it began at 0, 1, 2",
        ),
        "ends": (
            "async def every(interval, work):\n    await work()",
            "ended by itself after 1 ticks",
        ),
    },
    "04-xfair": {
        "a stack": (
            """
class Fair:
    def __init__(self):
        self.jobs = []
    def put(self, customer, job):
        self.jobs.append(job)
    def get(self):
        return self.jobs.pop()
    def __len__(self):
        return len(self.jobs)
""",
            "a line for each customer",
        ),
        "the first customer first": (
            """
class Fair:
    def __init__(self):
        self.lines = {}
    def put(self, customer, job):
        self.lines.setdefault(customer, deque()).append(job)
    def get(self):
        for line in self.lines.values():
            if line:
                return line.popleft()
        raise LookupError
    def __len__(self):
        return sum(map(len, self.lines.values()))
""",
            "who had a turn goes to the end",
        ),
        "counts customers": (
            """
class Fair:
    def __init__(self):
        self.lines = {}
    def put(self, customer, job):
        self.lines.setdefault(customer, deque()).append(job)
    def get(self):
        customer = next(iter(self.lines))
        line = self.lines.pop(customer)
        job = line.popleft()
        if line:
            self.lines[customer] = line
        return job
    def __len__(self):
        return len(self.lines)
""",
            "len() says 2",
        ),
        "a turn for each job that came": (
            """
class Fair:
    def __init__(self):
        self.lines, self.turns = {}, deque()
    def put(self, customer, job):
        self.lines.setdefault(customer, deque()).append(job)
        if customer not in self.turns:
            self.turns.append(customer)
    def get(self):
        customer = self.turns.popleft()
        line = self.lines[customer]
        job = line.popleft()
        if line:
            self.turns.appendleft(customer)
        return job
    def __len__(self):
        return sum(map(len, self.lines.values()))
""",
            "who had a turn goes to the end",
        ),
    },
    "04-xworkers": {
        "to fill the thread, whatever it costs": (
            "def workers(wait, cpu, late): return -(-(wait + cpu) // cpu)",
            "all workers may wake together",
        ),
        "as many as may be late": (
            "def workers(wait, cpu, late): return max(1, late // cpu)",
            "more bring nothing",
        ),
        "rounds down": (
            """
def workers(wait, cpu, late):
    return max(1, min((wait + cpu) // cpu, late // cpu))
""",
            "the thread is not yet busy",
        ),
        "none": (
            """
def workers(wait, cpu, late):
    return min(-(-(wait + cpu) // cpu), late // cpu)
""",
            "at least one",
        ),
    },
    "04-xsettle": {
        "gather with a semaphore": (
            """
async def settle(jobs, workers):
    guard = asyncio.Semaphore(workers)
    async def one(job):
        async with guard:
            return await job()
    return await asyncio.gather(*map(one, jobs), return_exceptions=True)
""",
            "a beat is 1.",
        ),
        "workers that do not give way": (
            changed("04-xsettle", ("            await asyncio.sleep(0)\n", "")),
            "a job that does not wait does not let others in",
        ),
        "in the order in which they end": (
            """
async def settle(jobs, workers):
    left, outcomes = deque(jobs), []
    async def worker():
        while left:
            try:
                outcomes.append(await left.popleft()())
            except Exception as error:
                outcomes.append(error)
            await asyncio.sleep(0)
    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
    return outcomes
""",
            "one job of 1 s and eight of 0.2 s: the outcomes are",
        ),
        "in batches": (
            """
async def settle(jobs, workers):
    outcomes = []
    for start in range(0, len(jobs), workers):
        batch = jobs[start:start + workers]
        outcomes += await asyncio.gather(
            *(job() for job in batch), return_exceptions=True)
    return outcomes
""",
            "one job of 1 s and eight of 0.2 s: it took 1.4 s",
        ),
        "one after the other": (
            """
async def settle(jobs, workers):
    outcomes = []
    for job in jobs:
        try:
            outcomes.append(await job())
        except Exception as error:
            outcomes.append(error)
        await asyncio.sleep(0)
    return outcomes
""",
            "1 were under way at most, not 3",
        ),
    },
}


class TestAnswers(Answers):
    wrong = WRONG
