"""Answers to exercise 01-fix, right and wrong."""

STUB = "call_later counts from now"

RIGHT = {
    "keeps a task and returns it": """
def tick_every(loop, interval, work):
    async def run():
        due = loop.time()
        while True:
            work()
            due += interval
            wake = loop.create_future()
            loop.call_at(due, wake.set_result, None)
            await wake
    return loop.create_task(run())
""",
    "tick every": """
def tick_every(loop, interval, work):
    due = loop.time()

    def tick():
        nonlocal due
        work()
        due += interval
        loop.call_at(due, tick)
    loop.call_soon(tick)
""",
}

WRONG = {
    "counts from 0 and not from the loop's time": (
        """
def tick_every(loop, interval, work):
    n = 0
    def tick():
        nonlocal n
        n += 1
        loop.call_at(n * interval, tick)
        work()
    loop.call_soon(tick)
""",
        "call_later counts from now",
    ),
    "books the next before the work, counted from now": (
        """
def tick_every(loop, interval, work):
    def tick():
        loop.call_later(interval, tick)
        work()

    loop.call_soon(tick)
""",
        "a tick that is late itself must not move the next",
    ),
    "takes off how long the work took": (
        """
def tick_every(loop, interval, work):
    def tick():
        began = loop.time()
        work()
        loop.call_later(interval - (loop.time() - began), tick)

    loop.call_soon(tick)
""",
        "a tick that is late itself must not move the next",
    ),
    "works before it returns": (
        """
def tick_every(loop, interval, work):
    def tick(due):
        loop.call_at(due + interval, tick, due + interval)
        work()

    tick(loop.time())
""",
        "loop.call_soon(function) has the loop call it",
    ),
    "books a hundred ticks and no more": (
        """
def tick_every(loop, interval, work):
    for n in range(100):
        loop.call_at(loop.time() + n * interval, work)
""",
        "each tick books the next",
    ),
    "does the work twice, and later": (
        """
def tick_every(loop, interval, work):
    def tick():
        loop.call_later(interval, tick)
        loop.call_soon(work)
        loop.call_soon(work)

    loop.call_soon(tick)
""",
        "call_later counts from now",
    ),
    "ticks once": (
        """
def tick_every(loop, interval, work):
    loop.call_soon(work)
""",
        "a callback runs once",
    ),
    "calls it now instead of handing it over": (
        """
def tick_every(loop, interval, work):
    loop.call_soon(work())
""",
        "loop.call_soon(function) has the loop call it",
    ),
    "a coroutine": (
        """
async def tick_every(loop, interval, work):
    while True:
        work()
        await asyncio.sleep(interval)
""",
        "define it with 'def'",
    ),
    "all in advance": (
        """
def tick_every(loop, interval, work):
    for number in range(100):
        loop.call_at(loop.time() + number * interval, work)
""",
        "in 300 intervals it ran 100 times",
    ),
    "3": ("tick_every = 3", "not a function"),
    "never": (
        """
def tick_every(loop, interval, work):
    pass
""",
        "ran 0 times",
    ),
    "late": (
        """
def tick_every(loop, interval, work):
    loop.call_later(interval, work)
    loop.call_later(2 * interval, work)
""",
        "call_soon",
    ),
    "for ever": (
        """
def tick_every(loop, interval, work):

    def tick():
        work()
        loop.call_soon(tick)
    loop.call_soon(tick)
""",
        "does not come to an end",
    ),
}
