"""The extra exercises of chapter 3."""

from __future__ import annotations

from tests.ontime.check.bank.bank import Answers, Wrong
from tests.ontime.check.bank.mistakes import changed

WRONG: Wrong = {
    "03-xcount": {
        "a pause is no callback": (
            """
def callbacks(way, parts, pauses):
    extra = {"in sequence": 1, "tasks": parts + 2, "gather": 2 * parts + 2}
    return extra[way]
""",
            "puts the same task into the queue again",
        ),
        "woken for each task": (
            """
def callbacks(way, parts, pauses):
    if way == "in sequence":
        return 1 + parts * pauses
    return 1 + parts * (1 + pauses) + parts
""",
            "is woken once",
        ),
        "gather is as tasks": (
            """
def callbacks(way, parts, pauses):
    if way == "in sequence":
        return 1 + parts * pauses
    return 2 + parts * (1 + pauses)
""",
            "each part reports when it is done",
        ),
    },
    "03-xerrors": {
        "a group comes out": (
            """
async def all_or_nothing(parts):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(part()) for part in parts]
    return [task.result() for task in tasks]
""",
            "raised a group",
        ),
        "cancels and does not wait": (
            """
async def all_or_nothing(parts):
    tasks = [asyncio.create_task(part()) for part in parts]
    try:
        return list(await asyncio.gather(*tasks))
    except Exception:
        for task in tasks:
            task.cancel()
        raise
""",
            "at 1 s",
        ),
        "in sequence": (
            """
async def all_or_nothing(parts):
    return [await part() for part in parts]
""",
            "all end well: returned ['part 0', 'part 1'], at 3 s",
        ),
        "errors are results": (
            """
async def all_or_nothing(parts):
    tasks = (part() for part in parts)
    return await asyncio.gather(*tasks, return_exceptions=True)
""",
            "part 0 would take 9 s: returned",
        ),
    },
    "03-xfirst": {
        "cancels and does not wait": (
            """
async def first(sources):
    tasks = [asyncio.create_task(source()) for source in sources]
    done, rest = await asyncio.wait(
        tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in rest:
        task.cancel()
    return done.pop().result()
""",
            "returned 'source 1', at 1 s",
        ),
        "takes a failure for an answer": (
            """
async def first(sources):
    tasks = [asyncio.create_task(source()) for source in sources]
    try:
        done, _ = await asyncio.wait(
            tasks, return_when=asyncio.FIRST_COMPLETED)
        return done.pop().result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
""",
            "look at it and wait for the next",
        ),
        "cleans up only when it ends well": (
            """
async def first(sources):
    waiting = {asyncio.create_task(source()) for source in sources}
    while waiting:
        done, waiting = await asyncio.wait(
            waiting, return_when=asyncio.FIRST_COMPLETED)
        task = done.pop()
        if not task.exception():
            for other in waiting:
                other.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
            return task.result()
    return task.result()
""",
            "asyncio.wait() does not cancel what it waits for",
        ),
        "one after the other": (
            """
async def first(sources):
    for source in sources:
        try:
            return await source()
        except Exception as error:
            last = error
    raise last
""",
            "sources of 3 and 1 s: returned 'source 0', at 3 s",
        ),
        "nothing when all fail": (
            """
async def first(sources):
    waiting = {asyncio.create_task(source()) for source in sources}
    every = list(waiting)
    try:
        while waiting:
            done, waiting = await asyncio.wait(
                waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                if not task.exception():
                    return task.result()
    finally:
        for task in every:
            task.cancel()
        await asyncio.gather(*every, return_exceptions=True)
""",
            "both fail: returned None",
        ),
    },
    "03-xcache": {
        "a failure stays": (
            """
class Cache:
    def __init__(self, load):
        self.load, self.tasks = load, {}
    async def get(self, key):
        if key not in self.tasks:
            self.tasks[key] = asyncio.create_task(self.load(key))
        return await asyncio.shield(self.tasks[key])
""",
            "an error is no value",
        ),
        "one who leaves takes the load along": (
            changed("03-xcache", ("await asyncio.shield(task)", "await task")),
            "await it through asyncio.shield()",
        ),
        "a coroutine for all": (
            """
class Cache:
    def __init__(self, load):
        self.load, self.values = load, {}
    async def get(self, key):
        if key not in self.values:
            self.values[key] = self.load(key)
        return await self.values[key]
""",
            "RuntimeError",
        ),
        "a lock for all keys, which serialises errors": (
            """
class Cache:
    def __init__(self, load):
        self.load, self.values, self.lock = load, {}, asyncio.Lock()
    async def get(self, key):
        async with self.lock:
            if key not in self.values:
                self.values[key] = await self.load(key)
            return self.values[key]
""",
            "all get the error",
        ),
    },
    "03-xmix": {
        "divides by the latency": (
            """
def clients(kinds, rate, busy):
    latency = sum(share * seconds for share, seconds, _ in kinds)
    return busy / (latency * rate)
""",
            "latency is not in it",
        ),
        "averages the clients": (
            """
def clients(kinds, rate, busy):
    return sum(share / cpu for share, _, cpu in kinds) / rate * busy
""",
            "do not average the clients of each kind",
        ),
        "uses all of the core": (
            """
def clients(kinds, rate, busy):
    return 1 / (sum(share * cpu for share, _, cpu in kinds) * rate)
""",
            "only the part busy",
        ),
        "forgets the rate": (
            """
def clients(kinds, rate, busy):
    return busy / sum(share * cpu for share, _, cpu in kinds)
""",
            "what one client takes",
        ),
    },
}


class TestAnswers(Answers):
    wrong = WRONG
