"""The extra exercises of chapter 7."""

from __future__ import annotations

from tests.ontime.check.bank.bank import Answers, Right, Wrong
from tests.ontime.check.bank.mistakes import changed

UNWATCHED = """
async def under_lease(steps, renew, lease):
    async def keep():
        while True:
            await asyncio.sleep(lease / 3)
            await renew()

    with priority(3):
        keeper = asyncio.create_task(keep())
    for step in steps:
        await step()
    keeper.cancel()
    await asyncio.gather(keeper, return_exceptions=True)
"""

WRONG: Wrong = {
    "07-xslack": {
        "the piece is forgotten": (
            changed("07-xslack", ("piece + ", "")),
            "nothing interrupts a piece that has just begun",
        ),
        "the last one waits for itself": (
            changed("07-xslack", ("(urgent - 1)", "urgent")),
            "not for itself",
        ),
        "the others are forgotten": (
            changed("07-xslack", (" + (urgent - 1) * cost", "")),
            "then those of the same priority",
        ),
        "three iterations": (
            changed("07-xslack", ("return piece", "return 3 * piece")),
            "one urgent task waits for one piece",
        ),
    },
    "07-xlease": {
        "a task, but not urgent": (
            changed("07-xlease", ("with priority(3):", "if True:")),
            "made inside 'with priority(3)'",
        ),
        "everything is urgent": (
            changed(
                "07-xlease",
                ("        for step in steps:", "            for step in steps:"),
                ("            await step()", "                await step()"),
            ),
            "the steps ran at priority 3",
        ),
        "nobody looks at the keeper": (UNWATCHED, "as if nothing had been"),
        "the keeper goes on": (
            changed(
                "07-xlease",
                (
                    "    async with asyncio.TaskGroup() as tasks:\n        with",
                    "    if tasks := asyncio:\n        with",
                ),
                ("        keeper.cancel()", "        return keeper"),
            ),
            "cancel the task that keeps it",
        ),
        "far too often": (
            changed("07-xlease", ("lease / 3", "0.01")),
            "each renewal is a call to the bus",
        ),
        "too seldom": (
            changed("07-xlease", ("lease / 3", "lease")),
            "nobody renewed",
        ),
    },
    "07-xinvert": {
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
    },
    "07-xage": {
        "the oldest": (
            changed("07-xage", ("level + (now - since) / 10", "now - since")),
            "is not first at once",
        ),
        "by whole levels": (
            changed("07-xage", ("(now - since) / 10", "(now - since) // 10")),
            "gradually",
        ),
        "the last of equals": (
            changed(
                "07-xage",
                ("max(range(len(waiting))", "max(reversed(range(len(waiting)))"),
            ),
            "among equals whoever came first",
        ),
        "it returns the job": (
            "\ndef next_job(waiting, now):\n    return max(waiting)\n",
            "a place: 0 for the first",
        ),
    },
    "07-xdue": {
        "the shortest first": (
            changed("07-xdue", ("ready[place][1]", "ready[place][0]")),
            "the earliest deadline first",
        ),
        "first come, first served": (
            "\ndef next_job(ready, now):\n    return 0\n",
            "in time",
        ),
        "its cost is forgotten": (
            changed("07-xdue", ("now + cost <= due", "now <= due")),
            "pass it by",
        ),
        "a job, not a place": (
            changed("07-xdue", ("for place, (cost, due)", "for (cost, due), place"))
            .replace("enumerate(ready)", "zip(ready, ready)")
            .replace("ready[place][1]", "place[1]"),
            "a place in ready, or None",
        ),
    },
}


RIGHT: Right = {
    "a priority for the lock alone": (
        "07-xinvert",
        """
async def refresh(lock, fetch, store):
    data = await fetch()

    async def urgently():
        async with lock:
            await store(data)

    with priority(3):
        await asyncio.create_task(urgently())
""",
    ),
    "a loop over the jobs that wait": (
        "07-xage",
        """
def next_job(waiting, now):
    best = 0
    for place, (level, since) in enumerate(waiting):
        first = waiting[best]
        if level - since / 10 > first[0] - first[1] / 10:
            best = place
    return best
""",
    ),
    "a keeper that cancels the work": (
        "07-xlease",
        """
async def under_lease(steps, renew, lease):
    async def keep():
        while True:
            await asyncio.sleep(lease / 4)
            await renew()

    async def work():
        for step in steps:
            await step()

    with priority(3):
        keeper = asyncio.create_task(keep())
    working = asyncio.create_task(work())
    try:
        await asyncio.wait([keeper, working], return_when="FIRST_COMPLETED")
        if keeper.done():
            keeper.result()
        await working
    finally:
        keeper.cancel()
        working.cancel()
""",
    ),
}


class TestAnswers(Answers):
    wrong = WRONG
    right = RIGHT
