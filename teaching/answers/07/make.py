"""Answers to exercise 07-make, right and wrong."""

STUB = "serve the highest priority that anybody waits with"

RIGHT = {
    "Heap": """
class Levels:

    def __init__(self):
        self.waiting = []
        self.count = 0
        self.pumping = False

    async def turn(self, priority):
        loop = asyncio.get_running_loop()
        mine = loop.create_future()
        self.count += 1
        heappush(self.waiting, (-priority, self.count, mine))
        if not self.pumping:
            self.pumping = True
            loop.call_soon(self.pump, 4)
        await mine

    def pump(self, rest):
        loop = asyncio.get_running_loop()
        if rest:
            loop.call_soon(self.pump, rest - 1)
            return
        while self.waiting:
            mine = heappop(self.waiting)[2]
            if not mine.done():
                mine.set_result(None)
                loop.call_soon(self.pump, 4)
                return
        self.pumping = False
""",
    "Standing": """
class Levels:

    def __init__(self):
        self.queues = {3: [], 2: [], 1: []}
        self.somebody = asyncio.Event()
        self.task = None

    async def turn(self, priority):
        if self.task is None:
            self.task = asyncio.create_task(self.serve())
        mine = asyncio.get_running_loop().create_future()
        self.queues[priority].append(mine)
        self.somebody.set()
        await mine

    async def serve(self):
        while True:
            await self.somebody.wait()
            for _ in range(4):
                await asyncio.sleep(0)
            waiting = [one for queue in self.queues.values() for one in queue]
            alive = [one for one in waiting if not one.done()]
            for queue in self.queues.values():
                queue[:] = [one for one in queue if not one.done()]
            if alive:
                alive[0].set_result(None)
            else:
                self.somebody.clear()
""",
    "the gate of looplab": "from looplab.priority import PriorityGate as Levels",
}

WRONG = {
    "a heap that compares futures": (
        """
from heapq import heappush, heappop
class Levels:
    def __init__(self):
        self.heap = []
        self.processor = None
    async def turn(self, priority):
        mine = asyncio.get_running_loop().create_future()
        heappush(self.heap, (-priority, mine))
        if self.processor is None:
            self.processor = asyncio.create_task(self.serve())
        await mine
    async def serve(self):
        while self.heap:
            for _ in range(4):
                await asyncio.sleep(0)
            _, mine = heappop(self.heap)
            if not mine.done():
                mine.set_result(None)
        self.processor = None
""",
        "TypeError",
    ),
    "settles for two iterations": (
        """
class Levels:
    def __init__(self):
        self.queues = {3: deque(), 2: deque(), 1: deque()}
        self.processor = None
    async def turn(self, priority):
        mine = asyncio.get_running_loop().create_future()
        self.queues[priority].append(mine)
        if self.processor is None:
            self.processor = asyncio.create_task(self.serve())
        await mine
    async def serve(self):
        while any(self.queues.values()):
            for _ in range(2):
                await asyncio.sleep(0)
            queue = next(filter(None, self.queues.values()))
            while queue and (mine := queue.popleft()).done():
                pass
            if not mine.done():
                mine.set_result(None)
        self.processor = None
""",
        "an urgent task waited",
    ),
    "one queue for all": (
        """
class Levels:
    def __init__(self):
        self.queue = deque()
        self.processor = None

    async def turn(self, priority):
        mine = asyncio.get_running_loop().create_future()
        self.queue.append(mine)
        if self.processor is None:
            self.processor = asyncio.create_task(self.serve())
        await mine

    async def serve(self):
        while self.queue:
            for _ in range(4):
                await asyncio.sleep(0)
            if not (mine := self.queue.popleft()).done():
                mine.set_result(None)
        self.processor = None
""",
        "serve the highest priority that anybody waits with",
    ),
    "a processor that never ends": (
        """
class Levels:
    def __init__(self):
        self.queues = {3: deque(), 2: deque(), 1: deque()}
        self.processor = None

    async def turn(self, priority):
        mine = asyncio.get_running_loop().create_future()
        self.queues[priority].append(mine)
        if self.processor is None:
            self.processor = asyncio.create_task(self.serve())
        await mine

    async def serve(self):
        while True:
            await asyncio.sleep(0)
            queue = next(filter(None, self.queues.values()), None)
            if queue and not (mine := queue.popleft()).done():
                mine.set_result(None)
""",
        "start something only while somebody waits",
    ),
    "a lock": (
        """
class Levels:
    def __init__(self):
        self.lock = asyncio.Lock()

    async def turn(self, priority):
        async with self.lock:
            for _ in range(4):
                await asyncio.sleep(0)
""",
        "serve the highest priority that anybody waits with",
    ),
    "does not settle": (
        """
class Levels:
    def __init__(self):
        self.queues = {3: deque(), 2: deque(), 1: deque()}
        self.processor = None

    async def turn(self, priority):
        mine = asyncio.get_running_loop().create_future()
        self.queues[priority].append(mine)
        if self.processor is None:
            self.processor = asyncio.create_task(self.serve())
        await mine

    async def serve(self):
        while any(self.queues.values()):
            await asyncio.sleep(0)
            queue = next(filter(None, self.queues.values()))
            while queue and (mine := queue.popleft()).done():
                pass
            if not mine.done():
                mine.set_result(None)
        self.processor = None
""",
        "between two turns let some iterations pass",
    ),
    "stumbles over a cancelled task": (
        """
class Levels:
    def __init__(self):
        self.queues = {3: deque(), 2: deque(), 1: deque()}
        self.processor = None

    async def turn(self, priority):
        mine = asyncio.get_running_loop().create_future()
        self.queues[priority].append(mine)
        if self.processor is None:
            self.processor = asyncio.create_task(self.serve())
        await mine

    async def serve(self):
        while any(self.queues.values()):
            for _ in range(4):
                await asyncio.sleep(0)
            queue = next(filter(None, self.queues.values()))
            queue.popleft().set_result(None)
        self.processor = None
""",
        "look for an await whose counterpart never comes",
    ),
    "last in, first out": (
        """
class Levels:
    def __init__(self):
        self.queues = {3: deque(), 2: deque(), 1: deque()}
        self.processor = None

    async def turn(self, priority):
        mine = asyncio.get_running_loop().create_future()
        self.queues[priority].append(mine)
        if self.processor is None:
            self.processor = asyncio.create_task(self.serve())
        await mine

    async def serve(self):
        while any(self.queues.values()):
            for _ in range(4):
                await asyncio.sleep(0)
            queue = next(filter(None, self.queues.values()))
            while queue and (mine := queue.pop()).done():
                pass
            if not mine.done():
                mine.set_result(None)
        self.processor = None
""",
        "among equals the first to come is the first to go",
    ),
    "LastFirst": (
        """
class Heap:

    def __init__(self):
        self.waiting = []
        self.count = 0
        self.pumping = False

    async def turn(self, priority):
        loop = asyncio.get_running_loop()
        mine = loop.create_future()
        self.count += 1
        heappush(self.waiting, (-priority, self.count, mine))
        if not self.pumping:
            self.pumping = True
            loop.call_soon(self.pump, 4)
        await mine

    def pump(self, rest):
        loop = asyncio.get_running_loop()
        if rest:
            loop.call_soon(self.pump, rest - 1)
            return
        while self.waiting:
            mine = heappop(self.waiting)[2]
            if not mine.done():
                mine.set_result(None)
                loop.call_soon(self.pump, 4)
                return
        self.pumping = False
class Levels(Heap):

    async def turn(self, priority):
        self.count -= 2
        await super().turn(priority)
""",
        "the first to come is the first to go",
    ),
    "lambda: PriorityProtocol(settle=2)": (
        "Levels = lambda: PriorityProtocol(settle=2)",
        "not a class",
    ),
    "Polling": (
        """
class Heap:

    def __init__(self):
        self.waiting = []
        self.count = 0
        self.pumping = False

    async def turn(self, priority):
        loop = asyncio.get_running_loop()
        mine = loop.create_future()
        self.count += 1
        heappush(self.waiting, (-priority, self.count, mine))
        if not self.pumping:
            self.pumping = True
            loop.call_soon(self.pump, 4)
        await mine

    def pump(self, rest):
        loop = asyncio.get_running_loop()
        if rest:
            loop.call_soon(self.pump, rest - 1)
            return
        while self.waiting:
            mine = heappop(self.waiting)[2]
            if not mine.done():
                mine.set_result(None)
                loop.call_soon(self.pump, 4)
                return
        self.pumping = False
class Levels(Heap):
    taken = False

    async def turn(self, priority):
        self.count += 1
        mine = (-priority, self.count, None)
        heappush(self.waiting, mine)
        await asyncio.sleep(0)
        while self.taken or self.waiting[0] is not mine:
            await asyncio.sleep(0)
        heappop(self.waiting)
        self.taken = True
        asyncio.get_running_loop().call_soon(self.free)

    def free(self):
        self.taken = False
""",
        "callbacks",
    ),
    "Restless": (
        """
class Standing:

    def __init__(self):
        self.queues = {3: [], 2: [], 1: []}
        self.somebody = asyncio.Event()
        self.task = None

    async def turn(self, priority):
        if self.task is None:
            self.task = asyncio.create_task(self.serve())
        mine = asyncio.get_running_loop().create_future()
        self.queues[priority].append(mine)
        self.somebody.set()
        await mine

    async def serve(self):
        while True:
            await self.somebody.wait()
            for _ in range(4):
                await asyncio.sleep(0)
            waiting = [one for queue in self.queues.values() for one in queue]
            alive = [one for one in waiting if not one.done()]
            for queue in self.queues.values():
                queue[:] = [one for one in queue if not one.done()]
            if alive:
                alive[0].set_result(None)
            else:
                self.somebody.clear()
class Levels(Standing):

    async def serve(self):
        while True:
            await asyncio.sleep(0)
            self.somebody.set()
            for queue in self.queues.values():
                if queue:
                    for _ in range(4):
                        await asyncio.sleep(0)
                    mine = queue.pop(0)
                    if not mine.done():
                        mine.set_result(None)
                    break
""",
        "keeps the loop busy",
    ),
    "Fragile": (
        """
class Heap:

    def __init__(self):
        self.waiting = []
        self.count = 0
        self.pumping = False

    async def turn(self, priority):
        loop = asyncio.get_running_loop()
        mine = loop.create_future()
        self.count += 1
        heappush(self.waiting, (-priority, self.count, mine))
        if not self.pumping:
            self.pumping = True
            loop.call_soon(self.pump, 4)
        await mine

    def pump(self, rest):
        loop = asyncio.get_running_loop()
        if rest:
            loop.call_soon(self.pump, rest - 1)
            return
        while self.waiting:
            mine = heappop(self.waiting)[2]
            if not mine.done():
                mine.set_result(None)
                loop.call_soon(self.pump, 4)
                return
        self.pumping = False
class Levels(Heap):

    def pump(self, rest):
        loop = asyncio.get_running_loop()
        if rest:
            loop.call_soon(self.pump, rest - 1)
        elif self.waiting:
            heappop(self.waiting)[2].set_result(None)
            loop.call_soon(self.pump, 4)
        else:
            self.pumping = False
""",
        "waits for ever",
    ),
    "NotAsync": (
        """
class Levels:

    def turn(self, priority):
        ...
""",
        "cannot be awaited",
    ),
    "WithoutTurn": (
        """
class Levels:
    pass
""",
        "has no turn()",
    ),
    "Heap()": (
        """
class Heap:

    def __init__(self):
        self.waiting = []
        self.count = 0
        self.pumping = False

    async def turn(self, priority):
        loop = asyncio.get_running_loop()
        mine = loop.create_future()
        self.count += 1
        heappush(self.waiting, (-priority, self.count, mine))
        if not self.pumping:
            self.pumping = True
            loop.call_soon(self.pump, 4)
        await mine

    def pump(self, rest):
        loop = asyncio.get_running_loop()
        if rest:
            loop.call_soon(self.pump, rest - 1)
            return
        while self.waiting:
            mine = heappop(self.waiting)[2]
            if not mine.done():
                mine.set_result(None)
                loop.call_soon(self.pump, 4)
                return
        self.pumping = False
Levels = Heap()
""",
        "not a class",
    ),
    "7": ("Levels = 7", "not a class"),
}
