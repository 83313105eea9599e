"""Plausible wrong answers to the exercises of chapter 3; each must fail its check."""

ANSWERS = {
    "03-predict": {
        "computing at once, too": """
def wall(parts, wait, cpu, at_once):
    return wait + cpu if at_once else parts * (wait + cpu)
""",
        "gather gains nothing": """
def wall(parts, wait, cpu, at_once):
    return parts * (wait + cpu)
""",
        "the CPU time is forgotten": """
def wall(parts, wait, cpu, at_once):
    return wait if at_once else parts * wait
""",
    },
    "03-parsons": {
        "wall time": """
order = [5, 7, 3, 2, 4, 1]
""",
        "the first call counts": """
order = [5, 9, 7, 2, 4, 1]
""",
        "all calls together": """
order = [5, 7, 9, 2, 4, 6]
""",
        "never awaited": """
order = [5, 7, 9, 2, 8, 1]
""",
    },
    "03-fix": {
        "only the waiting": """
def clients(latency, waiting, rate):
    return 1 / (waiting * rate) if waiting else 1 / (latency * rate)
""",
        "the rate is forgotten": """
def clients(latency, waiting, rate):
    return 1 / (latency - waiting)
""",
        "the rate the wrong way round": """
def clients(latency, waiting, rate):
    return rate / (latency - waiting)
""",
    },
    "03-modify": {
        "all in sequence": """
async def handle(user, price, stock):
    return await user(), await price(), await stock()
""",
        "a gather of two": """
async def handle(user, price, stock):
    return await user(), *await asyncio.gather(price(), stock())
""",
        "a task that is made too late": """
async def handle(user, price, stock):
    found = await stock()
    price_task = asyncio.create_task(price())
    return await user(), await price_task, found
""",
    },
    "03-make": {
        "gather": """
async def economical(parts):
    return await asyncio.gather(*(part() for part, _ in parts))
""",
        "one after the other": """
async def economical(parts):
    return [await part() for part, _ in parts]
""",
        "a group without its order": """
async def economical(parts):
    results = []
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(p()) for p, waits in parts if waits]
        results = [await p() for p, waits in parts if not waits]
    return results + [task.result() for task in tasks]
""",
        "tasks that are left behind by an error": """
async def economical(parts):
    found = [
        asyncio.create_task(part()) if waits else await part()
        for part, waits in parts
    ]
    return [
        await one if isinstance(one, asyncio.Task) else one for one in found
    ]
""",
    },
}
