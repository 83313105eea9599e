"""Answers to exercise 02-xcontext, right and wrong."""

# Why this works: run_in_executor does not take the context along, as
# asyncio.to_thread does. A copy is made at each call, in the task of the caller, and
# context.run calls the function inside it, in the pool that was handed in.
SOLUTION = """
async def offload(pool, function, *args):
    loop = asyncio.get_running_loop()
    context = contextvars.copy_context()
    return await loop.run_in_executor(pool, context.run, function, *args)
"""

STUB = "run_in_executor does not take the context along"

RIGHT = """
## sets each variable by hand
async def offload(pool, function, *args):
    values = dict(contextvars.copy_context())
    def run():
        for variable, value in values.items():
            variable.set(value)
        return function(*args)
    def alone():
        return contextvars.Context().run(run)
    return await asyncio.get_running_loop().run_in_executor(pool, alone)
"""

WRONG = """
## to_thread has no pool => None is the pool that everybody shares
async def offload(pool, function, *args):
    return await asyncio.to_thread(function, *args)
## the context of the definition => see ['nobody', 'nobody', 'nobody']
context = contextvars.copy_context()
async def offload(pool, function, *args):
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(pool, context.run, function, *args)
## runs it on the loop => the function ran on the loop
async def offload(pool, function, *args):
    return function(*args)
## calls it before it is handed over => see [None, None, None]
async def offload(pool, function, *args):
    context = contextvars.copy_context()
    said = context.run(function, *args)
    await asyncio.get_running_loop().run_in_executor(pool, lambda: None)
## hands over text => return what the function returns
-    return await loop.run_in_executor(pool, context.run, function, *args)
+    result = await loop.run_in_executor(pool, context.run, function, *args)
+    return tuple(map(str, result))
## one after the other => let them overlap
+turn = asyncio.Lock()
+
 async def offload(pool, function, *args):
@
-    return await loop.run_in_executor(pool, context.run, function, *args)
+    async with turn:
+        return await loop.run_in_executor(pool, context.run, function, *args)
"""
