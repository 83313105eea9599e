"""Plausible wrong answers to the exercises of chapter 7; each must fail its check."""

ANSWERS = {
    "07-predict": {
        "the refresh alone": """
def longest_round(lease, refresh_every, computations):
    return refresh_every / computations
""",
        "multiplied instead of divided": """
def longest_round(lease, refresh_every, computations):
    return (lease - refresh_every) * computations
""",
        "added": """
def longest_round(lease, refresh_every, computations):
    return (lease + refresh_every) / computations
""",
        "the whole lease": (
            """
def longest_round(lease, refresh_every, computations):
    return lease / computations
""",
            "some time after the last renewal",
        ),
        "one computation only": (
            """
def longest_round(lease, refresh_every, computations):
    return lease - refresh_every
""",
            "more than one computation",
        ),
        "one computation too many": (
            """
def longest_round(lease, refresh_every, computations):
    return (lease - refresh_every) / (computations + 1)
""",
            "are fine too",
        ),
    },
    "07-parsons": {
        "begins without a cookie of its own": (
            "order = [5, 2, 8, 11, 1, 6, 4]",
            "misspelt",
        ),
        "takes the bid off at once": "order = [5, 10, 2, 8, 11, 4, 1, 6]",
        "never yields": "order = [5, 10, 2, 8, 11, 6, 4]",
        "equal bids take each other's place": (
            "order = [5, 10, 2, 3, 11, 1, 6, 4]",
            "take the bid from each other",
        ),
        "goes on as soon as it wins": (
            "order = [5, 10, 7, 8, 11, 1, 6, 4]",
            "an urgent task waited for 2.99 s",
        ),
        "counts every iteration": (
            "order = [5, 10, 2, 8, 11, 1, 9, 4]",
            "an urgent task waited",
        ),
        "never takes the bid off": (
            "order = [5, 10, 2, 8, 11, 1, 6]",
            "nobody ever has a turn",
        ),
        "looks before it has yielded": "order = [5, 10, 2, 8, 11, 6, 1, 4]",
    },
    "07-fix": {
        "leases that nobody waits for": """
async def serve(receive, keep_lease, process):
    leases = []
    async with asyncio.TaskGroup() as tasks:
        while (message := await receive()) is not None:
            with priority(3):
                leases.append(asyncio.create_task(keep_lease(message)))
            with priority(2):
                tasks.create_task(process(message))
""",
        "the work more urgent than the leases": """
async def serve(receive, keep_lease, process):
    async with asyncio.TaskGroup() as tasks:
        while (message := await receive()) is not None:
            with priority(2):
                tasks.create_task(keep_lease(message))
            with priority(3):
                tasks.create_task(process(message))
""",
        "the second task inside the first priority": """
async def serve(receive, keep_lease, process):
    async with asyncio.TaskGroup() as tasks:
        while (message := await receive()) is not None:
            with priority(3):
                tasks.create_task(keep_lease(message))
                tasks.create_task(process(message))
""",
        "no lease for the first message": """
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
        "receives as urgently as it works": """
async def serve(receive, keep_lease, process):
    async with asyncio.TaskGroup() as tasks:
        with priority(2):
            while (message := await receive()) is not None:
                with priority(3):
                    tasks.create_task(keep_lease(message))
                tasks.create_task(process(message))
""",
        "sets the priority of the wrong code": """
async def serve(receive, keep_lease, process):
    async with asyncio.TaskGroup() as tasks:
        while (message := await receive()) is not None:
            lease, work = keep_lease(message), process(message)
            tasks.create_task(work)
            tasks.create_task(lease)
            with priority(3):
                pass
""",
        "forgets an error of the work": """
async def serve(receive, keep_lease, process):
    tasks = []
    while (message := await receive()) is not None:
        with priority(3):
            tasks.append(asyncio.create_task(keep_lease(message)))
        with priority(2):
            tasks.append(asyncio.create_task(process(message)))
    await asyncio.wait(tasks)
""",
    },
    "07-modify": {
        "one computation more than a lease bears": (
            "limit = 8",
            "wait for 8 computations, 3.2 s, and bears 3 s",
        ),
        "not quite enough": "limit = 2",
        "half a message": "limit = 4.5",
        "one at a time": ("limit = 1", "3.55 times the floor"),
        "too few to fill the thread": ("limit = 3", "others should fill the thread"),
        "as many as a lease has computations, and more": ("limit = 9", "loses up to"),
        "no limit": "limit = None",
    },
    "07-make": {
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
        "one queue for all": """
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
        "a processor that never ends": """
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
        "a lock": """
class Levels:
    def __init__(self):
        self.lock = asyncio.Lock()

    async def turn(self, priority):
        async with self.lock:
            for _ in range(4):
                await asyncio.sleep(0)
""",
        "polls": """
class Levels:
    def __init__(self):
        self.queues = {3: deque(), 2: deque(), 1: deque()}

    async def turn(self, priority):
        mine = object()
        self.queues[priority].append(mine)
        while next(filter(None, self.queues.values()))[0] is not mine:
            await asyncio.sleep(0)
        for _ in range(4):
            await asyncio.sleep(0)
        self.queues[priority].remove(mine)
""",
        "does not settle": """
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
        "stumbles over a cancelled task": """
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
        "last in, first out": """
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
        "the least urgent first": """
class Levels:
    def __init__(self):
        self.queues = {1: deque(), 2: deque(), 3: deque()}
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
            while queue and (mine := queue.popleft()).done():
                pass
            if not mine.done():
                mine.set_result(None)
        self.processor = None
""",
    },
}
