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

RIGHT = {
    "a priority for the lock alone": """
async def refresh(lock, fetch, store):
    data = await fetch()

    async def urgently():
        async with lock:
            await store(data)

    with priority(3):
        await asyncio.create_task(urgently())
""",
}

WRONG = {
    "twice: data = await fetch()": (
        """
async def refresh(lock, fetch, store):
    data = await fetch()
    data = await fetch()
    with priority(3):
        async with lock:
            await store(data)
""",
        "fetch once",
    ),
    "the lock for the store only": (
        """
async def refresh(lock, fetch, store):
    data = await fetch()
    async with lock:
        await store(data)
""",
        "has to be as urgent as whoever may wait",
    ),
    "inside the lock": (
        """
async def refresh(lock, fetch, store):
    data = await fetch()
    async with lock:
        with priority(3):
            await store(data)
""",
        "while refresh() waited for the lock",
    ),
    "all of it urgent, all of it locked": (
        """
async def refresh(lock, fetch, store):
    with priority(3):
        async with lock:
            data = await fetch()
            await store(data)
""",
        "only the short part needs either",
    ),
    "all of it urgent": (
        """
async def refresh(lock, fetch, store):
    with priority(3):
        data = await fetch()
        async with lock:
            await store(data)
""",
        "the long computation is not urgent",
    ),
    "no lock": (
        """
async def refresh(lock, fetch, store):
    await store(await fetch())
""",
        "store() was called without the lock",
    ),
}
