"""Answers to exercise 08-fix, right and wrong."""

STUB = "a request must not wait for the answer to the one before"

RIGHT = """
## client
async def client(ask, count, every):
    found = [0.0] * count
    async def one(number, due):
        await asyncio.sleep(due - elapsed())
        await ask()
        found[number] = elapsed() - due
    start = elapsed()
    async with asyncio.TaskGroup() as tasks:
        for number in range(count):
            tasks.create_task(one(number, start + number * every))
    return found
"""

WRONG = """
## tells the worst alone => return a list with one latency for each request
async def client(ask, count, every):
    start = elapsed()
    async def one(due):
        await asyncio.sleep(due - elapsed())
        await ask()
        return elapsed() - due
    due = [start + n * every for n in range(count)]
    return max(await asyncio.gather(*map(one, due)))
## the first after an interval => the first is due at once
async def client(ask, count, every):
    loop = asyncio.get_running_loop()
    start = loop.time()
    async def request(due):
        await asyncio.sleep(due - loop.time())
        await ask()
        return loop.time() - due
    return await asyncio.gather(
        *(request(start + (n + 1) * every) for n in range(count))
    )
## sleeps after each, and so stays late => must not delay the next
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
## on a schedule, and counts from when it is sent => count from the moment when it was due
async def client(ask, count, every):
    start = elapsed()
    async def one(due):
        await asyncio.sleep(due - elapsed())
        sent = elapsed()
        await ask()
        return elapsed() - sent
    due = [start + n * every for n in range(count)]
    return await asyncio.gather(*map(one, due))
## waits for each answer => a request must not wait for the answer to the one before
async def client(ask, count, every):
    start = elapsed()
    latencies = []
    for number in range(count):
        due = start + number * every
        await asyncio.sleep(max(0, due - elapsed()))
        await ask()
        latencies.append(elapsed() - due)
    return latencies
## counts from when it sent => a request must not wait for the answer to the one before
async def client(ask, count, every):
    latencies = []
    for number in range(count):
        sent = elapsed()
        await ask()
        latencies.append(elapsed() - sent)
        await asyncio.sleep(every)
    return latencies
## counts from the start of all => count from the moment when it was due
async def client(ask, count, every):
    start = elapsed()
    async def one(number):
        await asyncio.sleep(number * every)
        await ask()
        return elapsed() - start
    return await asyncio.gather(*map(one, range(count)))
"""
