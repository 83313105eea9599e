"""``08-parsons``: from a recording to advice, out of shuffled lines."""

from __future__ import annotations

import asyncio
from typing import Any

from looplab.clock import burn
from looplab.diagnose import Recording, move, record, tag
from ontime.check.parsons import Shuffled
from ontime.check.registry import exercise
from ontime.check.verdict import NotYet

__all__ = ["PARSONS_LINES"]

#: The shuffled lines.  An answer names them by position, from 1.  Three are not needed.
PARSONS_LINES: tuple[str, ...] = (
    "    return worst.name, figure.recorded, figure.high",
    "    worst = recording.blame()[0]",
    "    worst = recording.blame()[-1]",
    "def advise(recording, victim):",
    "    figure = then.figure(victim, 'p99')",
    "    then = recording.replay(move(worst.name))",
    "    then = recording.replay()",
    "    then = recording.replay(move(victim))",
)

_SHUFFLED = Shuffled(PARSONS_LINES)


async def _program() -> None:
    """Something long each second, something short, and a probe that waits for them."""

    async def work(name: str, seconds: float) -> None:
        with tag(name):
            for _ in range(5):
                burn(seconds)
                await asyncio.sleep(1)

    async def probe() -> None:
        for _ in range(40):
            await asyncio.sleep(0.11)

    await asyncio.gather(work("export", 0.4), work("ping", 0.01), probe())


def _recorded() -> tuple[Recording, str]:
    recording = record(_program())
    figures = recording.replay().figures
    probes = [figure.name for figure in figures if "probe" in figure.name]
    return recording, probes[0]


@exercise("08-parsons")
def check_parsons(answer: Any) -> str:
    """The answer is a list of line numbers (from 1) of :data:`PARSONS_LINES`.

    In that order the lines must make a function that finds the worst culprit, asks what
    moving it to a thread would bring, and returns its name with the recorded and the
    predicted time of the victim.  Five lines are needed, three are not.
    """
    _, code = _SHUFFLED.read(answer, "[4, 2, 1]")
    if len(answer) > 5:
        raise NotYet(
            f"{len(answer)} lines, and five are enough.", "is each of them reached?"
        )
    space: dict[str, Any] = {"move": move}
    exec(code, space)
    advise = space["advise"]
    recording, victim = _recorded()
    try:
        advice = advise(recording, victim)
    except NameError as error:
        raise NotYet(f"{error}.", "a line stands before the one it needs") from None
    except ValueError as error:
        raise NotYet(f"{error}.", "move the one that holds the loop") from None
    if advice is None:
        raise NotYet("it returns nothing.", "the last line says what was found")
    worst = recording.blame()[0]
    figure = recording.replay(move(worst.name)).figure(victim, "p99")
    if advice[0] != worst.name:
        raise NotYet(
            f"it accuses {advice[0]!r}, for whom others waited less than for "
            f"{worst.name!r}.",
            "blame() has the worst first",
        )
    if tuple(advice) != (worst.name, figure.recorded, figure.high):
        raise NotYet(
            "the time that it predicts is not that of the change.",
            "which of the two should go to a thread: the job that waits, or the job "
            "that it waits for?",
        )
    return (
        f"{worst.name}: {figure.recorded * 1000:.0f} ms, and with {worst.name} in a "
        f"thread {figure.low * 1000:.0f} to {figure.high * 1000:.0f} ms are predicted."
    )
