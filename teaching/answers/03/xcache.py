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

RIGHT = """
## a future for all, which the loading task sets
class Cache:
    def __init__(self, load):
        self.load, self.futures, self.tasks = load, {}, set()
    async def get(self, key):
        if key not in self.futures:
            self.futures[key] = asyncio.get_running_loop().create_future()
            task = asyncio.create_task(self.fill(key, self.futures[key]))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)
        return await asyncio.shield(self.futures[key])
    async def fill(self, key, future):
        try:
            future.set_result(await self.load(key))
        except Exception as error:
            del self.futures[key]
            future.set_exception(error)
            future.exception()
"""

WRONG = """
## True for task.cancelled() or task.excep => one load for each key
-        if task.cancelled() or task.exception():
+        if True:
## without: return await asyncio.shield(task) => each gets the value
-        return await asyncio.shield(task)
+        pass
## a failure stays => an error is no value
class Cache:
    def __init__(self, load):
        self.load, self.tasks = load, {}
    async def get(self, key):
        if key not in self.tasks:
            self.tasks[key] = asyncio.create_task(self.load(key))
        return await asyncio.shield(self.tasks[key])
## one who leaves takes the load along => await it through asyncio.shield()
-        return await asyncio.shield(task)
+        return await task
## a coroutine for all => RuntimeError
class Cache:
    def __init__(self, load):
        self.load, self.values = load, {}
    async def get(self, key):
        if key not in self.values:
            self.values[key] = self.load(key)
        return await self.values[key]
## a lock for all keys, which serialises errors => all get the error
class Cache:
    def __init__(self, load):
        self.load, self.values, self.lock = load, {}, asyncio.Lock()
    async def get(self, key):
        async with self.lock:
            if key not in self.values:
                self.values[key] = await self.load(key)
            return self.values[key]
## keeps the coroutine => a coroutine is awaited once
class Cache:
    def __init__(self, load):
        self.load, self.kept = load, {}
    async def get(self, key):
        if key not in self.kept:
            self.kept[key] = self.load(key)
        return await self.kept[key]
"""
