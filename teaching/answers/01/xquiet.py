"""Answers to exercise 01-xquiet, right and wrong."""

# Why this works: Each touch cancels the timer before it. To cancel one that has run
# does no harm, so the action may touch again.
SOLUTION = """
class Quiet:
    def __init__(self, loop, delay, action):
        self.loop, self.delay, self.action = loop, delay, action
        self.timer = None

    def touch(self):
        if self.timer is not None:
            self.timer.cancel()
        self.timer = self.loop.call_later(self.delay, self.action)
"""

STUB = "each touch begins the wait anew"

RIGHT = {}

WRONG = {
    "without: def touch(self):": (
        """
class Quiet:

    def __init__(self, loop, delay, action):
        self.loop, self.delay, self.action = (loop, delay, action)
        self.timer = None
    pass
""",
        "keep the names of the stub",
    ),
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
}
