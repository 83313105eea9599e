"""Answers to exercise 03-make, right and wrong."""

STUB = "return all results"

RIGHT = """
## tidy
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
"""

WRONG = """
## waits with nothing to wait for => the answer came after 0.500 s
 async def economical(parts):
+    if not parts:
+        await asyncio.sleep(0.5)
## results by the part => results come in the order of the parts
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
## a task for each part => a part that need not wait beside others needs no task
async def economical(parts):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(part()) for part, _ in parts]
    return [task.result() for task in tasks]
## calls first what does not wait, and forgets to wait together => what waits must wait at the same time
async def economical(parts):
    results = [await p() if not waits else None for p, waits in parts]
    for n, (part, waits) in enumerate(parts):
        if waits:
            results[n] = await part()
    return results
## keeps an error as a result => do not wait for the others first
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
## gather => it made 1 task, and 0 would do
async def economical(parts):
    return await asyncio.gather(*(part() for part, _ in parts))
## one after the other => what waits must wait at the same time
async def economical(parts):
    return [await part() for part, _ in parts]
## a group without its order => the results come in the order of the parts
async def economical(parts):
    results = []
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(p()) for p, waits in parts if waits]
        results = [await p() for p, waits in parts if not waits]
    return results + [task.result() for task in tasks]
## tasks that are left behind by an error => asyncio.TaskGroup cancels the others and waits for them
async def economical(parts):
    found = [
        asyncio.create_task(part()) if waits else await part()
        for part, waits in parts
    ]
    return [
        await one if isinstance(one, asyncio.Task) else one for one in found
    ]
## an error that comes when all are done => do not wait for the others first
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
## swallows => one of the parts raised, and economical() did not
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
## leaves tasks => still running afterwards
async def economical(parts):
    tasks = [asyncio.ensure_future(part()) for part, waits in parts if waits]
    rest = iter([await part() for part, waits in parts if not waits])
    found = iter(await asyncio.gather(*tasks))
    return [next(found) if waits else next(rest) for _, waits in parts]
## lambda parts: parts => economical is a plain function
economical = lambda parts: parts
"""
