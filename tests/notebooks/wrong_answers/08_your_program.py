"""Plausible wrong answers to the exercises of chapter 8; each must fail its check."""

ANSWERS = {
    "08-predict": {
        "the last one's wait": """
def waited(jobs, cpu):
    return (jobs - 1) * cpu
""",
        "the makespan": """
def waited(jobs, cpu):
    return jobs * cpu
""",
        "each waits for all": """
def waited(jobs, cpu):
    return jobs * jobs * cpu
""",
        "counts itself": """
def waited(jobs, cpu):
    return jobs * (jobs + 1) / 2 * cpu
""",
    },
    "08-parsons": {
        "moves the victim": "order = [4, 2, 8, 5, 1]",
        "accuses the least": "order = [4, 3, 6, 5, 1]",
        "no change": "order = [4, 2, 7, 5, 1]",
        "returns nothing": "order = [4, 2, 6, 5]",
        "asks before it knows whom": "order = [4, 6, 2, 5, 1]",
    },
    "08-fix": {
        "sleeps after each, and so stays late": (
            """
async def client(ask, count, every):
    async def one():
        sent = elapsed()
        await ask()
        return elapsed() - sent
    tasks = []
    for _ in range(count):
        tasks.append(asyncio.create_task(one()))
        await asyncio.sleep(every)
    return await asyncio.gather(*tasks)
""",
            "must not stay late",
        ),
        "on a schedule, and counts from when it is sent": (
            """
async def client(ask, count, every):
    start = elapsed()
    async def one(due):
        await asyncio.sleep(due - elapsed())
        sent = elapsed()
        await ask()
        return elapsed() - sent
    due = [start + n * every for n in range(count)]
    return await asyncio.gather(*map(one, due))
""",
            "count from the moment when it was due",
        ),
        "waits for each answer": """
async def client(ask, count, every):
    start = elapsed()
    latencies = []
    for number in range(count):
        due = start + number * every
        await asyncio.sleep(max(0, due - elapsed()))
        await ask()
        latencies.append(elapsed() - due)
    return latencies
""",
        "counts from when it sent": """
async def client(ask, count, every):
    latencies = []
    for number in range(count):
        sent = elapsed()
        await ask()
        latencies.append(elapsed() - sent)
        await asyncio.sleep(every)
    return latencies
""",
        "sends all at once": """
async def client(ask, count, every):
    async def one():
        start = elapsed()
        await ask()
        return elapsed() - start

    return await asyncio.gather(*(one() for _ in range(count)))
""",
        "counts from the start of all": """
async def client(ask, count, every):
    start = elapsed()

    async def one(number):
        await asyncio.sleep(number * every)
        await ask()
        return elapsed() - start

    return await asyncio.gather(*map(one, range(count)))
""",
    },
    "08-modify": {
        "long pieces": "piece = 0.1",
        "three times the bound would be right": "piece = 0.060",
        "a little too long": "piece = 0.025",
        "short pieces": "piece = 0.005",
        "no pieces": "piece = 1",
        "milliseconds": "piece = 20",
    },
}
