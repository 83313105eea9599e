"""``03-fix``: from the time of a request to clients."""

from __future__ import annotations

from typing import Any

from ontime.check.registry import exercise
from ontime.check.tools import need_function, need_number
from ontime.check.verdict import NotYet


@exercise("03-fix", need_function, "clients")
def check_fix(answer: Any) -> str:
    """The answer is a plain function ``clients(latency, waiting, rate)``.

    It returns how many clients one core can serve at most, if a request takes *latency*
    seconds, of which the process waits for *waiting* seconds, and each client sends
    *rate* requests per second.  The version to fix takes all of the latency for CPU
    time.
    """
    cases = [
        (0.001, 0.0, 1.0),
        (1.0, 0.0, 1.0),
        (0.101, 0.1, 1.0),
        (0.101, 0.1, 0.1),
        (0.25, 0.2, 4.0),
        (2.0, 1.9999, 3.0),
    ]
    for latency, waiting, rate in cases:
        predicted = need_number(answer(latency, waiting, rate), "clients")
        right = 1 / ((latency - waiting) * rate)
        if abs(predicted - right) <= 1e-6 * right:
            continue
        if (
            predicted == int(predicted) and abs(predicted - right) <= 1
        ):  # 1 // 0.001 is 999
            continue  # there is no third of a client
        if abs(predicted * latency * rate - 1) <= 1e-6:
            hint = "while a request waits, the core is free for others"
        elif abs(predicted * (latency - waiting) - 1) <= 1e-6:
            hint = "a client that sends twice as often costs twice as much"
        elif abs(predicted - right * rate * rate) <= 1e-6 * predicted:
            hint = "more requests for each client mean fewer clients"
        elif 0.5 <= predicted / right < 1:
            hint = "'at most' takes the whole core; leave room when you plan"
        else:
            hint = "CPU time is what is left of the latency without the waiting"
        raise NotYet(
            f"latency {latency:g} s with {waiting:g} s of waiting, {rate:g} requests a "
            f"second: your function says {predicted:g} clients, a core has time for "
            f"{right:g}.",
            hint,
        )
    return "waiting costs latency, but no clients."
