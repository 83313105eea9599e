"""Plausible wrong answers to the exercises of chapter 5; each must fail its check."""

ANSWERS = {
    "05-predict": {
        "the bound added to the growth": """
def waiting(made, served, seconds, maxsize):
    return max(0, made - served) * seconds + maxsize
""",
        "the share that is not served": """
def waiting(made, served, seconds, maxsize):
    growth = max(0, 1 - served / made) * seconds
    return min(growth, maxsize) if maxsize else growth
""",
        "full whenever there is a bound": """
def waiting(made, served, seconds, maxsize):
    return maxsize or max(0, made - served) * seconds
""",
        "negative when the consumer is faster": (
            """
def waiting(made, served, seconds, maxsize):
    growth = (made - served) * seconds
    return min(growth, maxsize) if maxsize else growth
""",
            "shorter than",
        ),
        "forgets the bound": (
            """
def waiting(made, served, seconds, maxsize):
    return max(0, made - served) * seconds
""",
            "waits at the bound",
        ),
        "0 taken for a bound of none": (
            """
def waiting(made, served, seconds, maxsize):
    return min(max(0, made - served) * seconds, maxsize)
""",
            "means no bound",
        ),
        "forgets what has been served": (
            """
def waiting(made, served, seconds, maxsize):
    return min(made * seconds, maxsize or made * seconds)
""",
            "those are all the items",
        ),
    },
    "05-parsons": {
        "the sink is never called": "order = [7, 9, 5, 12, 4, 8, 10, 1, 6]",
        "says the end before the items": (
            "order = [7, 9, 5, 12, 4, 2, 8, 6, 10, 1]",
            "waits for ever",
        ),
        "both queues": "order = [7, 9, 3, 5, 12, 4, 2, 8, 10, 1, 6]",
        "a queue without a bound": (
            "order = [7, 3, 5, 12, 4, 2, 8, 10, 1, 6]",
            "has no bound",
        ),
        "does not wait for room": (
            "order = [7, 9, 5, 12, 4, 2, 8, 10, 11, 6]",
            "QueueFull",
        ),
        "never says that it is the end": (
            "order = [7, 9, 5, 12, 4, 2, 8, 10, 1]",
            "waits for ever",
        ),
        "nobody takes anything": "order = [7, 9, 5, 12, 4, 2, 10, 1, 6, 8]",
    },
    "05-fix": {
        "two who store": (
            """
async def pipeline(source, parse, store):
    parsed = asyncio.Queue(maxsize=1)
    async def storer():
        while (text := await parsed.get()) is not END:
            await store(text)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(storer())
        tasks.create_task(storer())
        async for item in source:
            await parsed.put(parse(item))
        await parsed.put(END)
        await parsed.put(END)
""",
            "not stored once each and in their order",
        ),
        "an empty text taken for the end": """
async def pipeline(source, parse, store):
    parsed = asyncio.Queue(maxsize=1)
    async def storer():
        while text := await parsed.get():
            await store(text)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(storer())
        async for item in source:
            await parsed.put(parse(item))
        await parsed.put(None)
""",
        "bounds of five": (
            """
async def pipeline(source, parse, store):
    raw, parsed = asyncio.Queue(maxsize=5), asyncio.Queue(maxsize=5)
    async def reader():
        async for item in source:
            await raw.put(item)
        await raw.put(END)
    async def parser():
        while (item := await raw.get()) is not END:
            await parsed.put(parse(item))
        await parsed.put(END)
    async def storer():
        while (text := await parsed.get()) is not END:
            await store(text)
    async with asyncio.TaskGroup() as tasks:
        for stage in reader, parser, storer:
            tasks.create_task(stage())
""",
            "were under way at once",
        ),
        "a slow poll": (
            """
async def pipeline(source, parse, store):
    parsed = asyncio.Queue(maxsize=1)

    async def storer():
        while True:
            while parsed.empty():
                await asyncio.sleep(0.001)
            if (text := parsed.get_nowait()) is END:
                return
            await store(text)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(storer())
        async for item in source:
            await parsed.put(parse(item))
        await parsed.put(END)
""",
            "a task that sleeps and looks again polls",
        ),
        "a poll dressed as a time-out": """
async def pipeline(source, parse, store):
    parsed = asyncio.Queue(maxsize=1)

    async def storer():
        while True:
            try:
                text = await asyncio.wait_for(parsed.get(), 0.1)
            except TimeoutError:
                continue
            if text is END:
                return
            await store(text)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(storer())
        async for item in source:
            await parsed.put(parse(item))
        await parsed.put(END)
""",
        "a slow poll dressed as a time-out": """
async def pipeline(source, parse, store):
    parsed = asyncio.Queue(maxsize=1)

    async def storer():
        while True:
            try:
                async with asyncio.timeout(5):
                    text = await parsed.get()
            except TimeoutError:
                continue
            if text is END:
                return
            await store(text)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(storer())
        async for item in source:
            await parsed.put(parse(item))
        await parsed.put(END)
""",
        "a task for each store": """
async def pipeline(source, parse, store):
    async with asyncio.TaskGroup() as tasks:
        async for item in source:
            tasks.create_task(store(parse(item)))
            await asyncio.sleep(0)
""",
        "loses what is stored last": """
async def pipeline(source, parse, store):
    parsed = asyncio.Queue(maxsize=1)

    async def storer():
        while True:
            await store(await parsed.get())

    storing = asyncio.create_task(storer())
    async for item in source:
        await parsed.put(parse(item))
    storing.cancel()
""",
        "bounded, and polls still": """
async def pipeline(source, parse, store):
    raw, parsed = asyncio.Queue(maxsize=1), asyncio.Queue(maxsize=1)

    async def reader():
        async for item in source:
            await raw.put(item)
        await raw.put(END)

    async def parser():
        while (item := await raw.get()) is not END:
            await parsed.put(parse(item))
        await parsed.put(END)

    async def storer():
        while True:
            while parsed.empty():
                await asyncio.sleep(0)
            if (text := parsed.get_nowait()) is END:
                return
            await store(text)

    async with asyncio.TaskGroup() as tasks:
        for stage in reader, parser, storer:
            tasks.create_task(stage())
""",
        "waits, and is unbounded still": """
async def pipeline(source, parse, store):
    raw, parsed = asyncio.Queue(), asyncio.Queue()

    async def reader():
        async for item in source:
            await raw.put(item)
        await raw.put(END)

    async def parser():
        while (item := await raw.get()) is not END:
            await parsed.put(parse(item))
        await parsed.put(END)

    async def storer():
        while (text := await parsed.get()) is not END:
            await store(text)

    async with asyncio.TaskGroup() as tasks:
        for stage in reader, parser, storer:
            tasks.create_task(stage())
""",
        "only the first queue has a bound": """
async def pipeline(source, parse, store):
    raw, parsed = asyncio.Queue(maxsize=1), asyncio.Queue()

    async def reader():
        async for item in source:
            await raw.put(item)
        await raw.put(END)

    async def parser():
        while (item := await raw.get()) is not END:
            await parsed.put(parse(item))
        await parsed.put(END)

    async def storer():
        while (text := await parsed.get()) is not END:
            await store(text)

    async with asyncio.TaskGroup() as tasks:
        for stage in reader, parser, storer:
            tasks.create_task(stage())
""",
        "one after the other": (
            """
async def pipeline(source, parse, store):
    async for item in source:
        await store(parse(item))
""",
            "took 1.5",
        ),
        "a sleep(0) after each put instead of a bound": """
async def pipeline(source, parse, store):
    parsed = asyncio.Queue()

    async def reader():
        async for item in source:
            await parsed.put(parse(item))
            await asyncio.sleep(0)
        await parsed.put(END)

    async def storer():
        while (text := await parsed.get()) is not END:
            await store(text)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(reader())
        tasks.create_task(storer())
""",
        "forgets an error of store": """
async def pipeline(source, parse, store):
    parsed = asyncio.Queue(maxsize=1)

    async def storer():
        while (text := await parsed.get()) is not END:
            await store(text)

    storing = asyncio.create_task(storer())
    async for item in source:
        await parsed.put(parse(item))
    await parsed.put(END)
    await storing
""",
    },
    "05-modify": {
        "just too small": ("maxsize = 3", "holds the producer for 0.40 s"),
        "just too large": ("maxsize = 6", "lie in the queue for 0.60 s"),
        "half an item": "maxsize = 4.5",
        "the smallest bound": ("maxsize = 1", "holds the producer for 0.60 s"),
        "no bound": ("maxsize = 0", "no bound"),
        "room for a whole burst": "maxsize = 8",
        "not a number": "maxsize = None",
    },
    "05-make": {
        "tasks that nobody owns": """
async def chain(items, *stages):
    queues = [asyncio.Queue(maxsize=1) for _ in range(len(stages) + 1)]
    results = []
    async def feed(first):
        for item in items:
            await first.put(item)
        await first.put(END)
    async def work(stage, inbox, outbox):
        while (item := await inbox.get()) is not END:
            await outbox.put(await stage(item))
        await outbox.put(END)
    tasks = [asyncio.create_task(feed(queues[0]))]
    for n, stage in enumerate(stages):
        tasks.append(asyncio.create_task(work(stage, queues[n], queues[n + 1])))
    while (item := await queues[-1].get()) is not END:
        results.append(item)
    await asyncio.gather(*tasks)
    return results
""",
        "takes all items first": (
            """
async def chain(items, *stages):
    items = list(items)
    queues = [asyncio.Queue(maxsize=1) for _ in range(len(stages) + 1)]
    results = []
    async def feed(first):
        for item in items:
            await first.put(item)
        await first.put(END)
    async def work(stage, inbox, outbox):
        while (item := await inbox.get()) is not END:
            await outbox.put(await stage(item))
        await outbox.put(END)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(feed(queues[0]))
        for n, stage in enumerate(stages):
            tasks.create_task(work(stage, queues[n], queues[n + 1]))
        while (item := await queues[-1].get()) is not END:
            results.append(item)
    return results
""",
            "were under way at once",
        ),
        "a lock for each stage, a task for each item": """
async def chain(items, *stages):
    locks = [asyncio.Lock() for _ in stages]

    async def through(item):
        for lock, stage in zip(locks, stages):
            async with lock:
                item = await stage(item)
        return item

    return await asyncio.gather(*(through(item) for item in items))
""",
        "hides the error of a stage": """
async def chain(items, *stages):
    results = []
    for item in items:
        try:
            for stage in stages:
                item = await stage(item)
            results.append(item)
        except Exception:
            pass
    return results
""",
        "the results as they come out of the last stage, without the first": """
async def chain(items, *stages):
    queue, results = asyncio.Queue(maxsize=1), []

    async def feed():
        for item in items:
            await queue.put(item)
        await queue.put(END)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(feed())
        while (item := await queue.get()) is not END:
            results.append(await stages[-1](item))
    return results
""",
        "one stage after the other": """
async def chain(items, *stages):
    results = list(items)
    for stage in stages:
        results = [await stage(item) for item in results]
    return results
""",
        "one item after the other": (
            """
async def chain(items, *stages):
    results = []
    for item in items:
        for stage in stages:
            item = await stage(item)
        results.append(item)
    return results
""",
            "the slowest stage needs",
        ),
        "a task for each item": (
            """
async def chain(items, *stages):
    async def through(item):
        for stage in stages:
            item = await stage(item)
        return item

    return await asyncio.gather(*(through(item) for item in items))
""",
            "several items at the same time",
        ),
        "queues without a bound": """
async def chain(items, *stages):
    queues = [asyncio.Queue() for _ in range(len(stages) + 1)]
    results = []

    async def feed(first):
        for item in items:
            await first.put(item)
        await first.put(END)

    async def work(stage, inbox, outbox):
        while (item := await inbox.get()) is not END:
            await outbox.put(await stage(item))
        await outbox.put(END)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(feed(queues[0]))
        for n, stage in enumerate(stages):
            tasks.create_task(work(stage, queues[n], queues[n + 1]))
        while (item := await queues[-1].get()) is not END:
            results.append(item)
    return results
""",
        "None for the end": """
async def chain(items, *stages):
    queues = [asyncio.Queue(maxsize=1) for _ in range(len(stages) + 1)]
    results = []

    async def feed(first):
        for item in items:
            await first.put(item)
        await first.put(None)

    async def work(stage, inbox, outbox):
        while (item := await inbox.get()) is not None:
            await outbox.put(await stage(item))
        await outbox.put(None)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(feed(queues[0]))
        for n, stage in enumerate(stages):
            tasks.create_task(work(stage, queues[n], queues[n + 1]))
        while (item := await queues[-1].get()) is not None:
            results.append(item)
    return results
""",
    },
}
