"""Started work cannot be taken back."""

from __future__ import annotations

import asyncio
from typing import Any

from ontime.check.registry import exercise
from ontime.check.tools import abandoned, ended, need_async_function, now, simulate
from ontime.check.verdict import NotYet


class _Thread:
    """A model of a thread that looks at a flag every 0.3 s."""

    def __init__(self, takes: float) -> None:
        self.takes = takes
        self.ended_at: float | None = None
        self.begun = 0
        self.keeps: set[asyncio.Task[None]] = set()

    async def offload(self, work: object, stop: Any) -> str:
        """Have the thread work; cancelling this ends the waiting only."""
        self.begun += 1
        over = asyncio.get_running_loop().create_future()
        thread = asyncio.create_task(
            self._run(stop, over), name="heartbeat of a thread"
        )
        self.keeps.add(thread)
        await over
        return "done"

    async def _run(self, stop: Any, over: asyncio.Future[None]) -> None:
        end = now() + self.takes
        while not stop.is_set():
            await asyncio.sleep(0.3)
            if now() > end:
                break
        self.ended_at = now()
        if not over.done():
            over.set_result(None)


async def _stopped(answer: Any, takes: float, cancel_at: float | None) -> str:
    thread = _Thread(takes)
    work = answer(thread.offload, "work", 1.0)
    task = await ended(work, "compute", cancel_at=cancel_at)
    at = now()
    if not task.done():
        return "does not end"
    if task.cancelled():
        how = "CancelledError"
    elif isinstance(task.exception(), TimeoutError):
        how = "TimeoutError"
    elif (error := task.exception()) is not None:
        raise error
    else:
        how = f"returned {task.result()!r}"
    still = "" if thread.ended_at is not None else ", and the thread works on"
    await asyncio.sleep(30)
    left = await abandoned()
    for each in thread.keeps:
        each.cancel()
    still += ", and a task is left" if left else ""
    if thread.begun != 1:
        return f"handed the work over {thread.begun} times"
    return f"{how} at {at:g} s{still}"


@exercise("02-xstop", need_async_function, "compute")
def check_stop(answer: Any) -> str:
    """The answer is an async function ``compute(offload, work, seconds)``.

    It hands a ``threading.Event`` to ``offload(work, stop)``, for the work to look at.
    After *seconds* it sets the event, waits until the thread has ended, and raises
    ``TimeoutError``.  If it is cancelled itself, it does the same and passes that on.
    """
    stop = "set the event when you give up"
    shield = (
        "a cancelled await forgets the thread: await it through asyncio.shield(), or "
        "look at it with asyncio.wait(), so that you can still wait for its end"
    )
    for takes, cancel_at, wanted, story, hint in (
        (0.5, None, "returned 'done' at 0.6 s", "work of 0.5 s", "return its result"),
        (10.0, None, "TimeoutError at 1.2 s", "work of 10 s, a limit of 1 s", shield),
        (10.0, 0.7, "CancelledError at 0.9 s", "cancelled after 0.7 s", shield),
    ):
        seen = simulate(_stopped(answer, takes, cancel_at))
        if seen == wanted:
            continue
        if "at 10" in seen:
            hint = stop
        raise NotYet(f"{story}: {seen}. Wanted: {wanted}.", hint)
    return "whatever ends the wait, the thread is stopped and waited for."
