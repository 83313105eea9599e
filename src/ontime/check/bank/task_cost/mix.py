"""Clients of a mixture."""

from __future__ import annotations

from typing import Any

from ontime.check.registry import exercise
from ontime.check.tools import need_function, need_number
from ontime.check.verdict import NotYet


@exercise("03-xmix", need_function, "clients")
def check_mix(answer: Any) -> str:
    """The answer is a function ``clients(kinds, rate, busy)``.

    *kinds* are triples: the share of the requests, their latency, their CPU time, in
    seconds.  Each client sends *rate* requests a second; the core may be busy for that
    part of the time.
    """
    for kinds, rate, busy in (
        ([(1.0, 0.050, 0.002)], 1.0, 1.0),
        ([(1.0, 0.050, 0.002)], 4.0, 0.5),
        ([(0.9, 0.5, 0.001), (0.1, 0.5, 0.100)], 1.0, 1.0),
        ([(0.5, 2.0, 0.004), (0.25, 0.1, 0.008), (0.25, 1.0, 0.040)], 0.1, 0.7),
    ):
        mean = sum(share * cpu for share, _, cpu in kinds)
        right = busy / (mean * rate)
        predicted = need_number(answer(kinds, rate, busy), "clients")
        if abs(predicted - right) <= 1e-9 * right:
            continue
        latency = sum(share * seconds for share, seconds, _ in kinds)
        rates = sum(share / cpu for share, _, cpu in kinds) / rate
        hint = "busy seconds of a core per second, divided by what one client takes"
        if abs(predicted - busy / (latency * rate)) < 1e-6 * right:
            hint = "while a request waits, the core serves others: latency is not in it"
        elif abs(predicted - right / busy) < 1e-6 * right:
            hint = "of the core only the part busy may be used"
        elif len(kinds) > 1 and abs(predicted - rates * busy) < 1e-6 * rates:
            hint = (
                "do not average the clients of each kind: the rare heavy requests take "
                "most of the core. Average the CPU time, then divide"
            )
        raise NotYet(
            f"kinds {kinds}, rate {rate:g}, busy {busy:g}: your function says "
            f"{predicted:.4g}.",
            hint,
        )
    return "the mean CPU time decides, and no latency is in it."
