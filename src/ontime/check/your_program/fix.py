"""``08-fix``: a client that measures what a user would see."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from looplab.clock import burn, elapsed
from ontime.check.registry import exercise
from ontime.check.tools import finished, need_async_function, simulate
from ontime.check.verdict import NotYet

_BEGUN = 0.5
_NEVER = (9.0, 9.0)


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
    answer: Any, server: _Server, count: int, every: float, hold: tuple[float, float]
) -> Any:
    await asyncio.sleep(_BEGUN)  # a client may not begin when the clock does
    asyncio.get_running_loop().call_later(hold[0] - _BEGUN, burn, hold[1] - hold[0])
    return await finished(answer(server.ask, count, every))


def _past(span: tuple[float, float], moment: float) -> float:
    """That moment, or the end of the span in which it lies."""
    return span[1] if span[0] <= moment < span[1] else moment


@exercise("08-fix", need_async_function, "client")
def check_fix(answer: Any) -> str:
    """The answer is an async function ``client(ask, count, every)``.

    It sends *count* requests, ``await ask()``, the first at once and each *every*
    seconds after the one before, whether answers have come or not, and returns the
    latencies in the order in which they were due, in seconds from that moment.  The
    check runs it against a server that stalls, and beside something that holds the
    client's own loop for a while, on the virtual clock.
    """
    cases = [
        (10, 0.1, 0.01, _NEVER, _NEVER),
        (10, 0.1, 0.25, _NEVER, _NEVER),
        (20, 0.05, 0.01, (0.8, 1.3), _NEVER),
        (1, 0.1, 0.02, (0.0, 2.0), _NEVER),
        (10, 0.1, 0.01, _NEVER, (0.83, 1.04)),
    ]
    for count, every, serve, stall, hold in cases:
        server = _Server(serve, *stall)
        replies = simulate(_tried(answer, server, count, every, hold))
        if not isinstance(replies, Sequence) or len(replies) != count:
            raise NotYet(
                f"of {count} requests the client returned {replies!r:.60}.",
                "return a list with one latency for each request",
            )
        due = [_BEGUN + number * every for number in range(count)]
        sent = [_past(hold, at) for at in due]
        if len(server.asked) != count or any(
            abs(asked - at) > 1e-6 for asked, at in zip(server.asked, sent, strict=True)
        ):
            beside = ""
            hint = (
                "a request must not wait for the answer to the one before: give each a "
                "task"
            )
            if server.asked and server.asked[0] >= _BEGUN + every - 1e-6:
                hint = "the first is due at once, and not after one interval"
            elif hold != _NEVER:
                beside = f" with the loop held from {hold[0] - _BEGUN:.2f} s on,"
                hint = "a late request must not delay the next: start + number * every"
            raise NotYet(
                f"{count} requests, one every {every:g} s,{beside} the server was "
                f"asked at {', '.join(f'{at - _BEGUN:.2f}' for at in server.asked)} s.",
                hint,
            )
        for number, (reply, at) in enumerate(zip(replies, sent, strict=True)):
            right = _past(stall, at) + serve - due[number]
            if abs(reply - right) > 1e-6:
                raise NotYet(
                    f"request {number} was due at {number * every:.2f} s and its "
                    f"latency is {right:.3f} s; the client says {reply:.3f} s.",
                    "count from the moment when it was due to the end of its answer",
                )
    return (
        "it asks on time, even while the server stalls, and counts from the due moment."
    )
