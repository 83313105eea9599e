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

RIGHT = """
## futures by hand
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
"""

WRONG = """
## without: return await asyncio.wrap_future(future) => return what the work returned
-    return await asyncio.wrap_future(future)
+    pass
## without: future = asyncio.run_coroutine_threadsaf => work() makes the coroutine
-    future = asyncio.run_coroutine_threadsafe(work(), loop)
+    pass
## it waits with its thread => with its thread
-    return await asyncio.wrap_future(future)
+    return future.result()
## it runs the work itself => in the thread that asks
async def ask(loop, work):
    return await work()
## a task made from here => in the thread that asks
async def ask(loop, work):
    return await loop.create_task(work())
## a future that the other thread fills => touched from the thread of the other
async def ask(loop, work):
    answer = asyncio.get_running_loop().create_future()
    async def there():
        answer.set_result(await work())
    asyncio.run_coroutine_threadsafe(there(), loop)
    return await answer
## a shield => the work went on in the other thread
-    return await asyncio.wrap_future(future)
+    return await asyncio.shield(asyncio.wrap_future(future))
## the error is swallowed => let it come out
async def ask(loop, work):
    future = asyncio.run_coroutine_threadsafe(work(), loop)
    try:
        return await asyncio.wrap_future(future)
    except OSError:
        return None
"""
