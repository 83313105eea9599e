"""The extra exercises of chapter 1."""

from __future__ import annotations

from tests.ontime.check.bank.bank import Answers, Wrong

WRONG: Wrong = {
    "01-xorder": {
        "notes are run at once": ('order_of_letters = "BACEFDG"', "only make notes"),
        "awaiting a future that is done gives way": (
            'order_of_letters = "EBCAFDG"',
            "gives way to none",
        ),
        "sleep(0) does not give way": (
            'order_of_letters = "EFBCDAG"',
            "behind all that is in the ready queue",
        ),
        "the callback of the future was added first": (
            'order_of_letters = "EFABCDG"',
            "in which order?",
        ),
        "a letter twice": ('order_of_letters = "EEFBCADG"', "each of them once"),
    },
    "01-xthread": {
        "call_soon does not wake the loop": (
            """
def make_deliver(loop, queue):
    def deliver(item):
        loop.call_soon(queue.put_nowait, item)
    return deliver
""",
            "a was delivered before 0.4 s and read at 5 s",
        ),
        "a loop of its own in the thread": (
            """
def make_deliver(loop, queue):
    return lambda item: asyncio.run(queue.put(item))
""",
            "when a timer woke the loop",
        ),
        "waits for the loop": (
            """
def make_deliver(loop, queue):
    def deliver(item):
        asyncio.run_coroutine_threadsafe(queue.put(item), loop).result()
    return deliver
""",
            "makes the driver's thread wait",
        ),
        "puts at once and hands over what that returned": (
            """
def make_deliver(loop, queue):
    def deliver(item):
        loop.call_soon_threadsafe(queue.put_nowait(item))
    return deliver
""",
            "Hint",
        ),
        "a coroutine that nobody awaits": (
            """
def make_deliver(loop, queue):
    return lambda item: loop.call_soon_threadsafe(queue.put, item)
""",
            "[] were read",
        ),
        "calls it": (
            "def make_deliver(loop, queue):\n    loop.call_soon(queue.put_nowait, 1)",
            "make_deliver() returned None, not a function",
        ),
    },
    "01-xkeep": {
        "holds them for ever": (
            """
class Background:
    def __init__(self):
        self.tasks = []
    def start(self, coroutine):
        self.tasks.append(asyncio.create_task(coroutine))
    def __len__(self):
        return sum(not task.done() for task in self.tasks)
""",
            "2 of the results are still held",
        ),
        "holds them weakly": (
            """
import weakref
class Background:
    def __init__(self):
        self.tasks = weakref.WeakSet()
    def start(self, coroutine):
        self.tasks.add(asyncio.create_task(coroutine))
    def __len__(self):
        return len(self.tasks)
""",
            "3 of three tasks are gone",
        ),
        "counts and does not hold": (
            """
class Background:
    running = 0
    def start(self, coroutine):
        self.running += 1
        asyncio.create_task(coroutine).add_done_callback(self.end)
    def end(self, task):
        self.running -= 1
    def __len__(self):
        return self.running
""",
            "of three tasks are gone",
        ),
        "one for all": (
            """
class Background:
    task = None
    def start(self, coroutine):
        self.task = asyncio.create_task(coroutine)
    def __len__(self):
        return 3 if self.task and not self.task.done() else 0
""",
            "2 of three tasks are gone",
        ),
        "keeps the coroutines": (
            """
class Background:
    def __init__(self):
        self.coroutines = []
    def start(self, coroutine):
        self.coroutines.append(coroutine)
    def __len__(self):
        return len(self.coroutines)
""",
            "0 of them have begun",
        ),
    },
    "01-xundo": {
        "swallows the cancellation": (
            """
async def careful(step, undo):
    try:
        return await step()
    except asyncio.CancelledError:
        await undo()
    except Exception:
        await undo()
        raise
""",
            "under a time-out of 1 s: step, undo begins, undo ends, returned None",
        ),
        "knows of errors only": (
            """
async def careful(step, undo):
    try:
        return await step()
    except Exception:
        await undo()
        raise
""",
            "under a time-out of 1 s: step, TimeoutError",
        ),
        "undoes what ended well": (
            """
async def careful(step, undo):
    try:
        return await step()
    finally:
        await undo()
""",
            "a step that ends well: step, undo begins",
        ),
        "leaves the undoing to a task": (
            """
async def careful(step, undo):
    try:
        return await step()
    except BaseException:
        asyncio.create_task(undo())
        raise
""",
            "a step that raises after 0.5 s",
        ),
        "forgets the await": (
            """
async def careful(step, undo):
    try:
        return await step()
    except BaseException:
        undo()
        raise
""",
            "a step that raises after 0.5 s: step, the error",
        ),
    },
    "01-xquiet": {
        "acts at the first touch and then rests": (
            """
class Quiet:
    def __init__(self, loop, delay, action):
        self.loop, self.delay, self.action = loop, delay, action
        self.until = 0
    def touch(self):
        if self.loop.time() >= self.until:
            self.until = self.loop.time() + self.delay
            self.loop.call_at(self.until, self.action)
""",
            "came at [1.25], not [2.0]",
        ),
        "acts once in its life": (
            """
class Quiet:
    def __init__(self, loop, delay, action):
        self.loop, self.delay, self.action = loop, delay, action
        self.timer, self.acted = None, False
    def touch(self):
        if self.acted:
            return
        if self.timer:
            self.timer.cancel()
        self.timer = self.loop.call_later(self.delay, self.act)
    def act(self):
        self.acted = True
        self.action()
""",
            "after the action the next touch begins a new wait",
        ),
        "forgets the touch that the action makes": (
            """
class Quiet:
    def __init__(self, loop, delay, action):
        self.loop, self.delay, self.action = loop, delay, action
        self.timer = None
    def touch(self):
        if self.timer:
            self.timer.cancel()
        self.timer = self.loop.call_later(self.delay, self.act)
    def act(self):
        self.action()
        self.timer.cancel()
        self.timer = None
""",
            "also a touch that the action itself makes",
        ),
        "acts from the start": (
            """
class Quiet:
    def __init__(self, loop, delay, action):
        self.loop, self.delay, self.action = loop, delay, action
        self.touch()
    def touch(self):
        if hasattr(self, "timer"):
            self.timer.cancel()
        self.timer = self.loop.call_later(self.delay, self.action)
""",
            "touched at []: the action came at [1.0]",
        ),
    },
}


class TestAnswers(Answers):
    wrong = WRONG
