"""Answers to exercise 07-xlease, right and wrong."""

# Why this works: The lease has a task of its own, made at priority 3, so it waits for
# one computation and not for its turn among all. A third of the lease leaves room for
# that. The TaskGroup ends the work when renew raises; cancel ends the renewals.
SOLUTION = """
async def under_lease(steps, renew, lease):
    async def keep():
        while True:
            await asyncio.sleep(lease / 3)
            await renew()

    async with asyncio.TaskGroup() as tasks:
        with priority(3):
            keeper = tasks.create_task(keep())
        for step in steps:
            await step()
        keeper.cancel()
"""

STUB = "the lease waits in the queue with everybody else"

RIGHT = {
    "a keeper that cancels the work": """
async def under_lease(steps, renew, lease):
    async def keep():
        while True:
            await asyncio.sleep(lease / 4)
            await renew()

    async def work():
        for step in steps:
            await step()

    with priority(3):
        keeper = asyncio.create_task(keep())
    working = asyncio.create_task(work())
    try:
        await asyncio.wait([keeper, working], return_when="FIRST_COMPLETED")
        if keeper.done():
            keeper.result()
        await working
    finally:
        keeper.cancel()
        working.cancel()
""",
}

WRONG = {
    "without: working.cancel()": (
        """
async def under_lease(steps, renew, lease):

    async def keep():
        while True:
            await asyncio.sleep(lease / 4)
            await renew()

    async def work():
        for step in steps:
            await step()
    with priority(3):
        keeper = asyncio.create_task(keep())
    working = asyncio.create_task(work())
    try:
        await asyncio.wait([keeper, working], return_when='FIRST_COMPLETED')
        if keeper.done():
            keeper.result()
        await working
    finally:
        keeper.cancel()
        pass
""",
        "let a TaskGroup own it",
    ),
    "without: async with asyncio.TaskGroup() as tasks:": (
        """
async def under_lease(steps, renew, lease):

    async def keep():
        while True:
            await asyncio.sleep(lease / 3)
            await renew()
    pass
""",
        "await each step in turn",
    ),
    "a task, but not urgent": (
        SOLUTION.replace("with priority(3):", "if True:"),
        "made inside 'with priority(3)'",
    ),
    "everything is urgent": (
        SOLUTION.replace(
            "        for step in steps:", "            for step in steps:"
        ).replace("            await step()", "                await step()"),
        "the steps ran at priority 3",
    ),
    "nobody looks at the keeper": (
        """
async def under_lease(steps, renew, lease):
    async def keep():
        while True:
            await asyncio.sleep(lease / 3)
            await renew()

    with priority(3):
        keeper = asyncio.create_task(keep())
    for step in steps:
        await step()
    keeper.cancel()
    await asyncio.gather(keeper, return_exceptions=True)
""",
        "as if nothing had been",
    ),
    "the keeper goes on": (
        SOLUTION.replace(
            "    async with asyncio.TaskGroup() as tasks:\n        with",
            "    if tasks := asyncio:\n        with",
        ).replace("        keeper.cancel()", "        return keeper"),
        "cancel the task that keeps it",
    ),
    "far too often": (
        SOLUTION.replace("lease / 3", "0.01"),
        "each renewal is a call to the bus",
    ),
    "too seldom": (SOLUTION.replace("lease / 3", "lease"), "nobody renewed"),
}
