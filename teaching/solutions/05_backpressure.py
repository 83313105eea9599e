"""Solutions of the extra exercises of chapter 5: the text of the cell, by name.

Above each stand why it works, and what the check says of the stub.
"""

SOLUTIONS = {
    # Why this works: The producer waits in `put` inside the task group. When the
    # consumer raises, the group cancels the producer, in `put` or in the source, and
    # raises the error. `consumer.cancel()` at the end is for the good day: the consumer
    # never ends by itself.
    # Of the stub the check says: items come every 0 s, handle() raised OSError for item
    # 0 of 20, and feed() waits for ever. Its hint: the consumer has died: who takes the
    # next item out, and who would tell the producer?
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
    # Why this works: The time-out stands around `put` alone, so a slow source is not
    # cut short. A `put` that is cancelled has not put, so the item is given up and in
    # no queue.
    # Of the stub the check says: an item after 0.4 s each, a service of 1 s, a patience
    # of 0.5 s: [2, 4, 6, 8] were given up, and it should have been [3, 6, 9]. Its hint:
    # an item is given up after its patience: not at once, and never because the source
    # was slow.
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
    # Why this works: Each worker takes one `END` and leaves. So there must be as many
    # as workers. They come last, so no worker leaves while an item is before it.
    # Of the stub the check says: 4 items and 2 workers: 4 items were handled, and then
    # it waits for ever. Its hint: one end is taken by one worker: the others go on
    # waiting. Put one for each, or let each worker put it back.
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
    # Why this works: `int(patience / service)` is how many services fit into the
    # patience, this one's own among them. The count goes up before the first `await`,
    # so two requests cannot take the same place, and `finally` gives it back whatever
    # happens.
    # Of the stub the check says: service 1 s, patience 4.5 s: request 5, at 0 s with 4
    # inside, was refused after 4.5 s. Its hint: a refusal costs nothing when it comes
    # at once: decide before you wait.
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
    # Why this works: `under_way` is set in the step in which the message leaves the
    # queue. So at each moment a message is in the queue, under way, or sent. `join`
    # waits for the `task_done` of each, and what is left after the grace stands in
    # order.
    # Of the stub the check says: stop(2.5) after 0 s: accept() took a message while
    # stopping. Its hint: raise RuntimeError once stop() has begun.
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
