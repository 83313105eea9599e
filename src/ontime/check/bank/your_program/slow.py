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


@exercise("08-xslow")
def check_slow(answer: Any) -> str:
    """The answer is a plain function ``slow_part(requests)``.

    Of the slowest tenth of the requests (at least one) it returns where most of their
    time went, added up: ``"kernel"``, ``"queue"``, ``"ran"`` or ``"elsewhere"``.
    """
    need_function(answer, "slow_part")
    for what, found in _sets_of_requests():
        chance = random.Random(len(found))
        chance.shuffle(found)
        slow = sorted(found, key=lambda one: one.total_ns)[-max(1, len(found) // 10) :]
        slow_ms, all_ms = _parts(slow), _parts(found)
        right = max(slow_ms, key=lambda part: slow_ms[part])
        said = answer(list(found))
        if said == right:
            continue
        if said not in slow_ms:
            raise NotYet(
                f"slow_part() returned {said!r}.", f"one of {', '.join(slow_ms)}"
            )
        if said == max(all_ms, key=lambda part: all_ms[part]):
            hint = "that is what most requests do: take the slowest tenth, by total_ns"
        elif right == "elsewhere":
            hint = "what is neither of the three was elsewhere: elsewhere_ns"
        else:
            hint = "add up each part over the slowest tenth, and take the largest sum"
        told = ", ".join(f"{part} {ms:g} ms" for part, ms in slow_ms.items())
        raise NotYet(
            f"{len(found)} requests ({what}): you say {said}; the slowest "
            f"{len(slow)}, added up: {told}.",
            hint,
        )
    return "right for five sets of requests, whatever the many fast ones do."


def _parts(found: Sequence[Request]) -> dict[str, float]:
    parts = {
        "kernel": sum(one.kernel_ns for one in found),
        "queue": sum(one.queue_ns for one in found),
        "ran": sum(one.ran_ns for one in found),
        "elsewhere": sum(one.elsewhere_ns for one in found),
    }
    return {part: ns / 1e6 for part, ns in parts.items()}
