"""Answers to exercise 05-xdrain, right and wrong."""

# Why this works: `under_way` is set in the step in which the message leaves the
# queue. So at each moment a message is in the queue, under way, or sent. `join` waits
# for the `task_done` of each, and what is left after the grace stands in order.
SOLUTION = """
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
"""

STUB = "raise RuntimeError once stop() has begun"

RIGHT = {}

WRONG = {
    "without: return left": (
        """
class Outbox:

    def __init__(self, send):
        self.send, self.queue = (send, asyncio.Queue(maxsize=10))
        self.open, self.under_way = (True, [])
        self.worker = asyncio.create_task(self.work())

    async def work(self):
        while True:
            self.under_way = [await self.queue.get()]
            await self.send(self.under_way[0])
            self.under_way = []
            self.queue.task_done()

    def accept(self, message):
        if not self.open:
            raise RuntimeError('the outbox is being closed')
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
        pass
""",
        "return the list of the rest",
    ),
    "without: while True:": (
        """
class Outbox:

    def __init__(self, send):
        self.send, self.queue = (send, asyncio.Queue(maxsize=10))
        self.open, self.under_way = (True, [])
        self.worker = asyncio.create_task(self.work())

    async def work(self):
        pass

    def accept(self, message):
        if not self.open:
            raise RuntimeError('the outbox is being closed')
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
        "the worker goes on until the grace is over",
    ),
    "it stays open": (
        SOLUTION.replace("        self.open = False\n", ""),
        "raise RuntimeError once stop() has begun",
    ),
    "what is under way is lost": (
        SOLUTION.replace("left = self.under_way", "left = []"),
        "the message that is under way is in no queue",
    ),
    "the whole grace": (
        SOLUTION.replace("await self.queue.join()", "await asyncio.sleep(grace + 1)"),
        "wait for the queue, and not for the whole grace",
    ),
    "what was sent is given back": (
        SOLUTION.replace("            self.under_way = []\n", ""),
        "none that was sent",
    ),
    "out of order": (
        SOLUTION.replace("left = self.under_way", "left = []").replace(
            "        return left", "        return left + self.under_way"
        ),
        "give the rest back in order",
    ),
    "the worker goes on": (
        SOLUTION.replace("        self.worker.cancel()\n", "").replace(
            "await asyncio.gather(self.worker, return_exceptions=True)", "pass"
        ),
        "cancel it, and await it",
    ),
}
