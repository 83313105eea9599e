"""Answers to exercise 01-fix, right and wrong."""

STUB = "call_later counts from now"

RIGHT = """
## keeps a task and returns it
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
## tick every
def tick_every(loop, interval, work):
    due = loop.time()
    def tick():
        nonlocal due
        work()
        due += interval
        loop.call_at(due, tick)
    loop.call_soon(tick)
"""

WRONG = """
## counts from 0 and not from the loop's time => call_later counts from now
def tick_every(loop, interval, work):
    n = 0
    def tick():
        nonlocal n
        n += 1
        loop.call_at(n * interval, tick)
        work()
    loop.call_soon(tick)
## books the next before the work, counted from now => a tick that is late itself must not move the next
def tick_every(loop, interval, work):
    def tick():
        loop.call_later(interval, tick)
        work()
    loop.call_soon(tick)
## takes off how long the work took => a tick that is late itself must not move the next
def tick_every(loop, interval, work):
    def tick():
        began = loop.time()
        work()
        loop.call_later(interval - (loop.time() - began), tick)
    loop.call_soon(tick)
## works before it returns => loop.call_soon(function) has the loop call it
-    loop.call_soon(tick, loop.time())
+    tick(loop.time())
## books a hundred ticks and no more => each tick asks for the next
def tick_every(loop, interval, work):
    for n in range(100):
        loop.call_at(loop.time() + n * interval, work)
## does the work twice, and later => call_later counts from now
def tick_every(loop, interval, work):
    def tick():
        loop.call_later(interval, tick)
        loop.call_soon(work)
        loop.call_soon(work)
    loop.call_soon(tick)
## ticks once => a callback runs once
def tick_every(loop, interval, work):
    loop.call_soon(work)
## calls it now instead of handing it over => loop.call_soon(function) has the loop call it
def tick_every(loop, interval, work):
    loop.call_soon(work())
## a coroutine => define it with 'def'
async def tick_every(loop, interval, work):
    while True:
        work()
        await asyncio.sleep(interval)
## all in advance => in 300 intervals it ran 100 times
def tick_every(loop, interval, work):
    for number in range(100):
        loop.call_at(loop.time() + number * interval, work)
## 3 => not a function
tick_every = 3
## never => ran 0 times
def tick_every(loop, interval, work):
    pass
## late => call_soon
def tick_every(loop, interval, work):
    loop.call_later(interval, work)
    loop.call_later(2 * interval, work)
## for ever => does not come to an end
def tick_every(loop, interval, work):
    def tick():
        work()
        loop.call_soon(tick)
    loop.call_soon(tick)
"""
