"""Answers to exercise 07-xinvert, right and wrong."""

# Why this works: The lock is held only for what needs it, so fetch stays at priority
# 1 outside. `with priority(3)` stands around the lock: waiting for it, waking and
# storing are all urgent, and middling work cannot come between.
SOLUTION = """
async def refresh(lock, fetch, store):
    data = await fetch()
    with priority(3):
        async with lock:
            await store(data)
"""

STUB = "do not hold the lock while you fetch"

RIGHT = """
## a priority for the lock alone
async def refresh(lock, fetch, store):
    data = await fetch()
    async def urgently():
        async with lock:
            await store(data)
    with priority(3):
        await asyncio.create_task(urgently())
"""

WRONG = """
## twice: data = await fetch() => fetch once
 async def refresh(lock, fetch, store):
+    data = await fetch()
## the lock for the store only => has to be as urgent as one that waits
async def refresh(lock, fetch, store):
    data = await fetch()
    async with lock:
        await store(data)
## inside the lock => while refresh() waited for the lock
async def refresh(lock, fetch, store):
    data = await fetch()
    async with lock:
        with priority(3):
            await store(data)
## all of it urgent, all of it locked => only the short part needs either
async def refresh(lock, fetch, store):
    with priority(3):
        async with lock:
            data = await fetch()
            await store(data)
## all of it urgent => the long computation is not urgent
async def refresh(lock, fetch, store):
    with priority(3):
        data = await fetch()
        async with lock:
            await store(data)
## no lock => store() was called without the lock
async def refresh(lock, fetch, store):
    await store(await fetch())
"""
