"""Solutions of the extra exercises of chapter 3: the text of the cell, by name.

Above each stand why it works, and what the check says of the stub.
"""

SOLUTIONS = {
    # Why this works: A pause ends a step, and one more follows. In sequence all steps
    # are the request's: one, and one for each pause. A task has one step more than it
    # has pauses. The request adds its first step and one wake-up, since all parts end
    # in the same iteration. `gather` adds a callback for each part. The stub forgets
    # the pauses.
    # Of the stub the check says: in sequence, 1 parts with 1 pauses each: the loop runs
    # 2 callbacks, and your function says 1. Its hint: the first step, and one more for
    # each pause, since a sleep(0) puts the same task into the queue again.
    "03-xcount": """
def callbacks(way, parts, pauses):
    if way == "in sequence":
        return 1 + parts * pauses
    steps = parts * (1 + pauses)
    if way == "tasks":
        return 1 + steps + 1
    return 1 + steps + parts + 1
""",
    # Why this works: A `TaskGroup` cancels the others *and waits* until they have
    # ended. It raises a group, and the one error is taken out of it. The stub's
    # `gather` lets the others run on.
    # Of the stub the check says: part 1 fails after 1 s, part 0 would take 9 s: raised
    # PartError('part 1'), and a task goes on, at 1 s. Its hint: gather() lets the
    # others go on when one has failed. A TaskGroup cancels them and waits; it raises a
    # group: exceptions[0] is the error.
    "03-xerrors": """
async def all_or_nothing(parts):
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(part()) for part in parts]
    except BaseExceptionGroup as several:
        raise several.exceptions[0] from None
    return [task.result() for task in tasks]
""",
    # Why this works: The first that is done may have failed, so the wait is in a loop.
    # A cancelled task has not ended yet, so `finally` waits for all of them. The stub
    # does neither.
    # Of the stub the check says: sources of 3 and 1 s: returned 'source 1', at 1 s, and
    # a task goes on. Wanted: 0 is over, returned 'source 1', at 1.25 s. Its hint:
    # cancel the others and wait until they have ended: asyncio.wait() takes a set of
    # tasks.
    "03-xfirst": """
async def first(sources):
    waiting = {asyncio.create_task(source()) for source in sources}
    every = list(waiting)
    try:
        while waiting:
            done, waiting = await asyncio.wait(
                waiting, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done:
                if not task.exception():
                    return task.result()
                last = task
        return last.result()
    finally:
        for task in every:
            task.cancel()
        await asyncio.gather(*every, return_exceptions=True)
""",
    # Why this works: What is kept is the *task* that loads, from its beginning, so who
    # comes later awaits the same one. `shield` keeps one who is cancelled from
    # cancelling it, and a callback forgets a failure. The stub keeps the value, and it
    # comes too late.
    # Of the stub the check says: ten asked for a at once; it was loaded 10 times in 1
    # s. Its hint: a value is in the cache only when it has come. Keep the task that
    # loads it, from the moment at which it begins.
    "03-xcache": """
class Cache:
    def __init__(self, load):
        self.load, self.tasks = load, {}

    async def get(self, key):
        task = self.tasks.get(key)
        if task is None:
            task = self.tasks[key] = asyncio.create_task(self.load(key))
            task.add_done_callback(partial(self.forget, key))
        return await asyncio.shield(task)

    def forget(self, key, task):
        if task.cancelled() or task.exception():
            del self.tasks[key]
""",
    # Why this works: Add the CPU seconds, each with its share, then divide. A mean of
    # the *clients* is wrong, and latency plays no part.
    # Of the stub the check says: clients() returned no number. Its hint: does it end
    # with a return statement?
    "03-xmix": """
def clients(kinds, rate, busy):
    cpu = sum(share * seconds for share, _, seconds in kinds)
    return busy / (cpu * rate)
""",
}
