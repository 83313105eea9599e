"""Which change helps for sure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from looplab.diagnose import (
    Change,
    NothingMatchesError,
    Recording,
    chunk,
    faster,
    move,
    workers,
)
from ontime.check.bank.your_program.shop import shop_recording
from ontime.check.registry import exercise
from ontime.check.tools import need_function
from ontime.check.verdict import NotYet


@exercise("08-xbest", need_function, "best")
def check_best(answer: Any) -> str:
    """The answer is a plain function ``best(recording, victim, changes)``.

    It returns the change after which the p99 of *victim* is smallest even if all goes
    badly, the high end of the range; None if none is sure to make it smaller.  A change
    that matches nothing is passed by.
    """
    victim = "timers of baskets"
    cases: list[tuple[Recording, list[Change]]] = [
        (
            shop_recording(0.3, 60, 0.05),
            [
                move("pictures"),
                chunk("invoices", 0.01),
                move("invoices"),
                faster("invoices", 2),
            ],
        ),
        (
            shop_recording(0.06, 1, 0.1),
            [move("invoices"), move("pictures"), chunk("pictures", 0.01)],
        ),
        (
            shop_recording(0.3, 60, 0.05),
            [move("invoice"), faster("invoices", 2), workers("invoices", 2)],
        ),
        (
            shop_recording(0.3, 1, 0.05),
            [move("pictures"), faster("pictures", 2), chunk("pictures", 0.005)],
        ),
        (shop_recording(0.3, 1, 0.05), []),
    ]
    for number, (recording, changes) in enumerate(cases, 1):
        highs = _figures(recording, victim, changes)
        right = min(highs, key=lambda change: highs[change][2], default=None)
        try:
            chosen = answer(recording, victim, list(changes))
        except NothingMatchesError as error:
            raise NotYet(
                f"recording {number}: NothingMatchesError: {error}.",
                "a change that matches nothing changes nothing: catch that error, and "
                "pass the change by",
            ) from None
        _judge_best(number, chosen, right, highs, changes)
    return f"right for {len(cases)} recordings, one of which no change is sure to help."


def _figures(
    recording: Recording, victim: str, changes: Sequence[Change]
) -> dict[Change, tuple[float, float, float]]:
    """Recorded, low and high of each change that is sure to help."""
    figures = {}
    for change in changes:
        try:
            figure = recording.replay(change).figure(victim, "p99")
        except NothingMatchesError:
            continue
        if figure.high < figure.recorded:
            figures[change] = figure.recorded, figure.low, figure.high
    return figures


def _judge_best(
    number: int,
    chosen: Any,
    right: Change | None,
    sure: dict[Change, tuple[float, float, float]],
    changes: Sequence[Change],
) -> None:
    if chosen is not None and chosen not in changes:
        raise NotYet(
            f"recording {number}: best() returned {chosen!r:.60}.",
            "return one of the changes, or None",
        )
    if chosen is None and right is not None:
        raise NotYet(
            f"recording {number}: you choose none, and '{right}' brings the p99 from "
            f"{sure[right][0] * 1000:.0f} to {sure[right][2] * 1000:.0f} ms or less.",
            "compare the high end with what was recorded",
        )
    if chosen is not None and chosen not in sure:
        raise NotYet(
            f"recording {number}: you choose '{chosen}', and it may make the p99 no "
            "smaller, or larger.",
            "a prediction is a range: choose by its high end, and return None where "
            "that is no less than what was recorded",
        )
    if chosen is None or right is None or sure[chosen][2] == sure[right][2]:
        return
    raise NotYet(
        f"recording {number}: after '{chosen}' the p99 may be "
        f"{sure[chosen][2] * 1000:.0f} ms, after '{right}' "
        f"{sure[right][2] * 1000:.0f}.",
        "choose by the high end of the p99, figure.high: the low one may not come true",
    )
