"""Plausible wrong answers to the exercises of chapter 6; each must fail its check."""

ANSWERS = {
    "06-predict": {
        "once a nap, whatever a callback costs": """
def asks(seconds, cost, nap):
    return seconds / (nap or 1)
""",
        "a nap in milliseconds": """
def asks(seconds, cost, nap):
    return seconds / (1000 * nap + cost)
""",
        "a thousand times a second": """
def asks(seconds, cost, nap):
    return 1000 * seconds
""",
        "forgets the cost": """
def asks(seconds, cost, nap):
    return seconds / nap if nap else seconds
""",
        "forgets the nap": """
def asks(seconds, cost, nap):
    return seconds / cost
""",
        "two callbacks a round, also without a nap": """
def asks(seconds, cost, nap):
    return seconds / (nap + 2 * cost)
""",
        "the wrong way up": """
def asks(seconds, cost, nap):
    return (nap + cost) / seconds
""",
    },
    "06-parsons": {
        "judges while it counts": "order = [5, 3, 7, 1, 2]",
        "never judges": "order = [5, 3, 7, 2]",
        "no session": "order = [5, 7, 2, 1]",
        "judges a time": "order = [5, 3, 7, 2, 4]",
        "the assert the wrong way round": "order = [5, 3, 7, 2, 8]",
        "asks while it counts": "order = [5, 3, 7, 6, 2, 1]",
        "no time passes": "order = [5, 3, 7, 1]",
        "counts before there is a session": "order = [5, 7, 3, 2, 1]",
    },
    "06-fix": {
        "asks for the running loop in put": (
            """
class Inbox:
    def __init__(self):
        self._items = asyncio.Queue()
    def put(self, item):
        loop = asyncio.get_running_loop()
        loop.call_soon_threadsafe(self._items.put_nowait, item)
    async def get(self):
        return await self._items.get()
""",
            "no running event loop",
        ),
        "blocks the loop": (
            """
import queue
class Inbox:
    def __init__(self):
        self._items = queue.Queue()
    def put(self, item):
        self._items.put(item)
    async def get(self):
        return self._items.get()
""",
            "blocks the thread of the loop",
        ),
        "loses what came as it was cancelled": """
from collections import deque
class Inbox:
    def __init__(self):
        self._loop = asyncio.get_running_loop()
        self._items, self._waiters = deque(), deque()
    def put(self, item):
        self._loop.call_soon_threadsafe(self._deliver, item)
    def _deliver(self, item):
        while self._waiters:
            waiter = self._waiters.popleft()
            if not waiter.done():
                return waiter.set_result(item)
        self._items.append(item)
    async def get(self):
        if self._items:
            return self._items.popleft()
        mine = self._loop.create_future()
        self._waiters.append(mine)
        return await mine
""",
        "waits until it is put": (
            """
class Inbox:
    def __init__(self):
        self._loop = asyncio.get_running_loop()
        self._items = asyncio.Queue()
    def put(self, item):
        asyncio.run_coroutine_threadsafe(
            self._items.put(item), self._loop).result()
    async def get(self):
        return await self._items.get()
""",
            "holds up the thread",
        ),
        "last in, first out": """
class Inbox:
    def __init__(self):
        self._loop = asyncio.get_running_loop()
        self._items = asyncio.LifoQueue()

    def put(self, item):
        self._loop.call_soon_threadsafe(self._items.put_nowait, item)

    async def get(self):
        return await self._items.get()
""",
        "None is taken for nothing": """
from collections import deque

class Inbox:
    def __init__(self):
        self._loop = asyncio.get_running_loop()
        self._items = deque()
        self._arrived = asyncio.Event()

    def put(self, item):
        self._items.append(item)
        self._loop.call_soon_threadsafe(self._arrived.set)

    async def get(self):
        while True:
            if self._items:
                item = self._items.popleft()
                if item is not None:
                    return item
            self._arrived.clear()
            await self._arrived.wait()
""",
        "a put that has to be awaited": """
class Inbox:
    def __init__(self):
        self._items = asyncio.Queue()

    async def put(self, item):
        await self._items.put(item)

    async def get(self):
        return await self._items.get()
""",
        "a nap": """
import queue

class Inbox:
    def __init__(self):
        self._items = queue.Queue()

    def put(self, item):
        self._items.put(item)

    async def get(self):
        while self._items.empty():
            await asyncio.sleep(0.001)
        return self._items.get_nowait()
""",
        "touches the queue from the other thread": """
class Inbox:
    def __init__(self):
        self._items = asyncio.Queue()

    def put(self, item):
        self._items.put_nowait(item)

    async def get(self):
        return await self._items.get()
""",
        "not safe from a thread": """
class Inbox:
    def __init__(self):
        self._loop = asyncio.get_running_loop()
        self._items = asyncio.Queue()

    def put(self, item):
        self._loop.call_soon(self._items.put_nowait, item)

    async def get(self):
        return await self._items.get()
""",
        "an event that is never cleared": """
import queue

class Inbox:
    def __init__(self):
        self._loop = asyncio.get_running_loop()
        self._items = queue.Queue()
        self._arrived = asyncio.Event()

    def put(self, item):
        self._items.put(item)
        self._loop.call_soon_threadsafe(self._arrived.set)

    async def get(self):
        await self._arrived.wait()
        return self._items.get_nowait()
""",
        "one item for each event": """
import queue

class Inbox:
    def __init__(self):
        self._loop = asyncio.get_running_loop()
        self._items = queue.Queue()
        self._arrived = asyncio.Event()

    def put(self, item):
        self._items.put(item)
        self._loop.call_soon_threadsafe(self._arrived.set)

    async def get(self):
        await self._arrived.wait()
        self._arrived.clear()
        return self._items.get_nowait()
""",
    },
    "06-modify": {
        "a little too often": "nap = 0.016",
        "a little too late": "nap = 0.027",
        "less than nothing": "nap = -0.02",
        "the famous millisecond": "nap = 0.001",
        "no nap": "nap = 0",
        "too long": "nap = 0.050",
        "milliseconds for seconds": "nap = 20",
        "not a number": "nap = 'short'",
    },
    "06-make": {
        "waits for the result, and then returns the future": (
            """
def hop(loop, function):
    async def call():
        return function()
    future = asyncio.run_coroutine_threadsafe(call(), loop)
    future.result()
    return future
""",
            "holds up the thread",
        ),
        "a coroutine, begun before its cancellation is seen": """
def hop(loop, function):
    async def call():
        return function()
    return asyncio.run_coroutine_threadsafe(call(), loop)
""",
        "waits for the result": """
def hop(loop, function):
    return asyncio.run_coroutine_threadsafe(function(), loop)
""",
        "the same future for every call": """
from concurrent.futures import Future

shared = Future()

def hop(loop, function):
    def on_loop():
        if not shared.done():
            shared.set_result(function())

    loop.call_soon_threadsafe(on_loop)
    return shared
""",
        "returns the result instead of a future": """
def hop(loop, function):
    results = []
    loop.call_soon_threadsafe(lambda: results.append(function()))
    return results
""",
        "calls it at once": """
from concurrent.futures import Future

def hop(loop, function):
    future = Future()
    future.set_result(function())
    return future
""",
        "not safe from a thread": """
from concurrent.futures import Future

def hop(loop, function):
    future = Future()
    loop.call_soon(lambda: future.set_result(function()))
    return future
""",
        "forgets the exception": """
from concurrent.futures import Future

def hop(loop, function):
    future = Future()
    loop.call_soon_threadsafe(lambda: future.set_result(function()))
    return future
""",
        "a future of asyncio": """
def hop(loop, function):
    future = loop.create_future()
    loop.call_soon_threadsafe(lambda: future.set_result(function()))
    return future
""",
        "runs what was cancelled": """
from concurrent.futures import Future

def hop(loop, function):
    future = Future()

    def on_loop():
        try:
            result = function()
        except BaseException as error:
            if not future.cancelled():
                future.set_exception(error)
        else:
            if not future.cancelled():
                future.set_result(result)

    loop.call_soon_threadsafe(on_loop)
    return future
""",
    },
}
