"""Answers to exercise 02-xslices, right and wrong."""

# Why this works: The loop's clock is asked after each item, so a long item pauses at
# once and short ones share a slice. The time is taken anew after each pause.
SOLUTION = """
async def in_slices(items, work, budget):
    loop = asyncio.get_running_loop()
    results, paused = [], loop.time()
    for item in items:
        results.append(work(item))
        if loop.time() - paused >= budget:
            await asyncio.sleep(0)
            paused = loop.time()
    return results
"""

STUB = "a pause only when the budget is used up"

RIGHT = """
## lets others in before and after, too
     results, paused = [], loop.time()
+    await asyncio.sleep(0)
@
-    return results
+    await asyncio.sleep(0)
+    return results
## knows when the slice is over
async def in_slices(items, work, budget):
    time, results = asyncio.get_running_loop().time, []
    until = time() + budget
    for item in items:
        if results and time() >= until:
            await asyncio.sleep(0)
            until = time() + budget
        results += [work(item)]
    return results
"""

WRONG = """
## without: for item in items: => one result for each item
async def in_slices(items, work, budget):
    loop = asyncio.get_running_loop()
    results, paused = ([], loop.time())
    pass
    return results
## never pauses => held the loop for 200 ms at a stretch
async def in_slices(items, work, budget):
    return [work(item) for item in items]
## pauses after each => pauses; 12 are enough
async def in_slices(items, work, budget):
    results = []
    for item in items:
        results.append(work(item))
        await asyncio.sleep(0)
    return results
## does not begin anew after a pause => a pause only when the budget is used up
async def in_slices(items, work, budget):
    loop = asyncio.get_running_loop()
    begun, results = loop.time(), []
    for item in items:
        results.append(work(item))
        if loop.time() - begun >= budget:
            await asyncio.sleep(0)
    return results
## sleeps for a time => sleep(0) is one iteration
-            await asyncio.sleep(0)
+            await asyncio.sleep(0.001)
## looks at the cost of one item => count from the last pause
async def in_slices(items, work, budget):
    loop = asyncio.get_running_loop()
    results = []
    for item in items:
        begun = loop.time()
        results.append(work(item))
        if loop.time() - begun >= budget:
            await asyncio.sleep(0)
    return results
"""
