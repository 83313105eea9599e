"""Solutions of the extra exercises of chapter 6: the text of the cell, by name."""

SOLUTIONS = {
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
    "06-xacross": """
async def ask(loop, work):
    future = asyncio.run_coroutine_threadsafe(work(), loop)
    return await asyncio.wrap_future(future)
""",
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
