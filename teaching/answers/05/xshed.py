"""Answers to exercise 05-xshed, right and wrong."""

# Why this works: `int(patience / service)` is how many services fit into the
# patience, this one's own among them. The count goes up before the first `await`, so
# two requests cannot take the same place, and `finally` gives it back whatever
# happens.
SOLUTION = """
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
"""

STUB = "a refusal costs nothing when it comes at once"

RIGHT = {}

WRONG = {
    "True for self.inside >= self.places": (
        """
import math

class Door:

    def __init__(self, service, patience):
        self.service = service
        self.places = int(patience / service)
        self.inside, self.turn = (0, asyncio.Lock())

    async def handle(self, work):
        if True:
            return (503, max(1, math.ceil(self.inside * self.service)))
        self.inside += 1
        try:
            async with self.turn:
                return (200, await work())
        finally:
            self.inside -= 1
""",
        "whoever has left no longer counts as inside",
    ),
    "without: try:": (
        """
import math

class Door:

    def __init__(self, service, patience):
        self.service = service
        self.places = int(patience / service)
        self.inside, self.turn = (0, asyncio.Lock())

    async def handle(self, work):
        if self.inside >= self.places:
            return (503, max(1, math.ceil(self.inside * self.service)))
        self.inside += 1
        pass
""",
        "result) or",
    ),
    "a function": (
        """
def Door(service, patience):
    return None
""",
        "hand over Door itself",
    ),
    "one too many": (
        SOLUTION.replace(">= self.places", "> self.places"),
        "was let in and answered after",
    ),
    "rounded down": (
        SOLUTION.replace("math.ceil", "int"),
        "rounded up to a whole number",
    ),
    "whoever waits does not count": (
        SOLUTION.replace("        self.inside += 1\n", "").replace(
            "            async with self.turn:\n",
            "            async with self.turn:\n                self.inside += 1\n",
        ),
        "count who is inside",
    ),
    "a failure keeps the place": (
        SOLUTION.replace("        try:\n", "        if True:\n")
        .replace("return 200, await work()", "result = await work()")
        .replace(
            "        finally:\n            self.inside -= 1",
            "        self.inside -= 1\n        return 200, result",
        ),
        "give the place back in a finally",
    ),
    "all at once": (
        SOLUTION.replace("async with self.turn", "if True"),
        "first come, first served",
    ),
}
