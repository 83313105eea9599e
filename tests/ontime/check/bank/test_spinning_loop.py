"""The extra exercises of chapter 6."""

from __future__ import annotations

import asyncio
import concurrent.futures

from tests.ontime.check.bank.bank import Answers, Right, Wrong, verdict_on
from tests.ontime.check.bank.mistakes import changed

ONE_BY_ONE = """
def causes(measure):
    usual = measure()
    other = {"interval": 0.1, "gap": 0.001, "cores": 9}
    return {name for name in other if measure(**{name: other[name]}) != usual}
"""

ALL_AT_ONCE = """
def causes(measure):
    if measure(interval=0.1, gap=0.001, cores=9) != measure():
        return {"interval", "gap", "cores"}
    return set()
"""

WRONG: Wrong = {
    "06-xevent": {
        "it looks once": (
            changed("06-xevent", ("while self.count", "if self.count")),
            "'while', not 'if'",
        ),
        "the event stays set": (
            changed("06-xevent", ("        self.changed = asyncio.Event()\n\n", "\n")),
            "it holds the loop for ever",
        ),
        "a poll in other clothes": (
            changed("06-xevent", ("self.changed.wait()", "asyncio.sleep(0.1)")),
            "a task that looks again and again polls",
        ),
        "told at the first number only": (
            changed(
                "06-xevent", ("        self.changed.set()\n", "        self.first()\n")
            )
            + "\n    def first(self):\n"
            "        if self.count >= 9:\n            self.changed.set()\n",
            "must not be missed",
        ),
        "add is async": (
            changed("06-xevent", ("def add", "async def add")),
            "make it a plain one",
        ),
    },
    "06-xlost": {
        "the event stays set": (
            changed("06-xlost", ("            self.come.clear()\n", "")),
            "it holds the loop for ever",
        ),
        "another thread sets it": (
            changed(
                "06-xlost",
                ("self.loop.call_soon_threadsafe(self.come.set)", "self.come.set()"),
            ),
            "from another thread",
        ),
        "a nap": (
            changed(
                "06-xlost", ("await self.come.wait()", "await asyncio.sleep(0.05)")
            ),
            "a reader that looks again and again polls",
        ),
        "from the wrong end": (
            changed("06-xlost", ("popleft()", "pop()")),
            "each once, and in order",
        ),
        "the letter stays": (
            changed("06-xlost", ("self.letters.popleft()", "self.letters[0]")),
            "each once, and in order",
        ),
    },
    "06-xacross": {
        "it waits with its thread": (
            changed(
                "06-xacross", ("await asyncio.wrap_future(future)", "future.result()")
            ),
            "with its thread",
        ),
        "it runs the work itself": (
            "\nasync def ask(loop, work):\n    return await work()\n",
            "in the thread of the one who asks",
        ),
        "a task made from here": (
            "\nasync def ask(loop, work):\n    return await loop.create_task(work())\n",
            "in the thread of the one who asks",
        ),
        "a future that the other thread fills": (
            """
async def ask(loop, work):
    answer = asyncio.get_running_loop().create_future()

    async def there():
        answer.set_result(await work())

    asyncio.run_coroutine_threadsafe(there(), loop)
    return await answer
""",
            "touched from the thread of the other",
        ),
        "a shield": (
            changed(
                "06-xacross",
                (
                    "asyncio.wrap_future(future)",
                    "asyncio.shield(asyncio.wrap_future(future))",
                ),
            ),
            "the work went on in the other thread",
        ),
        "the error is swallowed": (
            """
async def ask(loop, work):
    future = asyncio.run_coroutine_threadsafe(work(), loop)
    try:
        return await asyncio.wrap_future(future)
    except OSError:
        return None
""",
            "let it come out",
        ),
    },
    "06-xguard": {
        "it never asks": (
            changed(
                "06-xguard",
                ("        await session.ask()\n", ""),
                ("        await session.settled()\n", ""),
            ),
            "some loops spin only after their first answer",
        ),
        "it counts while the session answers": (
            changed("06-xguard", ("        await session.settled()\n", "")),
            "begin to count when it is settled",
        ),
        "no turn is allowed": (
            changed("06-xguard", ("<= 10", "== 0")),
            "a few turns are allowed",
        ),
        "too many are allowed": (
            changed("06-xguard", ("<= 10", "<= 1000")),
            "a session that naps after an answer passes",
        ),
        "left open": (
            changed(
                "06-xguard",
                (
                    "    finally:\n        await session.close()",
                    "    finally:\n        pass",
                ),
            ),
            "close it in a finally",
        ),
        "no time to turn": (
            changed("06-xguard", ("asyncio.sleep(0.3)", "asyncio.sleep(0)")),
            "passes the test",
        ),
    },
    "06-xcauses": {
        "one at a time only": (ONE_BY_ONE, "a cause can stand behind another"),
        "all at once": (ALL_AT_ONCE, "change one thing at a time"),
        "the name of a cause that is none": (
            "\ndef causes(measure):\n    return {'strace'}\n",
            "a set of names",
        ),
    },
}


RIGHT: Right = {
    "a condition in Progress": (
        "06-xevent",
        """
class Progress:
    def __init__(self):
        self.count, self.waiting = 0, []

    def add(self, n):
        self.count += n
        for number, future in self.waiting:
            if self.count >= number and not future.done():
                future.set_result(None)

    async def at_least(self, n):
        if self.count < n:
            future = asyncio.get_running_loop().create_future()
            self.waiting.append((n, future))
            await future
""",
    ),
    "a mailbox with a queue": (
        "06-xlost",
        """
class Mailbox:
    def __init__(self):
        self.loop = asyncio.get_running_loop()
        self.letters = asyncio.Queue()
        self.get = self.letters.get

    def put(self, item):
        self.loop.call_soon_threadsafe(self.letters.put_nowait, item)
""",
    ),
    "each of the programs takes 0.41 s": (
        "06-xcauses",
        changed(
            "06-xcauses",
            (
                "    found = set()\n",
                "    found = set()\n    assert abs(measure() - 0.41) < 1e-9\n",
            ),
        ),
    ),
    "futures by hand": (
        "06-xacross",
        """
async def ask(loop, work):
    here = asyncio.get_running_loop()
    answer = here.create_future()
    tasks = []

    def over(task):
        if task.cancelled():
            return
        error = task.exception()
        if error:
            here.call_soon_threadsafe(answer.set_exception, error)
        else:
            here.call_soon_threadsafe(answer.set_result, task.result())

    def start():
        tasks.append(loop.create_task(work()))
        tasks[0].add_done_callback(over)

    loop.call_soon_threadsafe(start)
    try:
        return await answer
    except asyncio.CancelledError:
        loop.call_soon_threadsafe(lambda: tasks[0].cancel())
        raise
""",
    ),
}


class TestAnswers(Answers):
    wrong = WRONG
    right = RIGHT


def test_the_checks_leave_asyncio_as_it_was() -> None:
    wait, result = asyncio.Event.wait, concurrent.futures.Future.result
    for name in "06-xevent", "06-xacross":
        for source, _ in WRONG[name].values():
            verdict_on(name, source)
    assert asyncio.Event.wait is wait
    assert concurrent.futures.Future.result is result
