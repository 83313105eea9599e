"""Plausible wrong answers to the exercises of chapter 3; each must fail its check."""

ANSWERS = {
    "03-predict": {
        "the longer of the two": """
def wall(parts, wait, cpu, at_once):
    return max(wait, parts * cpu) if at_once else parts * (wait + cpu)
""",
        "no parts wait too": (
            """
def wall(parts, wait, cpu, at_once):
    return wait + parts * cpu if at_once else parts * (wait + cpu)
""",
            "with no parts nobody waits",
        ),
        "the wait of the others is free": """
def wall(parts, wait, cpu, at_once):
    return wait + parts * cpu if parts else 0
""",
        "computing at once, too": (
            """
def wall(parts, wait, cpu, at_once):
    return wait + cpu if at_once else parts * (wait + cpu)
""",
            "thread",
        ),
        "gather gains nothing": (
            """
def wall(parts, wait, cpu, at_once):
    return parts * (wait + cpu)
""",
            "the same seconds",
        ),
        "the CPU time is forgotten": """
def wall(parts, wait, cpu, at_once):
    return wait if at_once else parts * wait
""",
    },
    "03-parsons": {
        "the clock starts in the loop": "order = [5, 7, 2, 9, 4, 1]",
        "returns before it has called": "order = [5, 7, 9, 1, 2, 4]",
        "no first call": "order = [5, 9, 2, 4, 1]",
        "wall time": (
            """
order = [5, 7, 3, 2, 4, 1]
""",
            "read from the same clock",
        ),
        "the first call counts": (
            """
order = [5, 9, 7, 2, 4, 1]
""",
            "the first call fills caches",
        ),
        "all calls together": (
            """
order = [5, 7, 9, 2, 4, 6]
""",
            "the cost of all calls together",
        ),
        "never awaited": (
            """
order = [5, 7, 9, 2, 8, 1]
""",
            "without await",
        ),
    },
    "03-fix": {
        "takes all of the latency for CPU time": (
            """
def clients(latency, waiting, rate):
    return 1 / (latency * rate)
""",
            "free for others",
        ),
        "adds the waiting": """
def clients(latency, waiting, rate):
    return 1 / ((latency + waiting) * rate)
""",
        "whole clients only": """
def clients(latency, waiting, rate):
    return int(1 / ((latency - waiting) * rate))
""",
        "only the waiting": """
def clients(latency, waiting, rate):
    return 1 / (waiting * rate) if waiting else 1 / (latency * rate)
""",
        "the rate is forgotten": (
            """
def clients(latency, waiting, rate):
    return 1 / (latency - waiting)
""",
            "costs twice as much",
        ),
        "the rate the wrong way round": (
            """
def clients(latency, waiting, rate):
    return rate / (latency - waiting)
""",
            "fewer clients",
        ),
    },
    "03-modify": {
        "a bare create_task": (
            """
async def handle(user, price, stock):
    price_task = asyncio.create_task(price())
    name = await user()
    left = await stock()
    return name, await price_task, left
""",
            "user raised; still running afterwards: 1 task",
        ),
        "a bare create_task, cancelled if stock raises only": """
async def handle(user, price, stock):
    name_task = asyncio.create_task(price())
    name = await user()
    try:
        left = await stock()
    except BaseException:
        name_task.cancel()
        raise
    return name, await name_task, left
""",
        "a task for what does not wait": """
async def handle(user, price, stock):
    async with asyncio.TaskGroup() as group:
        name_task = group.create_task(user())
        cost = await price()
        left = await stock()
    return name_task.result(), cost, left
""",
        "swallows what the task raises": """
async def handle(user, price, stock):
    price_task = asyncio.create_task(price())
    try:
        name, left = await user(), await stock()
    finally:
        found = await asyncio.wait([price_task])
    cost = None if price_task.exception() else price_task.result()
    return name, cost, left
""",
        "an error that comes when all are done": (
            """
async def handle(user, price, stock):
    price_task = asyncio.create_task(price())
    try:
        name, left = await user(), await stock()
    finally:
        await asyncio.wait([price_task])
    return name, price_task.result(), left
""",
            "user raised after 0.000 s, and handle() after 0.030 s",
        ),
        "awaits the task before it begins with stock": """
async def handle(user, price, stock):
    price_task = asyncio.create_task(price())
    try:
        return await user(), await price_task, await stock()
    finally:
        price_task.cancel()
        await asyncio.wait([price_task])
""",
        "an error of the task that comes after stock": """
async def handle(user, price, stock):
    price_task = asyncio.create_task(price())
    try:
        name, left = await user(), await stock()
        return name, await price_task, left
    finally:
        price_task.cancel()
        await asyncio.wait([price_task])
""",
        "all in sequence": (
            """
async def handle(user, price, stock):
    return await user(), await price(), await stock()
""",
            "what waits must wait at the same time",
        ),
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
        "a task for each part": """
async def economical(parts):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(part()) for part, _ in parts]
    return [task.result() for task in tasks]
""",
        "calls first what does not wait, and forgets to wait together": """
async def economical(parts):
    results = [await p() if not waits else None for p, waits in parts]
    for n, (part, waits) in enumerate(parts):
        if waits:
            results[n] = await part()
    return results
""",
        "keeps an error as a result": """
async def economical(parts):
    waiting = [n for n, (_, waits) in enumerate(parts) if waits]
    results = [None] * len(parts)
    found = await asyncio.gather(
        *(parts[n][0]() for n in waiting), return_exceptions=True)
    for n, result in zip(waiting, found):
        results[n] = result
    for n, (part, waits) in enumerate(parts):
        if not waits:
            results[n] = await part()
    return results
""",
        "gather": (
            """
async def economical(parts):
    return await asyncio.gather(*(part() for part, _ in parts))
""",
            "it made 1 task, and 0 would do",
        ),
        "one after the other": (
            """
async def economical(parts):
    return [await part() for part, _ in parts]
""",
            "what waits must wait at the same time",
        ),
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
        "an error that comes when all are done": """
async def economical(parts):
    tasks = {n: asyncio.create_task(part())
             for n, (part, waits) in enumerate(parts) if waits}
    try:
        rest = {n: await part()
                for n, (part, waits) in enumerate(parts) if not waits}
    finally:
        if tasks:
            await asyncio.wait(tasks.values())
    done = {n: task.result() for n, task in tasks.items()} | rest
    return [done[n] for n in range(len(parts))]
""",
        "an error that waits for the parts before it": (
            """
async def economical(parts):
    tasks = [asyncio.create_task(part()) if waits else None
             for part, waits in parts]
    try:
        return [await (task or part())
                for task, (part, _) in zip(tasks, parts)]
    finally:
        for task in filter(None, tasks):
            task.cancel()
        await asyncio.gather(*filter(None, tasks), return_exceptions=True)
""",
            "raised after 0.000 s, and economical() after 0.500 s",
        ),
    },
}
