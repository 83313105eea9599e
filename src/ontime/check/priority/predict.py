"""``07-predict``: the longest round that loses no lease."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from looplab.priority import (
    PriorityGate,
    PriorityProtocol,
)
from ontime.check.priority.urgent import urgent_wait
from ontime.check.registry import exercise
from ontime.check.tools import need_function, need_number, simulate
from ontime.check.verdict import NotYet

_BY_COMPUTATIONS: dict[int, tuple[str, Callable[[], Any]]] = {
    1: ("the gate", PriorityGate),
    2: ("the protocol, settling once", lambda: PriorityProtocol(settle=1)),
    3: ("the protocol as it stands", PriorityProtocol),
}


@exercise("07-predict", need_function, "longest_round")
def check_predict(answer: Any) -> str:
    """The answer: a function ``longest_round(lease, refresh_every, computations)``.

    It returns the longest time that a round may compute, if a lease lasts for *lease*
    seconds, is renewed *refresh_every* seconds after its last renewal, and waits for up
    to so many *computations* of others.  The check runs an urgent task beside workers
    on the virtual clock, for one, two and three computations: with rounds of 0.97 times
    the answer it must be in time, and with 1.03 times it must be late.
    """
    cases = [
        (lease, refresh_every, computations)
        for lease, refresh_every in ((5, 2), (30, 10), (2, 0.8), (60, 45))
        for computations in _BY_COMPUTATIONS
    ]
    for lease, refresh_every, computations in cases:
        returned = answer(lease, refresh_every, computations)
        cpu = need_number(returned, "longest_round", "a time")
        if not 0 < cpu < 1e6:
            raise NotYet(
                f"longest_round() returned {returned!r}, which is not a time.",
                "return a number of seconds above 0",
            )
        name, make = _BY_COMPUTATIONS[computations]
        slack = lease - refresh_every
        short = simulate(urgent_wait(make().turn, 0.97 * cpu))
        long = simulate(urgent_wait(make().turn, 1.03 * cpu))
        where = f"a lease of {lease:g} s renewed every {refresh_every:g} s, {name}"
        if short > slack:
            if abs(cpu * computations - lease) < 1e-6:
                hint = "the check is due some time after the last renewal"
            elif computations > 1 and abs(cpu - slack) < 1e-6:
                hint = "the lease waits for more than one computation"
            else:
                hint = "how late may the check be? How many computations fit in?"
            raise NotYet(
                f"{where}: with rounds a little shorter than your {cpu:g} s a check "
                f"is {short:.2f} s late, and {slack:g} s is all that it may be.",
                hint,
            )
        if long <= slack:
            raise NotYet(
                f"{where}: rounds a little longer than your {cpu:g} s are fine too; "
                f"the check is {long:.2f} s late and may be {slack:g} s.",
                "how late may the check be? How many computations fit in?",
            )
    return f"your arithmetic agrees with {2 * len(cases)} runs on the virtual clock."
