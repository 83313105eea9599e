"""``05-judge``: five findings of the linter in libraries, and what to do about each."""

from __future__ import annotations

from typing import Any

from ontime.check.registry import exercise
from ontime.check.tools import need_verdicts

__all__ = ["FINDINGS", "VERDICTS"]

#: ``05-judge``: what can be said of a finding.
VERDICTS = {
    "bound": "a bound is enough: put() then waits",
    "refuse": "a bound, and a decision what to do when it is reached",
    "end": "a bound, and the end must not be put in the finally",
    "harmless": "something else limits the queue",
}

#: ``05-judge``: a queue without a bound of each library, in a few lines of our own.
FINDINGS = {
    "broadcaster": """\
self.published = asyncio.Queue()

async def publish(self, event):
    await self.published.put(event)

async def next_published(self):
    return await self.published.get()
""",
    "litestar": """\
self.queue = asyncio.Queue()

def notified(self, connection, channel, payload):  # the database calls this
    self.queue.put_nowait((channel, payload))

async def events(self):
    while True:
        yield await self.queue.get()
""",
    "uvicorn": """\
self.events = asyncio.Queue()

async def start(self):  # once, before the server serves
    await self.events.put("startup")
    await self.started.wait()

async def receive(self):  # the application calls this
    return await self.events.get()

async def send(self, message):  # and then this
    self.started.set()
""",
    "crawlee": """\
queue = asyncio.Queue()

async def feed(generator):  # one task for each; cancelled when the reader stops
    try:
        async for item in generator:
            await queue.put(item)
    finally:
        await queue.put(END)
""",
    "discord.py": """\
self.ready = asyncio.Queue()

def joined(self, group):  # for each group of the account, while it starts
    self.ready.put_nowait(group)

async def start(self):
    while len(seen) < self.groups_of_the_account:
        seen.append(await self.ready.get())
    self.ready = None
""",
}

_ANSWERS = {
    "broadcaster": (
        "bound",
        "publish() awaits put(): what does a bound do to it, and who else puts?",
    ),
    "litestar": (
        "refuse",
        "a plain function cannot wait; what does put_nowait() do at a bound?",
    ),
    "uvicorn": (
        "harmless",
        "how many events can be in the queue before started is set?",
    ),
    "crawlee": (
        "end",
        "nobody reads any more, and the task is cancelled: where does it go next, and "
        "how long does it wait there?",
    ),
    "discord.py": (
        "harmless",
        "count the groups: who decides how many there are, and how long is this?",
    ),
}


@exercise("05-judge")
def check_judge(answer: Any) -> str:
    """The answer is a dict: for each library of ``FINDINGS`` a key of ``VERDICTS``."""
    need_verdicts(
        answer,
        _ANSWERS,
        VERDICTS,
        say="say library: verdict for each",
        missing="verdict on",
        all_of_them="all five",
    )
    return "all five. The linter passes over the two that are harmless."
