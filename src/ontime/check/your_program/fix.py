"""``08-fix``: a client that measures what a user would see."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from looplab.clock import elapsed
from ontime.check.registry import exercise
from ontime.check.tools import finished, need_async_function, simulate
from ontime.check.verdict import NotYet


class _Server:
    """Answers each request after *serve* seconds, but nobody during a stall."""

    def __init__(self, serve: float, stalls: float, until: float) -> None:
        self._serve, self._stalls, self._until = serve, stalls, until
        self.asked: list[float] = []

    async def ask(self) -> None:
        self.asked.append(elapsed())
        if self._stalls <= elapsed() < self._until:
            await asyncio.sleep(self._until - elapsed())
        await asyncio.sleep(self._serve)


async def _tried(
    answer: Any, server: _Server, count: int, every: float
) -> tuple[Any, float]:
    await asyncio.sleep(0.5)  # a client may not begin when the clock does
    began = elapsed()
    return await finished(answer(server.ask, count, every)), began


def _expected(
    count: int, every: float, serve: float, stall: tuple[float, float]
) -> Any:
    found = []
    for number in range(count):
        due = 0.5 + number * every
        begins = stall[1] if stall[0] <= due < stall[1] else due
        found.append(begins + serve - due)
    return found


@exercise("08-fix")
def check_fix(answer: Any) -> str:
    """The answer is an async function ``client(ask, count, every)``.

    It sends *count* requests, ``await ask()``, the first at once and each *every*
    seconds after the one before, whether answers have come or not, and returns the
    latencies in the order in which they were due, in seconds from that moment.  The
    check runs it against a server that stalls, on the virtual clock.
    """
    need_async_function(answer, "client")
    cases = [
        (10, 0.1, 0.01, (9.0, 9.0)),
        (10, 0.1, 0.25, (9.0, 9.0)),
        (20, 0.05, 0.01, (0.8, 1.3)),
        (1, 0.1, 0.02, (0.0, 2.0)),
    ]
    for count, every, serve, stall in cases:
        server = _Server(serve, *stall)
        found, began = simulate(_tried(answer, server, count, every))
        if not isinstance(found, Sequence) or len(found) != count:
            raise NotYet(
                f"of {count} requests the client returned {found!r:.60}.",
                "return a list with one latency for each request",
            )
        due = [began + number * every for number in range(count)]
        if len(server.asked) != count or any(
            abs(asked - at) > 1e-6 for asked, at in zip(server.asked, due, strict=True)
        ):
            raise NotYet(
                f"{count} requests, one every {every:g} s: the server was asked at "
                f"{', '.join(f'{at - began:.2f}' for at in server.asked[:6])} … s.",
                "a request must not wait for the answer to the one before: give each "
                "a task",
            )
        wanted = _expected(count, every, serve, stall)
        for number, (one, right) in enumerate(zip(found, wanted, strict=True)):
            if abs(one - right) > 1e-6:
                raise NotYet(
                    f"request {number} was due at {number * every:.2f} s and its "
                    f"latency is {right:.3f} s; the client says {one:.3f} s.",
                    "count from the moment when it was due to the end of its answer",
                )
    return "it asks on time, also while the server stalls, and counts from when due."
