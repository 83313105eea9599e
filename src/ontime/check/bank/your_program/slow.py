"""What the slow ones wait for."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from looplab.diagnose import Request
from ontime.check.registry import exercise
from ontime.check.tools import need_function
from ontime.check.verdict import NotYet


def _request(kernel: int, queue: int, ran: int, elsewhere: int) -> Request:
    """A request with these parts, in milliseconds."""
    ms = 1_000_000
    ended = (kernel + queue + ran + elsewhere) * ms
    return Request("GET /", 1, 0, ended, kernel * ms, queue * ms, ran * ms)


def _sets_of_requests() -> list[tuple[str, list[Request]]]:
    chance = random.Random(8)

    def some(count: int, *parts: tuple[int, int]) -> list[Request]:
        return [
            _request(*(chance.randrange(low, high) for low, high in parts))
            for _ in range(count)
        ]

    near = (0, 2)
    common = some(95, near, near, (8, 12), near)
    return [
        ("all alike, and they compute", some(40, near, near, (5, 9), near)),
        (
            "most compute; a few lie in the kernel",
            common + some(10, (90, 99), *[near] * 3),
        ),
        ("a few wait for a database", common + some(10, near, near, near, (70, 90))),
        ("a few stand in the queue", common + some(9, near, (60, 80), near, near)),
        ("five of them", [*some(4, near, near, (3, 5), near), _request(50, 9, 1, 1)]),
    ]


@exercise("08-xslow", need_function, "slow_part")
def check_slow(answer: Any) -> str:
    """The answer is a plain function ``slow_part(requests)``.

    Of the slowest tenth of the requests (at least one) it returns where most of their
    time went, added up: ``"kernel"``, ``"queue"``, ``"ran"`` or ``"elsewhere"``.
    """
    for what, requests in _sets_of_requests():
        chance = random.Random(len(requests))
        chance.shuffle(requests)
        slow = sorted(requests, key=lambda request: request.total_ns)[
            -max(1, len(requests) // 10) :
        ]
        slow_ms, all_ms = _parts(slow), _parts(requests)
        right = max(slow_ms, key=lambda part: slow_ms[part])
        named = answer(list(requests))
        if named == right:
            continue
        if named not in slow_ms:
            raise NotYet(
                f"slow_part() returned {named!r}.", f"one of {', '.join(slow_ms)}"
            )
        if named == max(all_ms, key=lambda part: all_ms[part]):
            hint = "that is what most requests do: take the slowest tenth, by total_ns"
        elif right == "elsewhere":
            hint = "what is neither of the three was elsewhere: elsewhere_ns"
        else:
            hint = "add up each part over the slowest tenth, and take the largest sum"
        amounts = ", ".join(f"{part} {ms:g} ms" for part, ms in slow_ms.items())
        raise NotYet(
            f"{len(requests)} requests ({what}): you say {named}; the slowest "
            f"{len(slow)}, added up: {amounts}.",
            hint,
        )
    return "right for five sets of requests, whatever the many fast ones do."


def _parts(requests: Sequence[Request]) -> dict[str, float]:
    parts = {
        "kernel": sum(request.kernel_ns for request in requests),
        "queue": sum(request.queue_ns for request in requests),
        "ran": sum(request.ran_ns for request in requests),
        "elsewhere": sum(request.elsewhere_ns for request in requests),
    }
    return {part: ns / 1e6 for part, ns in parts.items()}
