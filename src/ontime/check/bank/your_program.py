"""The extra exercises of chapter 8, *Diagnose your own program*.

===============  ===================================================================
``08-xwho``        a dict of recordings and remedies
``08-xalibi``      a function ``culprit(recording, victim)``
``08-xbest``       a function ``best(recording, victim, changes)``
``08-xslow``       a function ``slow_part(requests)``
``08-xbefore``     a function ``compare(before, after)``
===============  ===================================================================
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from typing import Any

from looplab.clock import burn, elapsed
from looplab.diagnose import (
    Change,
    NothingMatchesError,
    Recording,
    Request,
    chunk,
    faster,
    first,
    move,
    record,
    tag,
)
from looplab.diagnose.report import report
from ontime.check.registry import exercise
from ontime.check.tools import need_function
from ontime.check.verdict import NotYet

__all__ = ["REMEDIES", "who_tables"]

Latencies = list[tuple[float, float | None]]

# 08-xwho: from a table to a remedy

#: ``08-xwho``: what can be done about the first line of a table.
REMEDIES = {
    "thread": "one callback is too long: to a thread, or in pieces",
    "queue": "many short ones become ready at once: through a job queue",
    "wait": "it turns while there is nothing to do: let it wait for an event",
    "elsewhere": "the loop is not late: look at the database, a lock, the network",
}


async def _shop(invoices: float, parts: int, pictures: float, inbox: bool) -> None:
    """A small shop: invoices in parts, pictures one by one, and those who wait."""

    async def part() -> None:
        burn(invoices / parts)

    async def each(
        name: str, times: int, every: float, work: Callable[[], Any]
    ) -> None:
        for _ in range(times):
            with tag(name):
                await asyncio.sleep(every)
                work()
                await asyncio.sleep(0)  # the name is that of the whole step

    async def make_invoices() -> None:
        for _ in range(4):
            await asyncio.sleep(0.93)
            with tag("invoices"):
                await asyncio.gather(*(part() for _ in range(parts)))

    async def read_inbox() -> None:
        with tag("inbox"):
            while True:  # noqa: ASYNC110
                await asyncio.sleep(0)  # noqa: LAG201 (this is the fault)

    reading = asyncio.create_task(read_inbox()) if inbox else None
    await asyncio.gather(
        make_invoices(),
        each("pictures", 12, 0.31, lambda: burn(pictures)),
        each("baskets", 70, 0.061, lambda: None),
    )
    if reading:
        reading.cancel()


def _shop_recording(
    invoices: float, parts: int, pictures: float, inbox: bool = False
) -> Recording:
    cost = 0.000_2 if inbox else 0.0
    return record(_shop(invoices, parts, pictures, inbox), callback_cost=cost)


def _who_recordings() -> dict[str, Recording]:
    return {
        "A": _shop_recording(0.3, 60, 0.01),
        "B": _shop_recording(0.02, 10, 0.12),
        "C": _shop_recording(0.0, 1, 0.0, inbox=True),
        "D": _shop_recording(0.000_5, 5, 0.000_2),
    }


def who_tables() -> dict[str, str]:
    """What ``looplab who`` prints about the four recordings of ``08-xwho``."""
    return {name: report(one) for name, one in _who_recordings().items()}


_REMEDY_OF = {
    "A": ("queue", "how many callbacks did the first line run, and how long was each?"),
    "B": ("thread", "how long did the first line hold the loop at a time?"),
    "C": ("wait", "what does the table say that the first line did with its time?"),
    "D": ("elsewhere", "did anybody wait for the loop?"),
}


@exercise("08-xwho")
def check_who(answer: Any) -> str:
    """The answer is a dict: for each of A to D a key of :data:`REMEDIES`."""
    if not isinstance(answer, dict):
        raise NotYet("the answer is not a dict.", 'say {"A": remedy, …} for each table')
    for name in _REMEDY_OF:
        if name not in answer:
            raise NotYet(f"there is no remedy for {name}.", "judge all four")
        said = answer[name]
        if not isinstance(said, str) or said not in REMEDIES:
            words = ", ".join(REMEDIES)
            raise NotYet(f"{said!r} is no remedy ({name}).", f"there are {words}")
    wrong = [name for name, (right, _) in _REMEDY_OF.items() if answer[name] != right]
    if wrong:
        raise NotYet(
            f"{len(_REMEDY_OF) - len(wrong)} of {len(_REMEDY_OF)} are right.",
            f"{wrong[0]}: {_REMEDY_OF[wrong[0]][1]}",
        )
    return "all four, and only one of them is a thread."


# 08-xalibi: who made this one wait


async def _street() -> None:
    """Four who compute, each second, and whom they meet."""

    async def at(name: str, offset: float, seconds: float) -> None:
        for second in range(6):
            with tag(name):
                await asyncio.sleep(second + offset - elapsed())
                burn(seconds)
                await asyncio.sleep(0)  # the name is that of the whole step

    async with asyncio.TaskGroup() as tasks:
        for one in (
            ("backup", 0.05, 0.40),  # holds most, and nobody is due meanwhile
            ("login", 0.47, 0.08),
            ("basket", 0.50, 0.0),
            ("report", 0.70, 0.20),
            *(("mail", 0.71 + number / 1000, 0.0) for number in range(5)),
            ("search", 0.96, 0.005),
            ("basket", 0.963, 0.0),
        ):
            tasks.create_task(at(*one))


@exercise("08-xalibi")
def check_alibi(answer: Any) -> str:
    """The answer is a plain function ``culprit(recording, victim)``.

    It returns the name of the one for whom *victim* waited longest, or None if the
    victim waited for nobody.
    """
    need_function(answer, "culprit")
    recording = record(_street())
    everybody = recording.blame()
    for victim in "mail", "basket", "backup", "nobody of this name":
        waits = {one.name: one.waited for one in recording.blame(victim) if one.waited}
        right = max(waits, key=lambda name: waits[name], default=None)
        said = answer(recording, victim)
        if said == right:
            continue
        if said is not None and not isinstance(said, str):
            raise NotYet(
                f"culprit() returned {said!r:.60}.", "return a name, or None: one.name"
            )
        if right is None:
            raise NotYet(
                f"{victim}: you accuse {said}, and the victim waited for nobody.",
                "blame() lists all who ran: look at what was waited",
            )
        if said is None:
            raise NotYet(
                f"{victim}: you accuse nobody, and it waited {waits[right]:.2f} s for "
                f"{right}.",
                "recording.blame(victim) counts what the victim waited",
            )
        if said == everybody[0].name:
            hint = "most of all others waited for that one, and not this victim"
        elif said == max(everybody, key=lambda one: one.held).name:
            hint = "it holds the loop for longest, at times when nobody is due"
        else:
            hint = "recording.blame(victim) has the worst first, for this victim"
        raise NotYet(
            f"{victim}: you accuse {said}, for whom it waited "
            f"{waits.get(said, 0.0):.2f} s, and it waited {waits[right]:.2f} s for "
            f"{right}.",
            hint,
        )
    return "each victim has its own culprit, and one has none."


# 08-xbest: which change helps for sure


@exercise("08-xbest")
def check_best(answer: Any) -> str:
    """The answer is a plain function ``best(recording, victim, changes)``.

    It returns the change after which the p99 of *victim* is smallest even if all goes
    badly, the high end of the range; None if none is sure to make it smaller.  A change
    that matches nothing is passed by.
    """
    need_function(answer, "best")
    victim = "timers of baskets"
    cases: list[tuple[Recording, list[Change]]] = [
        (
            _shop_recording(0.3, 60, 0.05),
            [
                move("pictures"),
                chunk("invoices", 0.01),
                move("invoices"),
                faster("invoices", 2),
            ],
        ),
        (
            _shop_recording(0.06, 1, 0.1),
            [move("invoices"), move("pictures"), chunk("pictures", 0.01)],
        ),
        (
            _shop_recording(0.3, 60, 0.05),
            [move("invoice"), faster("invoices", 2), first("baskets")],
        ),
        (
            _shop_recording(0.3, 1, 0.05),
            [move("pictures"), faster("pictures", 2), chunk("pictures", 0.005)],
        ),
        (_shop_recording(0.3, 1, 0.05), []),
    ]
    for number, (recording, changes) in enumerate(cases, 1):
        highs = _figures(recording, victim, changes)
        right = min(highs, key=lambda one: highs[one][2], default=None)
        try:
            said = answer(recording, victim, list(changes))
        except NothingMatchesError as error:
            raise NotYet(
                f"recording {number}: NothingMatchesError: {error}.",
                "a change that matches nothing changes nothing: catch that error, and "
                "pass the change by",
            ) from None
        _judge_best(number, said, right, highs, changes)
    return f"right for {len(cases)} recordings, one of which no change is sure to help."


def _figures(
    recording: Recording, victim: str, changes: Sequence[Change]
) -> dict[Change, tuple[float, float, float]]:
    """Recorded, low and high of each change that is sure to help."""
    found = {}
    for change in changes:
        try:
            figure = recording.replay(change).figure(victim, "p99")
        except NothingMatchesError:
            continue
        if figure.high < figure.recorded:
            found[change] = figure.recorded, figure.low, figure.high
    return found


def _judge_best(
    number: int,
    said: Any,
    right: Change | None,
    sure: dict[Change, tuple[float, float, float]],
    changes: Sequence[Change],
) -> None:
    if said is not None and said not in changes:
        raise NotYet(
            f"recording {number}: best() returned {said!r:.60}.",
            "return one of the changes, or None",
        )
    if said is None and right is not None:
        raise NotYet(
            f"recording {number}: you choose none, and '{right}' brings the p99 from "
            f"{sure[right][0] * 1000:.0f} to {sure[right][2] * 1000:.0f} ms at most.",
            "compare the high end with what was recorded",
        )
    if said is not None and said not in sure:
        raise NotYet(
            f"recording {number}: you choose '{said}', and it may make the p99 no "
            "smaller, or larger.",
            "a prediction is a range: choose by its high end, and return None where "
            "that is no less than what was recorded",
        )
    if said is None or right is None or sure[said][2] == sure[right][2]:
        return
    raise NotYet(
        f"recording {number}: after '{said}' the p99 is {sure[said][2] * 1000:.0f} ms "
        f"at most, after '{right}' {sure[right][2] * 1000:.0f} ms.",
        "choose by the high end of the p99, figure.high: the low one may not come true",
    )


# 08-xslow: what the slow ones wait for


def _request(kernel: int, queue: int, ran: int, elsewhere: int) -> Request:
    """A request with these parts, in milliseconds."""
    ms = 1_000_000
    ended = (kernel + queue + ran + elsewhere) * ms
    return Request("GET /", 1, None, 0, ended, kernel * ms, queue * ms, ran * ms)


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


# 08-xbefore: is it better now


def _measured(
    count: int = 100,
    every: float = 0.1,
    slow: int = 0,
    failed: int = 0,
    fast: float = 0.01,
) -> Latencies:
    """So many requests, of which some are slow and some never answered."""
    found: Latencies = []
    for number in range(count):
        latency: float | None = fast + number % 7 / 10_000
        if number % 20 < slow:
            latency = 0.9
        if number % 10 < failed:
            latency = None
        found.append((number * every, latency))
    return found


@exercise("08-xbefore")
def check_before(answer: Any) -> str:
    """The answer is a plain function ``compare(before, after)``.

    Both are lists of ``(due, latency)``, the latency None if no answer came.  It
    returns ``"not comparable"`` unless the same requests were due at the same moments,
    ``"better"`` if the p99 has become smaller, and else ``"no better"``.
    """
    need_function(answer, "compare")
    slow, good = _measured(slow=1), _measured()
    cases: list[tuple[str, Latencies, Latencies, str]] = [
        ("a mend that works", slow, good, "better"),
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
        said = answer(list(before), list(after))
        if said == right:
            continue
        if said not in ("better", "no better", "not comparable"):
            raise NotYet(
                f"compare() returned {said!r}.",
                "one of 'better', 'no better' and 'not comparable'",
            )
        raise NotYet(f"{what}: you say {said}, and it is {right}.", _why(what, right))
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
