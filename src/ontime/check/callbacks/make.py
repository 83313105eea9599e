"""``01-make``: a gather of one's own."""

from __future__ import annotations

import inspect
from typing import Any

from ontime.check.callbacks.small_loop import (
    Callback,
    SmallLoop,
    TooManyCallsError,
    endless,
)
from ontime.check.registry import exercise
from ontime.check.tools import need_function
from ontime.check.verdict import NotYet


@exercise("01-make", need_function, "gather")
def check_make(answer: Any) -> str:
    """The answer is a plain function ``gather(loop, coroutines)``.

    It runs all *coroutines* together, each in a task of ``loop.create_task()``, and
    returns a future of ``loop.create_future()`` whose result is the list of their
    results, in the order of the coroutines.  The check uses :class:`SmallLoop`.
    """
    for delays in [(3, 1, 2)], [(1,)], [(2, 2, 2, 2)], [()]:
        _check_gather(answer, *delays)
    return "results in order, all coroutines together, and an empty list too."


def _check_gather(answer: Callback, delays: tuple[int, ...]) -> None:
    loop = SmallLoop()
    running, most = 0, 0

    async def wait(delay: int) -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await loop.sleep(delay)
        running -= 1
        return f"waited {delay}"

    coroutines = [wait(delay) for delay in delays]
    ended_at = None

    def note_end(future: object) -> None:
        nonlocal ended_at
        ended_at = loop.now

    try:
        future: Any = answer(loop, coroutines)
        if inspect.iscoroutine(future):
            future.close()
            raise NotYet(
                "gather() is an async function.",
                "define it with 'def' and return a future",
            )
        if not hasattr(future, "add_done_callback"):
            raise NotYet(
                f"gather() returned {future!r}, not a future.",
                "make one with loop.create_future() and return it at once",
            )
        if running or ended_at is not None or loop.now:
            raise NotYet(
                "gather() ran the loop itself.",
                "return the future at once: the caller of gather() runs the loop",
            )
        future.add_done_callback(note_end)
        try:
            loop.run()
        except TooManyCallsError:
            raise endless("the loop") from None
    finally:
        for coroutine in coroutines:
            coroutine.close()
    many = "no coroutine" if not delays else f"waits of {', '.join(map(str, delays))} s"
    if not future.done():
        raise NotYet(
            f"{many}: the future never got its result.",
            "what sets it when the last task ends? And what if there are no tasks?",
        )
    result, wanted = future.result(), [f"waited {delay}" for delay in delays]
    if result != wanted:
        same = isinstance(result, list) and sorted(map(str, result)) == sorted(wanted)
        raise NotYet(
            f"{many}: the result is {result!r}, not {wanted!r}.",
            "keep the order of the coroutines, not the order in which they end"
            if same
            else "ask each task for its result() once all are done",
        )
    if most < len(delays) or ended_at != (max(delays) if delays else 0):
        raise NotYet(
            f"{many}: it took {ended_at:g} s, and never more than {most} ran together.",
            "make all the tasks first; they run together then",
        )
