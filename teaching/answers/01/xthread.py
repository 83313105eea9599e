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

RIGHT = {}

WRONG = {
    "call_soon does not wake the loop": (
        """
def make_deliver(loop, queue):
    def deliver(item):
        loop.call_soon(queue.put_nowait, item)
    return deliver
""",
        "a was delivered before 0.4 s and read at 5 s",
    ),
    "a loop of its own in the thread": (
        """
def make_deliver(loop, queue):
    return lambda item: asyncio.run(queue.put(item))
""",
        "when a timer woke the loop",
    ),
    "waits for the loop": (
        """
def make_deliver(loop, queue):
    def deliver(item):
        asyncio.run_coroutine_threadsafe(queue.put(item), loop).result()
    return deliver
""",
        "makes the driver's thread wait",
    ),
    "a coroutine that nobody awaits": (
        """
def make_deliver(loop, queue):
    return lambda item: loop.call_soon_threadsafe(queue.put, item)
""",
        "[] were read",
    ),
    "calls it": (
        """
def make_deliver(loop, queue):
    loop.call_soon(queue.put_nowait, 1)
""",
        "make_deliver() returned None, not a function",
    ),
}
