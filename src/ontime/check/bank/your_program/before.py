"""Is it better now."""

from __future__ import annotations

from typing import Any

from ontime.check.registry import exercise
from ontime.check.tools import need_function
from ontime.check.verdict import NotYet

Latencies = list[tuple[float, float | None]]


def _measured(
    count: int = 100,
    every: float = 0.1,
    slow: int = 0,
    failed: int = 0,
    fast: float = 0.01,
) -> Latencies:
    """So many requests, of which some are slow and some never answered."""
    latencies: Latencies = []
    for number in range(count):
        latency: float | None = fast + number % 7 / 10_000
        if number % 20 < slow:
            latency = 0.9
        if number % 10 < failed:
            latency = None
        latencies.append((number * every, latency))
    return latencies


@exercise("08-xbefore", need_function, "compare")
def check_before(answer: Any) -> str:
    """The answer is a plain function ``compare(before, after)``.

    Both are lists of ``(due, latency)``, the latency None if no answer came.  It
    returns ``"not comparable"`` unless the same requests were due at the same moments,
    ``"better"`` if the p99 has become smaller, and else ``"no better"``.
    """
    slow, good = _measured(slow=1), _measured()
    cases: list[tuple[str, Latencies, Latencies, str]] = [
        ("a fix that works", slow, good, "better"),
        ("nothing was done", slow, slow, "no better"),
        ("it is slower now", good, slow, "no better"),
        (
            "the fast ones are faster, the slow ones as slow",
            slow,
            _measured(slow=1, fast=0.001),
            "no better",
        ),
        (
            "what was slow is now not answered at all",
            slow,
            _measured(failed=1),
            "no better",
        ),
        ("fewer are unanswered", _measured(failed=2), good, "better"),
        (
            "the client asked half as often",
            slow,
            _measured(count=50, every=0.2),
            "not comparable",
        ),
        (
            "the client waited for each answer",
            slow,
            [(due * 1.1, latency) for due, latency in good],
            "not comparable",
        ),
        ("noted in another order", slow, good[::-1], "better"),
    ]
    for what, before, after, right in cases:
        verdict = answer(list(before), list(after))
        if verdict == right:
            continue
        if verdict not in ("better", "no better", "not comparable"):
            raise NotYet(
                f"compare() returned {verdict!r}.",
                "one of 'better', 'no better' and 'not comparable'",
            )
        raise NotYet(
            f"{what}: you say {verdict}, and it is {right}.", _why(what, right)
        )
    return f"right in {len(cases)} cases."


def _why(what: str, right: str) -> str:
    if right == "not comparable":
        return (
            "compare when the requests were due: a client that asks less measures "
            "another load"
        )
    if "answered" in what:
        return "no answer is no fast one: it took for ever, float('inf')"
    if "order" in what:
        return "the same moments, in whichever order: sort them"
    if "fast ones" in what:
        return "a mean or a median hides the slow ones: take the p99"
    return "the p99 is the value at place int(0.99 * n) of n, sorted"
