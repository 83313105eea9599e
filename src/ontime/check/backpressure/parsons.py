"""``05-parsons``: a producer and a consumer, out of shuffled lines."""

from __future__ import annotations

import asyncio
from typing import Any

from ontime.check.backpressure.flow import Flow, watched_to_its_end
from ontime.check.parsons import Shuffled
from ontime.check.registry import exercise
from ontime.check.tools import cause, simulate
from ontime.check.verdict import NotYet

__all__ = ["PARSONS_LINES", "parsons_program"]

#: The shuffled lines.  An answer names them by position, from 1.  Two are not needed.
PARSONS_LINES: tuple[str, ...] = (
    "            await queue.put(item)",
    "                await sink(item)",
    "    queue = asyncio.Queue()",
    "            while (item := await queue.get()) is not END:",
    "    async with asyncio.TaskGroup() as tasks:",
    "        await queue.put(END)",
    "async def copy(source, sink):",
    "        tasks.create_task(consume())",
    "    queue = asyncio.Queue(maxsize=1)",
    "        for item in source:",
    "            queue.put_nowait(item)",
    "        async def consume():",
)

_UNBOUNDED = 3

_NOWAIT = 11


_SHUFFLED = Shuffled(PARSONS_LINES)
parsons_program = _SHUFFLED.program


@exercise("05-parsons")
def check_parsons(answer: Any) -> str:
    """The answer is a list of line numbers (from 1) of :data:`PARSONS_LINES`.

    In that order the lines must make a program ``copy(source, sink)`` that hands each
    item of an iterable to an async function through a bounded queue, and ends.  Ten
    lines are needed, two are not.  :func:`parsons_program` shows an order as a program.
    """
    namespace: dict[str, Any] = {"asyncio": asyncio, "END": object()}
    _, code = _SHUFFLED.read(answer, "[7, 9, 5]")
    exec(code, namespace)
    copy = namespace["copy"]
    flow = Flow()

    async def sink(item: int) -> None:
        await asyncio.sleep(0.010)
        flow.delivered.append(item)

    try:
        simulate(watched_to_its_end(copy, flow.items(20), sink))
    except (asyncio.QueueFull, BaseExceptionGroup) as error:
        if not isinstance(cause(error), asyncio.QueueFull):
            raise
        raise NotYet(
            "it raised QueueFull: put_nowait() does not wait for room.",
            "another line puts the item and waits",
        ) from None
    if flow.delivered != list(range(20)):
        raise NotYet(
            f"{len(flow.delivered)} of 20 items came out, or in another order.",
            "each item that is put must be taken and handed to the sink, once",
        )
    if flow.most_ahead > 4:
        raise NotYet(
            f"all items came out, but {flow.most_ahead} were under way at once.",
            "one of the two queues has no bound",
        )
    return f"20 items came out, and never more than {flow.most_ahead} were under way."
