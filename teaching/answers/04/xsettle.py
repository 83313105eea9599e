"""Answers to exercise 04-xsettle, right and wrong."""

# Why this works: An error is caught where the job is awaited, and kept at the job's
# place, since jobs do not end in their order. The `sleep(0)` lets the loop look at
# its timers after each job. Without it a worker takes all the jobs that never wait in
# one step. The stub lets one error end the group.
SOLUTION = """
async def settle(jobs, workers):
    left, outcomes = deque(enumerate(jobs)), {}

    async def worker():
        while left:
            place, job = left.popleft()
            try:
                outcomes[place] = await job()
            except Exception as error:
                outcomes[place] = error
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
    return [outcomes[place] for place in sorted(outcomes)]
"""

STUB = "catch the error of a job where it is awaited"

RIGHT = """
## gather of jobs behind a semaphore
async def settle(jobs, workers):
    places = asyncio.Semaphore(workers)
    async def kept(job):
        async with places:
            try:
                return await job()
            except Exception as error:
                return error
            finally:
                await asyncio.sleep(0)
    return await asyncio.gather(*map(kept, jobs))
"""

WRONG = """
## without: return [outcomes[place] for place in sor => a list with an outcome for each job
-    return [outcomes[place] for place in sorted(outcomes)]
+    pass
## gather with a semaphore => a beat is 1.
async def settle(jobs, workers):
    guard = asyncio.Semaphore(workers)
    async def one(job):
        async with guard:
            return await job()
    return await asyncio.gather(*map(one, jobs), return_exceptions=True)
## workers that do not give way => a job that does not wait does not let others in
-            await asyncio.sleep(0)
## in the order in which they end => one job of 1 s and eight of 0.2 s: the outcomes are
async def settle(jobs, workers):
    left, outcomes = deque(jobs), []
    async def worker():
        while left:
            try:
                outcomes.append(await left.popleft()())
            except Exception as error:
                outcomes.append(error)
            await asyncio.sleep(0)
    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
    return outcomes
## in batches => one job of 1 s and eight of 0.2 s: it took 1.4 s
async def settle(jobs, workers):
    outcomes = []
    for start in range(0, len(jobs), workers):
        batch = jobs[start:start + workers]
        outcomes += await asyncio.gather(
            *(job() for job in batch), return_exceptions=True)
    return outcomes
## one after the other => never more than 1 were under way, not 3
async def settle(jobs, workers):
    outcomes = []
    for job in jobs:
        try:
            outcomes.append(await job())
        except Exception as error:
            outcomes.append(error)
        await asyncio.sleep(0)
    return outcomes
## keeps a cancellation, too => cancelled at 0.5 s it works on
-            except Exception as error:
+            except BaseException as error:
## a clock that nobody stops => cancel the workers, or let them end
+    asyncio.create_task(asyncio.sleep(3600))
     left, outcomes = deque(enumerate(jobs)), {}
"""
