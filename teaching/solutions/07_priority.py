"""Solutions of the extra exercises of chapter 7: the text of the cell, by name.

Above each stand why it works, and what the check says of the stub.
"""

SOLUTIONS = {
    # Why this works: Nothing interrupts a piece, so the first urgent task waits for one
    # at most. On a priority loop no other piece comes between the urgent ones, so the
    # last waits for all the urgent ones before it.
    # Of the stub the check says: latest_start() returned no number. Its hint: does it
    # end with a return statement?
    "07-xslack": """
def latest_start(piece, urgent, cost):
    return piece + (urgent - 1) * cost
""",
    # Why this works: The lease has a task of its own, made at priority 3, so it waits
    # for one computation and not for its turn among all. A third of the lease leaves
    # room for that. The TaskGroup ends the work when renew raises; cancel ends the
    # renewals.
    # Of the stub the check says: a lease of 3 s, steps of 0.5 s, ten others beside it:
    # for 10.50 s nobody renewed. Its hint: the lease waits in the queue with everybody
    # else: a task that is made inside 'with priority(3)' does not.
    "07-xlease": """
async def under_lease(steps, renew, lease):
    async def keep():
        while True:
            await asyncio.sleep(lease / 3)
            await renew()

    async with asyncio.TaskGroup() as tasks:
        with priority(3):
            keeper = tasks.create_task(keep())
        for step in steps:
            await step()
        keeper.cancel()
""",
    # Why this works: The lock is held only for what needs it, so fetch stays at
    # priority 1 outside. `with priority(3)` stands around the lock: waiting for it,
    # waking and storing are all urgent, and middling work cannot come between.
    # Of the stub the check says: work of middling priority began after 0.35 s, and the
    # urgent task waited for the lock for 11.05 s. Its hint: do not hold the lock while
    # you fetch: only store() needs it.
    "07-xinvert": """
async def refresh(lock, fetch, store):
    data = await fetch()
    with priority(3):
        async with lock:
            await store(data)
""",
    # Why this works: The level grows with the time that was waited, a tenth of a level
    # in a second. max returns the first of equal ones, and the list is in the order in
    # which the jobs came.
    # Of the stub the check says: waiting are priority 0 for 30.5 s, priority 3 for 0 s;
    # you serve the one at place 1, and 0 is due. Its hint: a job that waits rises,
    # gradually: by a quarter of a level in 2.5 s.
    "07-xage": """
def next_job(waiting, now):
    def aged(place):
        level, since = waiting[place]
        return level + (now - since) / 10

    return max(range(len(waiting)), key=aged)
""",
    # Why this works: A job that cannot be in time any more would only take the time of
    # another, so it is passed by. Among the rest the earliest deadline first is in time
    # whenever it can be; min takes a default for the empty list.
    # Of the stub the check says: 114% of the time is wanted: 37 of 60 jobs were in
    # time, and 57 could be. Its hint: a job that cannot be in time any more takes the
    # time of one that could: pass it by. Of the others, the earliest deadline first.
    "07-xdue": """
def next_job(ready, now):
    able = [place for place, (cost, due) in enumerate(ready)
            if now + cost <= due]
    return min(able, key=lambda place: ready[place][1], default=None)
""",
}
