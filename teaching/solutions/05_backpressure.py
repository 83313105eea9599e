"""Solutions of the extra exercises of chapter 5: the text of the cell, by name."""

SOLUTIONS = {
    "05-xcrash": """
async def feed(source, handle):
    queue = asyncio.Queue(maxsize=1)

    async def consume():
        while True:
            item = await queue.get()
            await handle(item)
            queue.task_done()

    async with asyncio.TaskGroup() as tasks:
        consumer = tasks.create_task(consume())
        async for item in source:
            await queue.put(item)
        await queue.join()
        consumer.cancel()
""",
    "05-xrelay": """
async def relay(source, queue, patience):
    given_up = []
    async for item in source:
        try:
            async with asyncio.timeout(patience):
                await queue.put(item)
        except TimeoutError:
            given_up.append(item)
    return given_up
""",
    "05-xend": """
END = object()

async def work_off(items, handle, workers):
    queue = asyncio.Queue(maxsize=1)

    async def worker():
        while (item := await queue.get()) is not END:
            await handle(item)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(workers):
            tasks.create_task(worker())
        for item in items:
            await queue.put(item)
        for _ in range(workers):
            await queue.put(END)
""",
    "05-xshed": """
import math

class Door:
    def __init__(self, service, patience):
        self.service = service
        self.places = int(patience / service)
        self.inside, self.turn = 0, asyncio.Lock()

    async def handle(self, work):
        if self.inside >= self.places:
            return 503, max(1, math.ceil(self.inside * self.service))
        self.inside += 1
        try:
            async with self.turn:
                return 200, await work()
        finally:
            self.inside -= 1
""",
    "05-xdrain": """
class Outbox:
    def __init__(self, send):
        self.send, self.queue = send, asyncio.Queue(maxsize=10)
        self.open, self.under_way = True, []
        self.worker = asyncio.create_task(self.work())

    async def work(self):
        while True:
            self.under_way = [await self.queue.get()]
            await self.send(self.under_way[0])
            self.under_way = []
            self.queue.task_done()

    def accept(self, message):
        if not self.open:
            raise RuntimeError("the outbox is being closed")
        self.queue.put_nowait(message)

    async def stop(self, grace):
        self.open = False
        try:
            async with asyncio.timeout(grace):
                await self.queue.join()
        except TimeoutError:
            pass
        self.worker.cancel()
        await asyncio.gather(self.worker, return_exceptions=True)
        left = self.under_way
        while not self.queue.empty():
            left.append(self.queue.get_nowait())
        return left
""",
}
