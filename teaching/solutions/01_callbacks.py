"""Solutions of the extra exercises of chapter 1: the text of the cell, by name.

Above each stand why it works, and what the check says of the stub.
"""

SOLUTIONS = {
    # Why this works: `main` puts B, the child and A into the queue, in this order. It
    # says E, and F too, since the future is done and its `await` does not yield. Then
    # B, C and A run, and the child's next step says D, one iteration later. Its end
    # wakes `main`: G.
    # Of the stub the check says: there is no answer yet. Its hint: replace the three
    # dots in the cell above and run it, then this one.
    "01-xorder": """
order_of_letters = "EFBCADG"
""",
    # Why this works: The whole `put_nowait` runs on the loop, which
    # `call_soon_threadsafe` wakes. The thread goes on at once.
    # Of the stub the check says: a was delivered before 0.4 s and read at 5 s, when a
    # timer woke the loop. Its hint: from another thread only one method of the loop
    # also wakes it; not only call_soon is wrong here, but all that calls it, such as
    # put_nowait.
    "01-xthread": """
def make_deliver(loop, queue):
    def deliver(item):
        loop.call_soon_threadsafe(queue.put_nowait, item)

    return deliver
""",
    # Why this works: The loop holds its tasks only weakly. The set holds each strongly,
    # and a done callback takes it out again, however it ended: no memory grows, and the
    # length of the set is the answer.
    # Of the stub the check says: after a garbage collection 3 of three tasks are gone.
    # Its hint: the loop keeps only weak references to tasks: somebody has to hold each
    # until it has ended.
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
    # Why this works: `CancelledError` is no `Exception`, so `except Exception` misses
    # it. The bare `raise` sends on what came, so that a time-out sees it.
    # Of the stub the check says: a step that raises after 0.5 s: step, undo begins,
    # undo ends, returned None at 0.75 s. Wanted: step, undo begins, undo ends, the
    # error at 0.75 s. Its hint: undo, and raise the same error again: a bare raise.
    "01-xundo": """
async def careful(step, undo):
    try:
        return await step()
    except BaseException:
        await undo()
        raise
""",
    # Why this works: Each touch cancels the timer before it. To cancel one that has run
    # does no harm, so the action may touch again.
    # Of the stub the check says: touched at [0.25, 0.5, 1.0]: the action came at [1.25,
    # 1.5, 2.0, 2.5], not [2.0]. Its hint: each touch begins the wait anew: cancel the
    # timer that the last one set.
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
