"""Plausible wrong answers to the exercises of chapter 1; each must fail its check."""

ANSWERS = {
    "01-predict": {
        "what the first callback makes ready comes next": 'order_of_letters = "ABECD"',
        "the timers before what was made ready meanwhile": 'order_of_letters = "ADCEB"',
        "every callback twice": 'order_of_letters = "AABBCCDDEE"',
        "B at once, as if called": 'order_of_letters = "ABEDC"',
        "timers in the order in which they were set": 'order_of_letters = "AEBCD"',
        "due timers before what is ready": 'order_of_letters = "AEDCB"',
        "in the order of the lines": 'order_of_letters = "CDABE"',
        "a letter is missing": 'order_of_letters = "AEBD"',
    },
    "01-parsons": {
        "never calls": "order = [5, 10, 6, 2, 4, 9, 8, 11]",
        "due timers are lost": "order = [5, 10, 6, 2, 4, 8, 11, 1]",
        "takes a timer before it looks": "order = [5, 10, 6, 4, 2, 9, 8, 11, 1]",
        "runs until the queue is empty": """
order = [5, 10, 6, 2, 4, 9, 3, 11, 1]
""",
        "last in, first out": """
order = [5, 10, 6, 2, 4, 9, 8, 7, 1]
""",
        "runs before it looks at the timers": """
order = [5, 8, 11, 1, 10, 6, 2, 4, 9]
""",
        "looks at the timers before it waits": """
order = [5, 2, 4, 9, 10, 6, 8, 11, 1]
""",
        "never waits": """
order = [5, 2, 4, 9, 8, 11, 1]
""",
    },
    "01-fix": {
        "counts from 0 and not from the loop's time": """
def tick_every(loop, interval, work):
    n = 0
    def tick():
        nonlocal n
        n += 1
        loop.call_at(n * interval, tick)
        work()
    loop.call_soon(tick)
""",
        "books the next before the work, counted from now": """
def tick_every(loop, interval, work):
    def tick():
        loop.call_later(interval, tick)
        work()

    loop.call_soon(tick)
""",
        "takes off how long the work took": """
def tick_every(loop, interval, work):
    def tick():
        began = loop.time()
        work()
        loop.call_later(interval - (loop.time() - began), tick)

    loop.call_soon(tick)
""",
        "works before it returns": """
def tick_every(loop, interval, work):
    def tick(due):
        loop.call_at(due + interval, tick, due + interval)
        work()

    tick(loop.time())
""",
        "books a hundred ticks and no more": """
def tick_every(loop, interval, work):
    for n in range(100):
        loop.call_at(loop.time() + n * interval, work)
""",
        "does the work twice, and later": """
def tick_every(loop, interval, work):
    def tick():
        loop.call_later(interval, tick)
        loop.call_soon(work)
        loop.call_soon(work)

    loop.call_soon(tick)
""",
        "takes a guess at the work": """
def tick_every(loop, interval, work):
    def tick():
        work()
        loop.call_later(interval - 0.25, tick)

    loop.call_soon(tick)
""",
        "counts from the end of the work": """
def tick_every(loop, interval, work):
    def tick():
        work()
        loop.call_at(loop.time() + interval, tick)

    loop.call_soon(tick)
""",
        "ticks once": """
def tick_every(loop, interval, work):
    loop.call_soon(work)
""",
        "calls it now instead of handing it over": """
def tick_every(loop, interval, work):
    loop.call_soon(work())
""",
        "a coroutine": """
async def tick_every(loop, interval, work):
    while True:
        work()
        await asyncio.sleep(interval)
""",
    },
    "01-modify": {
        "cancels by the moment": """
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
""",
        "takes it out of the queue that is being run": """
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
""",
        "counts every timer from the start": """
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
""",
        "cancels by what is called, not by the timer": """
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
""",
        "one flag for all timers": """
class Handle:
    cancelled = False

    def cancel(self):
        Handle.cancelled = True

class CancellableLoop(TimerLoop):
    def call_later(self, delay, callback, *args):
        handle = Handle()
        super().call_later(
            delay, lambda: handle.cancelled or callback(*args))
        return handle
""",
        "forgets the arguments": """
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
""",
        "may be cancelled once only": """
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
""",
        "cancels nothing": """
class CancellableLoop(TimerLoop):
    def call_later(self, delay, callback, *args):
        super().call_later(delay, callback, *args)
        return self

    def cancel(self):
        pass
""",
        "takes it out of the heap, too late once it is ready": """
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
""",
        "cancels every timer": """
class CancellableLoop(TimerLoop):
    def call_later(self, delay, callback, *args):
        super().call_later(delay, callback, *args)
        return self

    def cancel(self):
        self.timers.clear()
""",
        "an object instead of a class": "CancellableLoop = TimerLoop()",
    },
    "01-make": {
        "asks again and again": """
def gather(loop, coroutines):
    future = loop.create_future()
    tasks = [loop.create_task(c) for c in coroutines]
    def look():
        if all(t.done() for t in tasks):
            future.set_result([t.result() for t in tasks])
        else:
            loop.call_soon(look)
    look()
    return future
""",
        "a list that is filled later": """
def gather(loop, coroutines):
    future, results = loop.create_future(), []
    async def each():
        for t in tasks:
            results.append(await t)
    tasks = [loop.create_task(c) for c in coroutines]
    loop.create_task(each())
    future.set_result(results)
    return future
""",
        "runs the loop itself": """
def gather(loop, coroutines):
    tasks = [loop.create_task(each) for each in coroutines]
    loop.run()
    future = loop.create_future()
    future.set_result([task.result() for task in tasks])
    return future
""",
        "the first result for all": """
def gather(loop, coroutines):
    future = loop.create_future()
    tasks = [loop.create_task(each) for each in coroutines]

    def look(task):
        if not future.done():
            future.set_result([task.result()] * len(tasks))

    for task in tasks:
        task.add_done_callback(look)
    if not tasks:
        future.set_result([])
    return future
""",
        "waits for the last coroutine only": """
def gather(loop, coroutines):
    future = loop.create_future()
    tasks = [loop.create_task(each) for each in coroutines]
    if not tasks:
        future.set_result([])
    else:
        tasks[-1].add_done_callback(
            lambda _: future.set_result([t.result() for t in tasks]))
    return future
""",
        "one after the other": """
def gather(loop, coroutines):
    async def each():
        return [await loop.create_task(one) for one in coroutines]

    return loop.create_task(each())
""",
        "in the order in which they end": """
def gather(loop, coroutines):
    future, results = loop.create_future(), []

    def note(task):
        results.append(task.result())
        if len(results) == len(coroutines):
            future.set_result(results)

    for each in coroutines:
        loop.create_task(each).add_done_callback(note)
    if not coroutines:
        future.set_result([])
    return future
""",
        "waits for ever if there is nothing to wait for": """
def gather(loop, coroutines):
    future = loop.create_future()
    tasks = [loop.create_task(each) for each in coroutines]

    def look(_):
        if not future.done() and all(t.done() for t in tasks):
            future.set_result([t.result() for t in tasks])

    for task in tasks:
        task.add_done_callback(look)
    return future
""",
        "sets the result twice": """
def gather(loop, coroutines):
    future = loop.create_future()
    tasks = [loop.create_task(each) for each in coroutines]

    def look(_):
        if all(t.done() for t in tasks):
            future.set_result([t.result() for t in tasks])

    for task in tasks:
        task.add_done_callback(look)
    if not tasks:
        future.set_result([])
    return future
""",
        "the tasks instead of their results": """
def gather(loop, coroutines):
    future = loop.create_future()
    tasks = [loop.create_task(each) for each in coroutines]

    def look(_):
        if not future.done() and all(t.done() for t in tasks):
            future.set_result(tasks)

    for task in tasks:
        task.add_done_callback(look)
    if not tasks:
        future.set_result([])
    return future
""",
    },
}
