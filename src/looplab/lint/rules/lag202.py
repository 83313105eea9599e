"""LAG202: any other ``sleep(0)``."""

from __future__ import annotations

from collections.abc import Iterator

from ..file import File
from ..findings import Report, Rule
from . import lag201, lag204, lag205

RULE = Rule("LAG202", "any other sleep(0)", default=False)

_STRAIGHT = (
    "sleep(0) waits for one iteration only: await what must have happened; in a long "
    "computation it may stay"
)


def check(file: File) -> Iterator[Report]:
    """Each ``sleep(0)`` that no other rule reports."""
    others = {
        report.node for rule in (lag201, lag204, lag205) for report in rule.check(file)
    }
    for call in file.sleeps.zero:
        if call not in others:
            yield Report(call, _STRAIGHT)
