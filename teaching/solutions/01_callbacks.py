"""Solutions of the extra exercises of chapter 1: the text of the cell, by name."""

SOLUTIONS = {
    "01-xorder": """
order_of_letters = "EFBCADG"
""",
    "01-xthread": """
def make_deliver(loop, queue):
    def deliver(item):
        loop.call_soon_threadsafe(queue.put_nowait, item)

    return deliver
""",
    "01-xkeep": """
class Background:
    def __init__(self):
        self.tasks = set()

    def start(self, coroutine):
        task = asyncio.create_task(coroutine)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def __len__(self):
        return len(self.tasks)
""",
    "01-xundo": """
async def careful(step, undo):
    try:
        return await step()
    except BaseException:
        await undo()
        raise
""",
    "01-xquiet": """
class Quiet:
    def __init__(self, loop, delay, action):
        self.loop, self.delay, self.action = loop, delay, action
        self.timer = None

    def touch(self):
        if self.timer is not None:
            self.timer.cancel()
        self.timer = self.loop.call_later(self.delay, self.action)
""",
}
