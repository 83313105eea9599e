"""Answers to exercise 01-modify, right and wrong."""

STUB = "make an object that knows its callback"

RIGHT = """
## Cancellable
from ontime.check.callbacks import SmallLoop
class CancellableLoop:
    def __init__(self, skip=True):
        self.loop = SmallLoop()
    def call_soon(self, callback, *args):
        self.loop.call_soon(callback, *args)
    def call_later(self, delay, callback, *args):
        class Handle:
            cancelled = False
            def cancel(self):
                self.cancelled = True
        handle = Handle()
        self.loop.call_later(delay, lambda: handle.cancelled or (callback(*args) and None))
        return handle
    def run_forever(self):
        self.loop.run()
"""

WRONG = """
## twice: super().call_later(delay, handle.run) => cancelling one timer must not touch the others
         super().call_later(delay, handle.run)
+        super().call_later(delay, handle.run)
@
         return handle
+check('01-modify', CancellableLoop)
## takes an entry out of the heap => breaks a heap
from heapq import heappop, heappush
from collections import deque
class Timer:
    def __init__(self, loop, entry, callback, args):
        self.loop, self.callback, self.args, self.gone = loop, callback, args, False
    def cancel(self):
        self.gone = True
        for entry in self.loop.heap:
            if entry[2] is self:
                self.loop.heap.remove(entry)
                break
class CancellableLoop:
    def __init__(self):
        self.now, self.count, self.heap, self.ready = 0.0, 0, [], deque()
    def call_soon(self, callback, *args):
        self.ready.append(Timer(self, None, callback, args))
    def call_later(self, delay, callback, *args):
        timer = Timer(self, None, callback, args)
        self.count += 1
        heappush(self.heap, (self.now + delay, self.count, timer))
        return timer
    def run_forever(self):
        while self.ready or self.heap:
            if not self.ready:
                self.now = self.heap[0][0]
            while self.heap and self.heap[0][0] <= self.now:
                self.ready.append(heappop(self.heap)[2])
            for _ in range(len(self.ready)):
                timer = self.ready.popleft()
                if not timer.gone:
                    timer.callback(*timer.args)
## cancels by the moment => cancel() is about one timer
class Handle:
    def __init__(self, loop, when):
        self.loop, self.when = loop, when
    def cancel(self):
        self.loop.gone.add(self.when)
class CancellableLoop(TimerLoop):
    def __init__(self):
        super().__init__()
        self.gone = set()
    def call_later(self, delay, callback, *args):
        when = self.now + delay
        super().call_later(delay, lambda: when in self.gone or callback(*args))
        return Handle(self, when)
## takes it out of the queue that is being run => it raised IndexError
class Handle:
    def __init__(self, loop, item):
        self.loop, self.item = loop, item
    def cancel(self):
        self.loop.timers = [t for t in self.loop.timers if t is not self.item]
        ready = self.item[2:]
        if ready in self.loop.ready:
            self.loop.ready.remove(ready)
class CancellableLoop(TimerLoop):
    def call_later(self, delay, callback, *args):
        item = (self.now + delay, next(self.numbers), callback, args)
        heappush(self.timers, item)
        return Handle(self, item)
## counts every timer from the start => a delay counts from now
class Handle:
    def __init__(self, callback, args):
        self.callback, self.args, self.cancelled = callback, args, False
    def cancel(self):
        self.cancelled = True
    def run(self):
        if not self.cancelled:
            self.callback(*self.args)
class CancellableLoop(TimerLoop):
    def call_later(self, delay, callback, *args):
        handle = Handle(callback, args)
        super().call_later(delay - self.now, handle.run)
        return handle
## cancels by what is called, not by the timer => cancel() is about one timer
class Handle:
    def __init__(self, loop, key):
        self.loop, self.key = loop, key
    def cancel(self):
        self.loop.gone.append(self.key)
class CancellableLoop(TimerLoop):
    def __init__(self):
        super().__init__()
        self.gone = []
    def call_later(self, delay, callback, *args):
        key = (callback, args)
        super().call_later(
            delay, lambda: key in self.gone or callback(*args))
        return Handle(self, key)
## forgets the arguments => compare the parameters of your function with those
class Handle:
    def __init__(self, callback):
        self.callback = callback
    def cancel(self):
        self.callback = lambda: None
    def run(self):
        self.callback()
class CancellableLoop(TimerLoop):
    def call_later(self, delay, callback, *args):
        handle = Handle(callback)
        super().call_later(delay, handle.run)
        return handle
## may be cancelled once only => it raised IndexError
class Handle:
    def __init__(self, callback, args):
        self.work = [(callback, args)]
    def cancel(self):
        self.work.pop()
    def run(self):
        for callback, args in self.work:
            callback(*args)
class CancellableLoop(TimerLoop):
    def call_later(self, delay, callback, *args):
        handle = Handle(callback, args)
        super().call_later(delay, handle.run)
        return handle
## cancels nothing => look whether the timer is cancelled before you call
class CancellableLoop(TimerLoop):
    def call_later(self, delay, callback, *args):
        super().call_later(delay, callback, *args)
        return self
    def cancel(self):
        pass
## takes it out of the heap, too late once it is ready => look whether it is cancelled at the last moment
class Handle:
    def __init__(self, loop, number):
        self.loop, self.number = loop, number
    def cancel(self):
        self.loop.timers = sorted(
            t for t in self.loop.timers if t[1] != self.number)
class CancellableLoop(TimerLoop):
    def call_later(self, delay, callback, *args):
        number = next(self.numbers)
        self.numbers = count(number)
        super().call_later(delay, callback, *args)
        return Handle(self, number)
## an object instead of a class => hand over the class itself
CancellableLoop = TimerLoop()
## Reckless => its callback ran
@@ Cancellable
         self.loop.run()
+class CancellableLoop(CancellableLoop):
+    def call_later(self, delay, callback, *args):
+        super().call_later(delay, callback, *args)
+        return type('Handle', (), {'cancel': lambda self: None})()
## NoHandle => no cancel()
@@ Cancellable
         self.loop.run()
+class CancellableLoop(CancellableLoop):
+    def call_later(self, delay, callback, *args):
+        super().call_later(delay, callback, *args)
## Cancellable() => not a class
@@ Cancellable
-class CancellableLoop:
+class Cancellable:
@
         self.loop.run()
+CancellableLoop = Cancellable()
"""
