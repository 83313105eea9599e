"""Answers to exercise 03-xcache, right and wrong."""

# Why this works: What is kept is the *task* that loads, from its beginning, so who
# comes later awaits the same one. `shield` keeps one who is cancelled from cancelling
# it, and a callback forgets a failure. The stub keeps the value, and it comes too
# late.
SOLUTION = """
class Cache:
    def __init__(self, load):
        self.load, self.tasks = load, {}

    async def get(self, key):
        task = self.tasks.get(key)
        if task is None:
            task = self.tasks[key] = asyncio.create_task(self.load(key))
            task.add_done_callback(partial(self.forget, key))
        return await asyncio.shield(task)

    def forget(self, key, task):
        if task.cancelled() or task.exception():
            del self.tasks[key]
"""

STUB = "a value is in the cache only when it has come"

RIGHT = {}

WRONG = {
    "True for task.cancelled() or task.excep": (
        """
class Cache:

    def __init__(self, load):
        self.load, self.tasks = (load, {})

    async def get(self, key):
        task = self.tasks.get(key)
        if task is None:
            task = self.tasks[key] = asyncio.create_task(self.load(key))
            task.add_done_callback(partial(self.forget, key))
        return await asyncio.shield(task)

    def forget(self, key, task):
        if True:
            del self.tasks[key]
""",
        "one load for each key",
    ),
    "without: return await asyncio.shield(task)": (
        """
class Cache:

    def __init__(self, load):
        self.load, self.tasks = (load, {})

    async def get(self, key):
        task = self.tasks.get(key)
        if task is None:
            task = self.tasks[key] = asyncio.create_task(self.load(key))
            task.add_done_callback(partial(self.forget, key))
        pass

    def forget(self, key, task):
        if task.cancelled() or task.exception():
            del self.tasks[key]
""",
        "each gets the value",
    ),
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
        SOLUTION.replace("await asyncio.shield(task)", "await task"),
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
}
