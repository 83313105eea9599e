"""Answers to exercise 03-modify, right and wrong."""

STUB = "a part that need not wait beside others needs no task"

RIGHT = """
## with a group
async def handle(user, price, stock):
    async with asyncio.TaskGroup() as group:
        task = group.create_task(stock())
        name, cost = (await user(), await price())
    return [name, cost, task.result()]
"""

WRONG = """
## a bare create_task => user raised; still running afterwards: 1 task
async def handle(user, price, stock):
    price_task = asyncio.create_task(price())
    name = await user()
    left = await stock()
    return name, await price_task, left
## a bare create_task, cancelled if stock raises only => asyncio.TaskGroup cancels the others and waits for them
async def handle(user, price, stock):
    name_task = asyncio.create_task(price())
    name = await user()
    try:
        left = await stock()
    except BaseException:
        name_task.cancel()
        raise
    return name, await name_task, left
## a task for what does not wait => what waits must wait at the same time
async def handle(user, price, stock):
    async with asyncio.TaskGroup() as group:
        name_task = group.create_task(user())
        cost = await price()
        left = await stock()
    return name_task.result(), cost, left
## swallows what the task raises => do not wait for the others first
async def handle(user, price, stock):
    price_task = asyncio.create_task(price())
    try:
        name, left = await user(), await stock()
    finally:
        found = await asyncio.wait([price_task])
    cost = None if price_task.exception() else price_task.result()
    return name, cost, left
## an error that comes when all are done => user raised after 0.000 s, and handle() after 0.030 s
async def handle(user, price, stock):
    price_task = asyncio.create_task(price())
    try:
        name, left = await user(), await stock()
    finally:
        await asyncio.wait([price_task])
    return name, price_task.result(), left
## awaits the task before it begins with stock => what waits must wait at the same time
async def handle(user, price, stock):
    price_task = asyncio.create_task(price())
    try:
        return await user(), await price_task, await stock()
    finally:
        price_task.cancel()
        await asyncio.wait([price_task])
## an error of the task that comes after stock => do not wait for the others first
async def handle(user, price, stock):
    price_task = asyncio.create_task(price())
    try:
        name, left = await user(), await stock()
        return name, await price_task, left
    finally:
        price_task.cancel()
        await asyncio.wait([price_task])
## a gather of two => a part that need not wait beside others needs no task
async def handle(user, price, stock):
    return await user(), *await asyncio.gather(price(), stock())
## all gathered => it made 3 tasks, and 1 would do
async def handle(user, price, stock):
    return await asyncio.gather(user(), price(), stock())
## in another order => in the order of the parts
async def handle(user, price, stock):
    task = asyncio.create_task(stock())
    return (await price(), await user(), await task)
## without waiting => still running at the end: 1 task
async def handle(user, price, stock):
    asyncio.create_task(asyncio.sleep(1))
    return ('Ada', 12.5, 3)
## forgotten => returned None
async def all_gathered(user, price, stock):
    return await asyncio.gather(user(), price(), stock())
async def handle(user, price, stock):
    await all_gathered(user, price, stock)
## lambda *_: 1 => handle is a plain function
handle = lambda *_: 1
"""
