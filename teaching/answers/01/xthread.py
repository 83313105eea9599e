"""Answers to exercise 01-xthread, right and wrong."""

# Why this works: The whole `put_nowait` runs on the loop, which
# `call_soon_threadsafe` wakes. The thread goes on at once.
SOLUTION = """
def make_deliver(loop, queue):
    def deliver(item):
        loop.call_soon_threadsafe(queue.put_nowait, item)

    return deliver
"""

STUB = "from another thread only one method of the"

RIGHT = """
## a coroutine in the loop
def make_deliver(loop, queue):
    return lambda item: loop.call_soon_threadsafe(
        lambda: loop.create_task(queue.put(item)))
"""

WRONG = """
## call_soon does not wake the loop => a was delivered before 0.4 s and read at 5 s
-        loop.call_soon_threadsafe(queue.put_nowait, item)
+        loop.call_soon(queue.put_nowait, item)
## a loop of its own in the thread => when a timer woke the loop
def make_deliver(loop, queue):
    return lambda item: asyncio.run(queue.put(item))
## waits for the loop => makes the driver's thread wait
-        loop.call_soon_threadsafe(queue.put_nowait, item)
+        asyncio.run_coroutine_threadsafe(queue.put(item), loop).result()
## a coroutine that nobody awaits => [] were read
def make_deliver(loop, queue):
    return lambda item: loop.call_soon_threadsafe(queue.put, item)
## calls it => make_deliver() returned None, not a function
def make_deliver(loop, queue):
    loop.call_soon(queue.put_nowait, 1)
## the last one first => in the order in which it comes
def make_deliver(loop, queue):
    box = []

    def deliver(item):
        box.append(item)
        loop.call_soon_threadsafe(lambda: queue.put_nowait(box.pop()))

    return deliver
"""
