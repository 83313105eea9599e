"""Answers to exercise 06-xacross, right and wrong."""

# Why this works: `run_coroutine_threadsafe` gives a future of threads, and
# `wrap_future` one that this loop can await. The result or the error passes one way,
# a cancelling the other.
SOLUTION = """
async def ask(loop, work):
    future = asyncio.run_coroutine_threadsafe(work(), loop)
    return await asyncio.wrap_future(future)
"""

STUB = "do not ask whether it is done"

RIGHT = {
    "futures by hand": """
async def ask(loop, work):
    here = asyncio.get_running_loop()
    answer = here.create_future()
    tasks = []

    def over(task):
        if task.cancelled():
            return
        error = task.exception()
        if error:
            here.call_soon_threadsafe(answer.set_exception, error)
        else:
            here.call_soon_threadsafe(answer.set_result, task.result())

    def start():
        tasks.append(loop.create_task(work()))
        tasks[0].add_done_callback(over)

    loop.call_soon_threadsafe(start)
    try:
        return await answer
    except asyncio.CancelledError:
        loop.call_soon_threadsafe(lambda: tasks[0].cancel())
        raise
""",
}

WRONG = {
    "without: return await asyncio.wrap_future(future)": (
        """
async def ask(loop, work):
    future = asyncio.run_coroutine_threadsafe(work(), loop)
    pass
""",
        "return what the work returned",
    ),
    "without: future = asyncio.run_coroutine_threadsaf": (
        """
async def ask(loop, work):
    pass
    return await asyncio.wrap_future(future)
""",
        "work() makes the coroutine",
    ),
    "it waits with its thread": (
        SOLUTION.replace("await asyncio.wrap_future(future)", "future.result()"),
        "with its thread",
    ),
    "it runs the work itself": (
        """
async def ask(loop, work):
    return await work()
""",
        "in the thread of the one who asks",
    ),
    "a task made from here": (
        """
async def ask(loop, work):
    return await loop.create_task(work())
""",
        "in the thread of the one who asks",
    ),
    "a future that the other thread fills": (
        """
async def ask(loop, work):
    answer = asyncio.get_running_loop().create_future()

    async def there():
        answer.set_result(await work())

    asyncio.run_coroutine_threadsafe(there(), loop)
    return await answer
""",
        "touched from the thread of the other",
    ),
    "a shield": (
        SOLUTION.replace(
            "asyncio.wrap_future(future)", "asyncio.shield(asyncio.wrap_future(future))"
        ),
        "the work went on in the other thread",
    ),
    "the error is swallowed": (
        """
async def ask(loop, work):
    future = asyncio.run_coroutine_threadsafe(work(), loop)
    try:
        return await asyncio.wrap_future(future)
    except OSError:
        return None
""",
        "let it come out",
    ),
}
