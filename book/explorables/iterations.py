"""The order of callbacks: a small program, stepped one iteration of the loop at a time.

For the chapter on callbacks.
"""

from __future__ import annotations

import asyncio
from html import escape

from livecells import Explorable, Frame
from looplab import burn, elapsed, run

#: What the callbacks of the program do beside saying their name: milliseconds of work,
#: and what they add, as (delay in milliseconds or None for ``call_soon``, name).
PROGRAM: dict[str, tuple[int, tuple[tuple[int | None, str], ...]]] = {
    "first": (0, ((None, "added by first"),)),
    "slow": (30, ((0, "timer of 0 ms"),)),
    "last": (0, ()),
    "added by first": (0, ((None, "added later"),)),
    "timer of 20 ms": (0, ((None, "added by a timer"),)),
}

LIVE = """
iterations = 1
import asyncio
from looplab import burn, run

async def main():
    loop = asyncio.get_running_loop()
    order = []

    def first():
        order.append("first")
        loop.call_soon(more, "added by first", "added later")

    def more(name, other):
        order.append(name)
        loop.call_soon(order.append, other)

    def slow():
        burn(0.030)
        order.append("slow")
        loop.call_later(0, order.append, "timer of 0 ms")

    shown = loop.create_future()

    def begin(done):  # comes first in each iteration
        if done == iterations:
            shown.set_result(list(order))
        else:
            loop.call_soon(begin, done + 1)

    loop.call_soon(begin, 0)
    loop.call_soon(first)
    loop.call_soon(slow)
    loop.call_soon(order.append, "last")
    loop.call_later(0.020, more, "timer of 20 ms", "added by a timer")
    return await shown

run(main())
"""


def steps() -> list[list[tuple[str, float]]]:
    """The callbacks of each iteration in order, each with the clock after it, in ms."""

    async def main() -> list[list[tuple[str, float]]]:
        loop = asyncio.get_running_loop()
        iterations: list[list[tuple[str, float]]] = []
        left = 3 + 1  # the callbacks and timers of the program that have not run

        def begin() -> None:
            # Always the first of its iteration: it adds itself before all others.
            iterations.append([])
            if left:
                loop.call_soon(begin)

        def call(name: str) -> None:
            nonlocal left
            work, added = PROGRAM.get(name, (0, ()))
            burn(work / 1000)
            left += len(added) - 1
            for delay, other in added:
                if delay is None:
                    loop.call_soon(call, other)
                else:
                    loop.call_later(delay / 1000, call, other)
            iterations[-1].append((name, round(1000 * elapsed(), 3)))

        loop.call_soon(begin)
        for name in ("first", "slow", "last"):
            loop.call_soon(call, name)
        loop.call_later(0.020, call, "timer of 20 ms")
        while left:  # noqa: ASYNC110 - the iterations are what is counted
            await asyncio.sleep(0)
        return [one for one in iterations if one]

    return run(main())


def frame(done: list[list[tuple[str, float]]], count: int) -> Frame:
    rows = []
    for number, callbacks in enumerate(done, 1):
        cells = "".join(f"<li>{escape(name)}</li>" for name, _ in callbacks)
        when = "now" if number == count else "later" if number > count else "past"
        rows.append(
            f'<tr class="{when}"><th scope="row">{number}</th>'
            f"<td><ol>{cells}</ol></td><td>{callbacks[-1][1]:g} ms</td></tr>"
        )
    picture = (
        '<table class="xp-steps"><thead><tr><th scope="col">Iteration</th>'
        '<th scope="col">Runs, in this order</th><th scope="col">Ends at</th></tr>'
        f"</thead><tbody>{''.join(rows)}</tbody></table>"
    )
    names = ", ".join(name for name, _ in done[count - 1])
    return Frame(picture, f"Iteration {count} runs {names}.")


STYLE = (
    ".xp-steps{width:100%;margin:0;table-layout:fixed}"
    ".xp-steps th:first-child{width:6.2em}.xp-steps th:last-child{width:5.6em}"
    ".xp-steps ol{margin:0;padding-left:1.4em}.xp-steps td{vertical-align:top}"
    ".xp-steps tr.now{font-weight:650}"
    # What comes keeps its room, and says that it is to come.
    ".xp-steps tr.later td{position:relative}"
    ".xp-steps tr.later td>*,.xp-steps tr.later td:last-child{visibility:hidden}"
    '.xp-steps tr.later td:nth-child(2)::before{content:"not yet";position:absolute;'
    "color:var(--explorable-muted)}"
)


def explorable() -> Explorable:
    done = steps()
    counts = range(1, len(done) + 1)
    return Explorable(
        title="What each iteration runs",
        parameter="Iterations",
        unit="",
        values=list(counts),
        texts=[f"{n} iteration" if n == 1 else f"{n} iterations" for n in counts],
        frames=[frame(done, n) for n in counts],
        default=1,
        live=LIVE,
        style=STYLE,
    )
