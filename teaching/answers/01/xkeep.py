"""Answers to exercise 01-xkeep, right and wrong."""

# Why this works: The loop holds its tasks only weakly. The set holds each strongly,
# and a done callback takes it out again, however it ended: no memory grows, and the
# length of the set is the answer.
SOLUTION = """
class Background:
    def __init__(self):
        self.tasks = set()

    def start(self, coroutine):
        task = asyncio.create_task(coroutine)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def __len__(self):
        return len(self.tasks)
"""

STUB = "the loop keeps only weak references to tasks"

RIGHT = {}

WRONG = {
    "returns 7": (
        """
class Background:

    def __init__(self):
        self.tasks = set()

    def start(self, coroutine):
        task = asyncio.create_task(coroutine)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def __len__(self):
        return 7
""",
        "count the tasks that you hold",
    ),
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
}
