"""Solutions of the extra exercises of chapter 3: the text of the cell, by name."""

SOLUTIONS = {
    "03-xcount": """
def callbacks(way, parts, pauses):
    if way == "in sequence":
        return 1 + parts * pauses
    steps = parts * (1 + pauses)
    if way == "tasks":
        return 1 + steps + 1
    return 1 + steps + parts + 1
""",
    "03-xerrors": """
async def all_or_nothing(parts):
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(part()) for part in parts]
    except BaseExceptionGroup as several:
        raise several.exceptions[0] from None
    return [task.result() for task in tasks]
""",
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
    "03-xmix": """
def clients(kinds, rate, busy):
    cpu = sum(share * seconds for share, _, seconds in kinds)
    return busy / (cpu * rate)
""",
}
