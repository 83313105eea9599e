"""Answers to exercise 01-make, right and wrong."""

STUB = "make one with loop.create_future() and return it at once"

RIGHT = """
## gather
def gather(loop, coroutines):
    tasks = [loop.create_task(one) for one in coroutines]
    async def wait():
        return [await task for task in tasks]
    return loop.create_task(wait())
"""

WRONG = """
## asks again and again => a callback that is made ready during an
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
## a list that is filled later => make all the tasks first
def gather(loop, coroutines):
    future, results = loop.create_future(), []
    async def each():
        for t in tasks:
            results.append(await t)
    tasks = [loop.create_task(c) for c in coroutines]
    loop.create_task(each())
    future.set_result(results)
    return future
## runs the loop itself => return the future at once
def gather(loop, coroutines):
    tasks = [loop.create_task(each) for each in coroutines]
    loop.run()
    future = loop.create_future()
    future.set_result([task.result() for task in tasks])
    return future
## the first result for all => ask each task for its result() once all are done
-    def look(_):
-        if not future.done() and all(t.done() for t in tasks):
-            future.set_result([t.result() for t in tasks])
+    def look(task):
+        if not future.done():
+            future.set_result([task.result()] * len(tasks))
## waits for the last coroutine only => it raised RuntimeError
def gather(loop, coroutines):
    future = loop.create_future()
    tasks = [loop.create_task(each) for each in coroutines]
    if not tasks:
        future.set_result([])
    else:
        tasks[-1].add_done_callback(
            lambda _: future.set_result([t.result() for t in tasks]))
    return future
## one after the other => make all the tasks first
def gather(loop, coroutines):
    async def each():
        return [await loop.create_task(one) for one in coroutines]
    return loop.create_task(each())
## in the order in which they end => keep the order of the coroutines
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
## waits for ever if there is nothing to wait for => what sets it when the last task ends
-    if not tasks:
-        future.set_result([])
## sets the result twice => it raised RuntimeError
-        if not future.done() and all(t.done() for t in tasks):
+        if all(t.done() for t in tasks):
## the tasks instead of their results => ask each task for its result() once all are done
-            future.set_result([t.result() for t in tasks])
+            future.set_result(tasks)
## a coroutine => async function
async def gather(loop, coroutines):
    pass
## nothing => not a future
def gather(loop, coroutines):
    pass
## for ever => does not come to an end
def gather(loop, coroutines):
    def again():
        loop.call_soon(again)
    again()
    return loop.create_future()
## never => never got its result
def gather(loop, coroutines):
    return loop.create_future()
"""
