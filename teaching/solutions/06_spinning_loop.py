"""Solutions of the extra exercises of chapter 6: the text of the cell, by name.

Above each stand why it works, and what the check says of the stub.
"""

SOLUTIONS = {
    # Why this works: `add` sets the event that the waiting tasks have, and puts a new
    # one in its place. Each task looks at the count again, and waits for the new event
    # if it was not enough. An event that stayed set would make that `while` spin.
    # Of the stub the check says: while nothing happened for 5 s, the loop ran 1,002
    # callbacks. Its hint: a task that looks again and again polls, with a nap or
    # without: let it wait for something that add() sets.
    "06-xevent": """
class Progress:
    def __init__(self):
        self.count, self.changed = 0, asyncio.Event()

    def add(self, n):
        self.count += n
        self.changed.set()
        self.changed = asyncio.Event()

    async def at_least(self, n):
        while self.count < n:
            await self.changed.wait()
""",
    # Why this works: Several calls of `set()` before a reader runs are one. So a letter
    # in the box is what counts, and not the event: look into the box first, and only
    # wait if it is empty. For a letter that another thread puts in just then, `set()`
    # runs on the loop later, after `clear()`, so it is not lost.
    # Of the stub the check says: letters: 3 at 0 s. 1 of 3 came out, and the next get()
    # waits for ever. Its hint: one wake-up can stand for several letters: look whether
    # there is one before you wait, and clear only what you are about to wait for.
    "06-xlost": """
from collections import deque

class Mailbox:
    def __init__(self):
        self.loop = asyncio.get_running_loop()
        self.letters, self.come = deque(), asyncio.Event()

    def put(self, item):
        self.letters.append(item)
        self.loop.call_soon_threadsafe(self.come.set)

    async def get(self):
        while not self.letters:
            self.come.clear()
            await self.come.wait()
        return self.letters.popleft()
""",
    # Why this works: `run_coroutine_threadsafe` gives a future of threads, and
    # `wrap_future` one that this loop can await. The result or the error passes one
    # way, a cancelling the other.
    # Of the stub the check says: while the other loop worked for 2 s, this one ran
    # 20,003 callbacks. Its hint: do not ask whether it is done:
    # asyncio.wrap_future(future) can be awaited.
    "06-xacross": """
async def ask(loop, work):
    future = asyncio.run_coroutine_threadsafe(work(), loop)
    return await asyncio.wrap_future(future)
""",
    # Why this works: The count begins after the first answer, since some sessions spin
    # only then. Ten turns leave room for the timer. `finally` closes the session of a
    # failed test.
    # Of the stub the check says: the test of a session that spins from the start left
    # it open. Its hint: close it in a finally, also when the test fails.
    "06-xguard": """
async def guard(session):
    await session.open()
    try:
        await session.ask()
        await session.settled()
        before = session.turns
        await asyncio.sleep(0.3)
        assert session.turns - before <= 10, session.turns - before
    finally:
        await session.close()
""",
    # Why this works: Each setting is changed alone, and again with each choice of the
    # others changed. A cause that stands behind another shows only when the other is
    # taken away.
    # Of the stub the check says: the wake-ups come too late: you say interval, and it
    # is gap. Its hint: a figure that fits is no proof: change what the suspicion names,
    # and see whether the seconds follow.
    "06-xcauses": """
from itertools import combinations

def causes(measure):
    other = {"interval": 0.1, "gap": 0.001, "cores": 9}
    found = set()
    for name in other:
        rest = [key for key in other if key != name]
        for count in 0, 1, 2:
            for changed in combinations(rest, count):
                setting = {key: other[key] for key in changed}
                without = measure(**setting)
                if measure(**setting, **{name: other[name]}) != without:
                    found.add(name)
    return found
""",
}
