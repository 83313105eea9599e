"""Answers to exercise 03-modify, right and wrong."""

STUB = "await without a task what need not wait beside others"

RIGHT = {
    "with a group": """
async def handle(user, price, stock):
    async with asyncio.TaskGroup() as group:
        task = group.create_task(stock())
        name, cost = (await user(), await price())
    return [name, cost, task.result()]
""",
}

WRONG = {
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
    "a bare create_task, cancelled if stock raises only": (
        """
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
        "asyncio.TaskGroup cancels the others and waits for them",
    ),
    "a task for what does not wait": (
        """
async def handle(user, price, stock):
    async with asyncio.TaskGroup() as group:
        name_task = group.create_task(user())
        cost = await price()
        left = await stock()
    return name_task.result(), cost, left
""",
        "what waits must wait at the same time",
    ),
    "swallows what the task raises": (
        """
async def handle(user, price, stock):
    price_task = asyncio.create_task(price())
    try:
        name, left = await user(), await stock()
    finally:
        found = await asyncio.wait([price_task])
    cost = None if price_task.exception() else price_task.result()
    return name, cost, left
""",
        "do not wait for the others first",
    ),
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
    "awaits the task before it begins with stock": (
        """
async def handle(user, price, stock):
    price_task = asyncio.create_task(price())
    try:
        return await user(), await price_task, await stock()
    finally:
        price_task.cancel()
        await asyncio.wait([price_task])
""",
        "what waits must wait at the same time",
    ),
    "an error of the task that comes after stock": (
        """
async def handle(user, price, stock):
    price_task = asyncio.create_task(price())
    try:
        name, left = await user(), await stock()
        return name, await price_task, left
    finally:
        price_task.cancel()
        await asyncio.wait([price_task])
""",
        "do not wait for the others first",
    ),
    "a gather of two": (
        """
async def handle(user, price, stock):
    return await user(), *await asyncio.gather(price(), stock())
""",
        "await without a task what need not wait beside others",
    ),
    "all gathered": (
        """
async def handle(user, price, stock):
    return await asyncio.gather(user(), price(), stock())
""",
        "it made 3 tasks, and 1 would do",
    ),
    "in another order": (
        """
async def handle(user, price, stock):
    task = asyncio.create_task(stock())
    return (await price(), await user(), await task)
""",
        "in the order of the parts",
    ),
    "without waiting": (
        """
async def handle(user, price, stock):
    asyncio.create_task(asyncio.sleep(1))
    return ('Ada', 12.5, 3)
""",
        "still running at the end: 1 task",
    ),
    "forgotten": (
        """
async def all_gathered(user, price, stock):
    return await asyncio.gather(user(), price(), stock())
async def handle(user, price, stock):
    await all_gathered(user, price, stock)
""",
        "returned None",
    ),
    "lambda *_: 1": ("handle = lambda *_: 1", "handle is a plain function"),
}
