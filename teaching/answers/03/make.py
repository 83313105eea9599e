"""Answers to exercise 03-make, right and wrong."""

STUB = "return all results"

RIGHT = {
    "tidy": """
async def economical(parts):
    tasks = [asyncio.ensure_future(part()) if waits else None for part, waits in parts]
    try:
        rest = [await part() for part, waits in parts if not waits]
        found = iter(await asyncio.gather(*filter(None, tasks)))
    except BaseException:
        for task in filter(None, tasks):
            task.cancel()
        await asyncio.gather(*filter(None, tasks), return_exceptions=True)
        raise
    others = iter(rest)
    return [next(found) if waits else next(others) for _, waits in parts]
""",
}

WRONG = {
    "results by the part": (
        """
async def economical(parts):
    results = {}
    async def keep(part):
        results[part] = await part()
    async with asyncio.TaskGroup() as tasks:
        for part, waits in parts:
            if waits:
                tasks.create_task(keep(part))
        for part, waits in parts:
            if not waits:
                await keep(part)
    return [results[part] for part, _ in parts]
""",
        "results come in the order of the parts",
    ),
    "a task for each part": (
        """
async def economical(parts):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(part()) for part, _ in parts]
    return [task.result() for task in tasks]
""",
        "await without a task what need not wait beside others",
    ),
    "calls first what does not wait, and forgets to wait together": (
        """
async def economical(parts):
    results = [await p() if not waits else None for p, waits in parts]
    for n, (part, waits) in enumerate(parts):
        if waits:
            results[n] = await part()
    return results
""",
        "what waits must wait at the same time",
    ),
    "keeps an error as a result": (
        """
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
        "do not wait for the others first",
    ),
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
    "a group without its order": (
        """
async def economical(parts):
    results = []
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(p()) for p, waits in parts if waits]
        results = [await p() for p, waits in parts if not waits]
    return results + [task.result() for task in tasks]
""",
        "the results come in the order of the parts",
    ),
    "tasks that are left behind by an error": (
        """
async def economical(parts):
    found = [
        asyncio.create_task(part()) if waits else await part()
        for part, waits in parts
    ]
    return [
        await one if isinstance(one, asyncio.Task) else one for one in found
    ]
""",
        "asyncio.TaskGroup cancels the others and waits for them",
    ),
    "an error that comes when all are done": (
        """
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
        "do not wait for the others first",
    ),
    "swallows": (
        """
async def economical(parts):
    found = await asyncio.gather(*(part() for part, waits in parts if waits), return_exceptions=True)
    rest = iter(found)
    results = []
    for part, waits in parts:
        try:
            results.append(next(rest) if waits else await part())
        except ZeroDivisionError:
            results.append(None)
    return results
""",
        "one of the parts raised, and economical() did not",
    ),
    "leaves tasks": (
        """
async def economical(parts):
    tasks = [asyncio.ensure_future(part()) for part, waits in parts if waits]
    rest = iter([await part() for part, waits in parts if not waits])
    found = iter(await asyncio.gather(*tasks))
    return [next(found) if waits else next(rest) for _, waits in parts]
""",
        "still running afterwards",
    ),
    "lambda parts: parts": (
        "economical = lambda parts: parts",
        "economical is a plain function",
    ),
}
