"""Solutions of the extra exercises of chapter 7: the text of the cell, by name."""

SOLUTIONS = {
    "07-xslack": """
def latest_start(piece, urgent, cost):
    return piece + (urgent - 1) * cost
""",
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
    "07-xinvert": """
async def refresh(lock, fetch, store):
    data = await fetch()
    with priority(3):
        async with lock:
            await store(data)
""",
    "07-xage": """
def next_job(waiting, now):
    def aged(place):
        level, since = waiting[place]
        return level + (now - since) / 10

    return max(range(len(waiting)), key=aged)
""",
    "07-xdue": """
def next_job(ready, now):
    able = [place for place, (cost, due) in enumerate(ready)
            if now + cost <= due]
    return min(able, key=lambda place: ready[place][1], default=None)
""",
}
