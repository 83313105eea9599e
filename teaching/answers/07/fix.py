"""Answers to exercise 07-fix, right and wrong."""

STUB = "leases and work have one priority"

RIGHT = {
    "with levels": """
async def serve(receive, keep_lease, process):
    async with asyncio.TaskGroup() as tasks:
        while (message := (await receive())) is not None:
            with priority(3):
                tasks.create_task(keep_lease(message))
            with priority(2):
                tasks.create_task(process(message))
""",
    "other numbers": """
async def serve(receive, keep_lease, process):

    async def work(message):
        await asyncio.gather(process(message))
    async with asyncio.TaskGroup() as tasks:
        with priority(-5):
            while (message := (await receive())) is not None:
                with priority(100):
                    tasks.create_task(keep_lease(message))
                with priority(7):
                    tasks.create_task(work(message))
""",
}

WRONG = {
    "one message at a time": (
        """
async def serve(receive, keep_lease, process):
    async with asyncio.TaskGroup() as tasks:
        while (message := await receive()) is not None:
            with priority(3):
                tasks.create_task(keep_lease(message))
            with priority(2):
                await process(message)
""",
        "while one message waits others compute",
    ),
    "leases that nobody waits for": (
        """
async def serve(receive, keep_lease, process):
    leases = []
    async with asyncio.TaskGroup() as tasks:
        while (message := await receive()) is not None:
            with priority(3):
                leases.append(asyncio.create_task(keep_lease(message)))
            with priority(2):
                tasks.create_task(process(message))
""",
        "and start each once",
    ),
    "the work more urgent than the leases": (
        """
async def serve(receive, keep_lease, process):
    async with asyncio.TaskGroup() as tasks:
        while (message := await receive()) is not None:
            with priority(2):
                tasks.create_task(keep_lease(message))
            with priority(3):
                tasks.create_task(process(message))
""",
        "leases need a higher priority than the work",
    ),
    "the second task inside the first priority": (
        """
async def serve(receive, keep_lease, process):
    async with asyncio.TaskGroup() as tasks:
        while (message := await receive()) is not None:
            with priority(3):
                tasks.create_task(keep_lease(message))
                tasks.create_task(process(message))
""",
        "leases need a higher priority than anything else",
    ),
    "no lease for the first message": (
        """
async def serve(receive, keep_lease, process):
    async with asyncio.TaskGroup() as tasks:
        first = True
        while (message := await receive()) is not None:
            if not first:
                with priority(3):
                    tasks.create_task(keep_lease(message))
            with priority(2):
                tasks.create_task(process(message))
            first = False
""",
        "receive until receive() returns None",
    ),
    "the work at a level of its own, receiving still urgent": (
        """
async def serve(receive, keep_lease, process):
    async with asyncio.TaskGroup() as tasks:
        with priority(3):
            while (message := await receive()) is not None:
                tasks.create_task(keep_lease(message))
                with priority(2):
                    tasks.create_task(process(message))
""",
        "30 were held at once",
    ),
    "the wrong way round": (
        """
async def serve(receive, keep_lease, process):
    async with asyncio.TaskGroup() as tasks:
        while (message := await receive()) is not None:
            with priority(1):
                tasks.create_task(keep_lease(message))
            with priority(2):
                tasks.create_task(process(message))
""",
        "higher priority than the work",
    ),
    "receives as urgently as it works": (
        """
async def serve(receive, keep_lease, process):
    async with asyncio.TaskGroup() as tasks:
        with priority(2):
            while (message := await receive()) is not None:
                with priority(3):
                    tasks.create_task(keep_lease(message))
                tasks.create_task(process(message))
""",
        "serve() itself receives",
    ),
    "sets the priority of the wrong code": (
        """
async def serve(receive, keep_lease, process):
    async with asyncio.TaskGroup() as tasks:
        while (message := await receive()) is not None:
            lease, work = keep_lease(message), process(message)
            tasks.create_task(work)
            tasks.create_task(lease)
            with priority(3):
                pass
""",
        "leases and work have one priority",
    ),
    "forgets an error of the work": (
        """
async def serve(receive, keep_lease, process):
    tasks = []
    while (message := await receive()) is not None:
        with priority(3):
            tasks.append(asyncio.create_task(keep_lease(message)))
        with priority(2):
            tasks.append(asyncio.create_task(process(message)))
    await asyncio.wait(tasks)
""",
        "look for an await whose counterpart never comes",
    ),
    "nothing": (
        """
async def serve(receive, keep_lease, process):
    ...
""",
        "0 of 30 messages had a task",
    ),
    "all alike": (
        """
async def serve(receive, keep_lease, process):
    async with asyncio.TaskGroup() as tasks:
        with priority(3):
            while (message := (await receive())) is not None:
                tasks.create_task(keep_lease(message))
                tasks.create_task(process(message))
""",
        "have one priority",
    ),
    "no work": (
        """
async def serve(receive, keep_lease, process):
    tasks = []
    while (message := (await receive())) is not None:
        with priority(3):
            tasks.append(asyncio.create_task(keep_lease(message)))
""",
        "0 of 30 messages were processed",
    ),
    "careless": (
        """
async def serve(receive, keep_lease, process):

    async def guarded(message):
        try:
            await process(message)
        except OSError:
            done.add(message)
    done = set()
    leases = []
    async with asyncio.TaskGroup() as tasks:
        while (message := (await receive())) is not None:
            with priority(3):
                leases.append(asyncio.create_task(keep_lease(message)))
            with priority(2):
                tasks.create_task(guarded(message))
    await asyncio.wait(leases, timeout=10)
    for lease in leases:
        lease.cancel()
""",
        "as if nothing had been",
    ),
    "lambda *_: None": ("serve = lambda *_: None", "plain function"),
    "3": ("serve = 3", "not"),
}
