"""From a table to a remedy."""

from __future__ import annotations

from typing import Any

from looplab.diagnose import Recording
from looplab.diagnose.report import report
from ontime.check.bank.your_program.shop import shop_recording
from ontime.check.registry import exercise
from ontime.check.tools import need_verdicts

__all__ = ["REMEDIES", "who_tables"]


#: ``08-xwho``: what can be done about the first line of a table.
REMEDIES = {
    "thread": "one callback is too long: to a thread, or in pieces",
    "queue": "many short ones become ready at once: through a job queue",
    "wait": "it turns while there is nothing to do: let it wait for an event",
    "elsewhere": "the loop is not late: look at the database, a lock, the network",
}


def _who_recordings() -> dict[str, Recording]:
    return {
        "A": shop_recording(0.3, 60, 0.01),
        "B": shop_recording(0.02, 10, 0.12),
        "C": shop_recording(0.0, 1, 0.0, inbox=True),
        "D": shop_recording(0.000_5, 5, 0.000_2),
    }


def who_tables() -> dict[str, str]:
    """What ``looplab who`` prints about the four recordings of ``08-xwho``."""
    return {name: report(recording) for name, recording in _who_recordings().items()}


_REMEDY_OF = {
    "A": ("queue", "how many callbacks did the first line run, and how long was each?"),
    "B": ("thread", "how long did the first line hold the loop at a time?"),
    "C": ("wait", "what does the table say that the first line did with its time?"),
    "D": ("elsewhere", "did anybody wait for the loop?"),
}


@exercise("08-xwho")
def check_who(answer: Any) -> str:
    """The answer is a dict: for each of A to D a key of :data:`REMEDIES`."""
    need_verdicts(
        answer,
        _REMEDY_OF,
        REMEDIES,
        say='say {"A": remedy, …} for each table',
        missing="remedy for",
        all_of_them="all four",
    )
    return "all four, and only one of them is a thread."
