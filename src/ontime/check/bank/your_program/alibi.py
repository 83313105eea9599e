"""Who made this one wait."""

from __future__ import annotations

import asyncio
from typing import Any

from looplab.clock import burn, elapsed
from looplab.diagnose import record, tag
from ontime.check.registry import exercise
from ontime.check.tools import need_function
from ontime.check.verdict import NotYet


async def _street() -> None:
    """Four who compute, each second, and whom they meet."""

    async def at(name: str, offset: float, seconds: float) -> None:
        for second in range(6):
            with tag(name):
                await asyncio.sleep(second + offset - elapsed())
                burn(seconds)
                await asyncio.sleep(0)  # the name is that of the whole step

    async with asyncio.TaskGroup() as tasks:
        for step in (
            ("backup", 0.05, 0.40),  # holds most, and nobody is due meanwhile
            ("login", 0.47, 0.08),
            ("basket", 0.50, 0.0),
            ("report", 0.70, 0.20),
            *(("mail", 0.71 + number / 1000, 0.0) for number in range(5)),
            ("search", 0.96, 0.005),
            ("basket", 0.963, 0.0),
        ):
            tasks.create_task(at(*step))


@exercise("08-xalibi", need_function, "culprit")
def check_alibi(answer: Any) -> str:
    """The answer is a plain function ``culprit(recording, victim)``.

    It returns the name of the one for whom *victim* waited longest, or None if the
    victim waited for nobody.
    """
    recording = record(_street())
    everybody = recording.blame()
    for victim in "mail", "basket", "backup", "nobody of this name":
        waits = {row.name: row.waited for row in recording.blame(victim) if row.waited}
        right = max(waits, key=lambda name: waits[name], default=None)
        named = answer(recording, victim)
        if named == right:
            continue
        if named is not None and not isinstance(named, str):
            raise NotYet(
                f"culprit() returned {named!r:.60}.", "return a name, or None: one.name"
            )
        if right is None:
            raise NotYet(
                f"{victim}: you accuse {named}, and the victim waited for nobody.",
                "blame() lists all who ran: look at what was waited",
            )
        if named is None:
            raise NotYet(
                f"{victim}: you accuse nobody, and it waited {waits[right]:.2f} s for "
                f"{right}.",
                "recording.blame(victim) counts what the victim waited",
            )
        if named == everybody[0].name:
            hint = "most of all others waited for that one, and not this victim"
        elif named == max(everybody, key=lambda row: row.held).name:
            hint = "it holds the loop for longest, at times when nobody is due"
        else:
            hint = "recording.blame(victim) has the worst first, for this victim"
        raise NotYet(
            f"{victim}: you accuse {named}, for whom it waited "
            f"{waits.get(named, 0.0):.2f} s, and it waited {waits[right]:.2f} s for "
            f"{right}.",
            hint,
        )
    return "each victim has its own culprit, and one has none."
