"""``03-parsons``: measure CPU time, out of shuffled lines."""

from __future__ import annotations

import asyncio
from typing import Any

from ontime.check.parsons import Shuffled
from ontime.check.registry import exercise
from ontime.check.tools import (
    finished,
    need_awaitable,
    need_number,
    simulate,
)
from ontime.check.verdict import NotYet

__all__ = ["PARSONS_LINES", "parsons_program"]

#: The shuffled lines.  An answer names them by position, from 1.  Three are not needed.
PARSONS_LINES: tuple[str, ...] = (
    "    return (process_time() - start) / calls",
    "    for _ in range(calls):",
    "    start = perf_counter()",
    "        await work()",
    "async def cost(work, calls):",
    "    return process_time() - start",
    "    await work()",
    "        work()",
    "    start = process_time()",
)

_NOT_AWAITED = 8


_SHUFFLED = Shuffled(PARSONS_LINES)
parsons_program = _SHUFFLED.program


class _Clocks:
    """A processor clock and a wall clock that a work moves by stated amounts."""

    def __init__(self, cpu: float, wait: float, first: float) -> None:
        self.calls = 0
        self._cpu, self._wait, self._first = cpu, wait, first
        self._used, self._passed = 7.0, 1000.0

    async def work(self) -> None:
        cpu = self._cpu if self.calls else self._first
        self.calls += 1
        await asyncio.sleep(self._wait)
        self._used += cpu
        self._passed += cpu + self._wait

    def process_time(self) -> float:
        return self._used

    def perf_counter(self) -> float:
        return self._passed


@exercise("03-parsons")
def check_parsons(answer: Any) -> str:
    """The answer is a list of line numbers (from 1) of :data:`PARSONS_LINES`.

    In that order the lines must make ``cost(work, calls)``, which returns the CPU
    seconds of one call of *work*, over so many calls, after one call that does not
    count.  Six lines are needed, three are not.  :func:`parsons_program` shows an order
    as a program.  The check runs it with clocks of its own.
    """
    clocks = _Clocks(0.002, 0.5, 0.3)
    namespace: dict[str, Any] = {
        "process_time": clocks.process_time,
        "perf_counter": clocks.perf_counter,
    }
    order, code = _SHUFFLED.read(answer, "[5, 7, 9]")
    exec(code, namespace)
    cost = namespace["cost"]
    if _NOT_AWAITED in order:
        raise NotYet(
            "line 8 calls work() without await: that makes a coroutine and runs none "
            "of it.",
            "another line does the same with await",
        )
    calls = 20

    async def main() -> object:
        measured = cost(clocks.work, calls)
        need_awaitable(measured, "cost")
        return await finished(measured)

    try:
        per_call = need_number(simulate(main()), "cost")
    except UnboundLocalError:
        raise NotYet(
            "start is read before it is set.", "note the time before the loop"
        ) from None
    right = 0.002
    if abs(per_call - right) <= 1e-9 and clocks.calls == calls + 1:
        return "each call costs 2 ms, and neither the wait nor the first call counts."
    if clocks.calls <= 1 or clocks.calls < calls:
        hint = "the loop must await work() again and again, before the return"
    elif abs(per_call) > 1:
        hint = "the two ends of a measurement must be read from the same clock"
    elif abs(per_call - right * calls) <= 1e-6:
        hint = "that is the cost of all calls together"
    elif per_call > right * 2:
        hint = "the first call fills caches and costs more: let it run before the clock"
    else:
        hint = "start the clock, call, and read the clock again"
    raise NotYet(
        f"a call costs {right:g} s, and the program says {per_call:g} s after "
        f"{clocks.calls} calls.",
        hint,
    )
