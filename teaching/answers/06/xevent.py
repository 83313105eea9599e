"""Answers to exercise 06-xevent, right and wrong."""

# Why this works: `add` sets the event that the waiting tasks have, and puts a new one
# in its place. Each task looks at the count again, and waits for the new event if it
# was not enough. An event that stayed set would make that `while` spin.
SOLUTION = """
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
"""

STUB = "a task that looks again and again polls"

RIGHT = {
    "a condition in Progress": """
class Progress:
    def __init__(self):
        self.count, self.waiting = 0, []

    def add(self, n):
        self.count += n
        for number, future in self.waiting:
            if self.count >= number and not future.done():
                future.set_result(None)

    async def at_least(self, n):
        if self.count < n:
            future = asyncio.get_running_loop().create_future()
            self.waiting.append((n, future))
            await future
""",
}

WRONG = {
    "it looks once": (
        SOLUTION.replace("while self.count", "if self.count"),
        "'while', not 'if'",
    ),
    "the event stays set": (
        SOLUTION.replace("        self.changed = asyncio.Event()\n\n", "\n"),
        "it holds the loop for ever",
    ),
    "a poll in other clothes": (
        SOLUTION.replace("self.changed.wait()", "asyncio.sleep(0.1)"),
        "a task that looks again and again polls",
    ),
    "told at the first number only": (
        """
class Progress:
    def __init__(self):
        self.count, self.changed = 0, asyncio.Event()

    def add(self, n):
        self.count += n
        self.first()
        self.changed = asyncio.Event()

    async def at_least(self, n):
        while self.count < n:
            await self.changed.wait()

    def first(self):
        if self.count >= 9:
            self.changed.set()
""",
        "must not be missed",
    ),
    "add is async": (
        SOLUTION.replace("def add", "async def add"),
        "make it a plain one",
    ),
}
