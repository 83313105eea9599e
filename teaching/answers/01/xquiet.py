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

RIGHT = """
## a timer that looks whether it is the last
class Quiet:
    def __init__(self, loop, delay, action):
        self.loop, self.delay, self.action = loop, delay, action
        self.touched = 0
    def touch(self):
        self.touched += 1
        self.loop.call_later(self.delay, self.act, self.touched)
    def act(self, touched):
        if touched == self.touched:
            self.action()
"""

WRONG = """
## without: def touch(self): => keep the names of the stub
class Quiet:
    def __init__(self, loop, delay, action):
        self.loop, self.delay, self.action = (loop, delay, action)
        self.timer = None
    pass
## acts at the first touch and then rests => came at [1.25], not [2.0]
class Quiet:
    def __init__(self, loop, delay, action):
        self.loop, self.delay, self.action = loop, delay, action
        self.until = 0
    def touch(self):
        if self.loop.time() >= self.until:
            self.until = self.loop.time() + self.delay
            self.loop.call_at(self.until, self.action)
## acts once in its life => after the action the next touch begins a new wait
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
## forgets the touch that the action makes => also a touch that the action itself makes
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
## acts from the start => touched at []: the action came at [1.0]
-        self.timer = None
+        self.touch()
@
-        if self.timer is not None:
+        if hasattr(self, "timer"):
"""
