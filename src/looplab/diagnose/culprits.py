"""Who makes others late: culprits ranked by the seconds that others waited for them.

A callback that is due, ready, or whose data has arrived, waits until it runs.  Each
moment of that wait is charged to the callback that held the loop then, as
:mod:`.ledger` does, and a callback is cut where its tag changes.  A hundred short jobs
are charged exactly as one long job is.

What does not count is a wait for oneself: callbacks of the same request, and jobs of
one kind that a program made at once and that nobody outside waits for, are listed as
*own*.  A task that spins, as a poll with ``sleep(0)`` does, makes a core wait: that
time counts as well.

The module uses the standard library only and runs in a browser.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from looplab._numbers import NS

from .latencies import trigger_of
from .ledger import Ledger
from .naming import is_own, matches, name_of, waits_from

if TYPE_CHECKING:
    from .recording import Callback, Code, Recording

__all__ = ["Culprit", "Delayed", "blame", "unexplained"]

_SPIN_NS = 200_000  # a step of a task that spins is shorter
_SPINS = 1000  # and it takes so many of them a second
_SHOWN = 8  # who was delayed, of each culprit
_DETAILED = 20  # culprits that get all details


class Delayed(NamedTuple):
    """Whom a culprit delayed: how many times, and for how many seconds in all."""

    name: str
    times: int
    seconds: float


@dataclass(slots=True)
class Culprit:
    """What held the loop while others waited.  Times are seconds.

    Attributes:
        name: a tag, or the name of a coroutine or function.
        place: ``file.py:12``, the line where it held the loop most, as samples say, or
            else where it is defined; empty if unknown.
        function: the function of that line.
        waited: seconds that others waited for it, added up.
        own: seconds that callbacks of its own waited for each other.
        spun: seconds in which it kept a core busy and did nothing.
        callbacks: how many it ran.
        held: seconds that it held the loop.
        computed: how much of that it used the CPU; None if unknown.
        longest: seconds of its longest callback.
        collected: seconds of that in which the garbage collector ran.
        delayed: whom it delayed, the most first.
        lines: (place, share) of the lines at which it was seen.
        meanwhile: (thread, place, share) of other threads while it held the loop.
    """

    name: str
    place: str = ""
    function: str = ""
    waited: float = 0.0
    own: float = 0.0
    spun: float = 0.0
    callbacks: int = 0
    held: float = 0.0
    computed: float | None = None
    longest: float = 0.0
    collected: float = 0.0
    delayed: list[Delayed] = field(default_factory=list)
    lines: list[tuple[str, float]] = field(default_factory=list)
    meanwhile: list[tuple[str, str, float]] = field(default_factory=list)

    @property
    def off_cpu(self) -> float | None:
        """Seconds that it held the loop and did not compute, but slept, waited for a
        lock, for the interpreter or for a core."""
        return None if self.computed is None else max(0.0, self.held - self.computed)

    @property
    def score(self) -> float:
        """What culprits are ranked by, which is waited and spun."""
        return self.waited + self.spun


class _Waiting:
    """How many victims wait at each moment, and the integral of it."""

    __slots__ = ("_counts", "_sums", "_times")

    def __init__(self, intervals: Iterable[tuple[int, int]]) -> None:
        steps: Counter[int] = Counter()
        for start, end in intervals:
            if end > start:
                steps[start] += 1
                steps[end] -= 1
        self._times = sorted(steps)
        self._counts = list(accumulate(steps[at] for at in self._times))
        total = 0
        self._sums = [0]
        for (at, after), count in zip(
            zip(self._times, self._times[1:], strict=False), self._counts, strict=False
        ):
            total += (after - at) * count
            self._sums.append(total)

    def until(self, at: int) -> int:
        """Victim-nanoseconds before *at*."""
        found = bisect_right(self._times, at) - 1
        if found < 0:
            return 0
        return self._sums[found] + (at - self._times[found]) * self._counts[found]

    def during(self, one: Callback) -> int:
        """Victim-nanoseconds while *one* held the loop."""
        if not self._times or one.ended_ns <= self._times[0]:
            return 0
        return self.until(one.ended_ns) - self.until(one.run_ns)


def blame(
    recording: Recording, victim: str = "*", ledger: Ledger | None = None
) -> list[Culprit]:
    """Return who made others wait in *recording*, the worst first.

    Args:
        recording: what ran.
        victim: count only those whose tag, name, task or place this pattern matches,
            and the data that such a request came with.
        ledger: that of *recording*, if there is one already.

    Introduced in the chapter *Diagnose your own program*.
    """
    ledger = ledger or Ledger(recording)
    groups = _grouped(recording, ledger.pieces)
    asked = {note.tag for note in recording.notes}
    leads_to = _leads_to(recording)
    victims = [
        one
        for one in recording.callbacks
        if one.run_ns > waits_from(one)
        and (
            victim == "*"
            or matches(recording, one, victim)
            or fnmatchcase(leads_to.get(one.index, ""), victim)
        )
    ]
    # What a batch makes for itself waits for nobody else, and nobody for it.
    outside = [one for one in victims if ledger.key[one.index] in ledger.waiting]
    waited = ledger.blamed(outside)
    same_tag = _by(victims, lambda one: one.tag or None, at_least=2)
    # Jobs of one kind that nobody outside waits for.
    inner = _by(
        (one for one in victims if one.cause == "call" and one.tag not in asked),
        lambda one: name_of(recording, one),
    )
    spun = _spun(recording)
    culprits = []
    for name, ones in groups.items():
        own = 0
        mine = inner.get(name)
        for one in ones:
            if mine is not None:
                own += mine.during(one)
            if one.tag in asked and one.tag in same_tag:
                own += same_tag[one.tag].during(one)
        cpu = [one.cpu_ns for one in ones if one.cpu_ns is not None]
        culprits.append(
            Culprit(
                name,
                waited=waited.get(name, 0.0),
                own=own / NS,
                spun=spun.get(name, 0) / NS,
                callbacks=len(ones),
                held=sum(one.held_ns for one in ones) / NS,
                computed=sum(cpu) / NS if cpu else None,
                longest=max(one.held_ns for one in ones) / NS,
            )
        )
    culprits.sort(key=lambda one: (-one.score, -one.held, one.name))
    _add_delayed(recording, culprits[:_DETAILED], groups, outside, leads_to, asked)
    _add_places(ledger, culprits, groups)
    return culprits


def unexplained(recording: Recording) -> float:
    """Seconds that callbacks waited while no callback held the loop.

    The loop's thread waited then for the interpreter or for a core, or slept longer
    than it asked.
    """
    waits = _Waiting(_waits(recording.callbacks))
    total = sum(one.run_ns - waits_from(one) for one in recording.callbacks)
    held = sum(waits.during(one) for one in recording.callbacks)
    return max(0, total - held) / NS


def _grouped(
    recording: Recording, pieces: Iterable[Callback]
) -> dict[str, list[Callback]]:
    groups: dict[str, list[Callback]] = {}
    for one in pieces:
        groups.setdefault(name_of(recording, one), []).append(one)
    return groups


def _waits(ones: Iterable[Callback]) -> Iterator[tuple[int, int]]:
    return ((waits_from(one), one.run_ns) for one in ones)


def _by(
    ones: Iterable[Callback], key: Callable[[Callback], Any], at_least: int = 1
) -> dict[Any, _Waiting]:
    of: dict[Any, list[Callback]] = {}
    for one in ones:
        found = key(one)
        if found is not None:
            of.setdefault(found, []).append(one)
    return {k: _Waiting(_waits(v)) for k, v in of.items() if len(v) >= at_least}


def _spun(recording: Recording) -> dict[str, int]:
    """Nanoseconds in which nothing ran but steps of tasks that woke themselves."""
    spun: Counter[str] = Counter()
    steps: Counter[str] = Counter()
    last_other = -1
    before: Callback | None = None
    for one in recording.callbacks:
        maker = recording.numbered(one.by) if one.cause == "call" else None
        if (
            maker is not None
            and one.task is not None
            and maker.task == one.task
            and one.held_ns <= _SPIN_NS
        ):
            if before is not None and last_other < maker.index:
                name = name_of(recording, one)
                spun[name] += one.run_ns - before.run_ns
                steps[name] += 1
        else:
            last_other = one.index
        before = one
    # A few in a row are a task that lets others go first, and no poll.
    return {
        name: time
        for name, time in spun.items()
        if steps[name] * NS >= _SPINS * recording.duration * NS / 4
        and steps[name] >= _SPINS / 4
    }


def _leads_to(recording: Recording) -> dict[int, str]:
    """The endpoints of callbacks that read data: it belongs to the request that it
    sets off."""
    found: dict[int, str] = {}
    for note in recording.notes:
        trigger = trigger_of(recording, note.first)
        if trigger is not None and not trigger.tag:
            found[trigger.index] = recording.tags.get(note.tag, "?")
    return found


def _add_delayed(
    recording: Recording,
    culprits: list[Culprit],
    groups: dict[str, list[Callback]],
    victims: list[Callback],
    leads_to: dict[int, str],
    asked: set[int],
) -> None:
    """Say of each culprit whom it delayed."""
    by_name: dict[str, list[Callback]] = {}
    for one in victims:
        name = leads_to.get(one.index) or name_of(recording, one)
        by_name.setdefault(name, []).append(one)
    waiting = {name: _Waiting(_waits(ones)) for name, ones in by_name.items()}
    for culprit in culprits:
        ones = groups[culprit.name]
        starts = [one.run_ns for one in ones]
        sums = list(accumulate((one.held_ns for one in ones), initial=0))

        def held_until(at: int, ones=ones, starts=starts, sums=sums) -> int:  # type: ignore[no-untyped-def]
            found = bisect_right(starts, at)
            if not found:
                return 0
            last = ones[found - 1]
            past = max(0, last.ended_ns - at)
            return int(sums[found] - past)

        for name, waits in waiting.items():
            inner = name == culprit.name
            seconds = sum(waits.during(one) for one in ones) / NS
            if inner:
                seconds -= culprit.own
            if seconds <= 0:
                continue
            count = sum(
                1
                for one in by_name[name]
                if held_until(one.run_ns) > held_until(waits_from(one))
                and not (inner and one.cause == "call" and one.tag not in asked)
            )
            if count:
                culprit.delayed.append(Delayed(name, count, seconds))
        culprit.delayed.sort(key=lambda one: (-one.seconds, one.name))
        del culprit.delayed[_SHOWN:]


def _add_places(
    ledger: Ledger, culprits: list[Culprit], groups: dict[str, list[Callback]]
) -> None:
    """Say of each culprit at which line it was, and what other threads did."""
    recording = ledger.recording
    ran = {one.index: name for name, ones in groups.items() for one in ones}
    others: dict[str, Counter[tuple[str, str]]] = {}
    for sample in recording.samples:
        name = ledger.name_at(sample)
        if name is None:
            continue
        for thread, seen_at in sample.others:
            about = (thread, seen_at.place)
            others.setdefault(name, Counter())[about] += sample.weight_ns
    collected: Counter[str] = Counter()
    for pause in recording.pauses:
        if pause.callback in ran:
            collected[ran[pause.callback]] += pause.held_ns
    for culprit in culprits:
        culprit.collected = collected[culprit.name] / NS
        seen = ledger.lines.get(culprit.name)
        if seen:
            total = sum(seen.values()) or 1
            best = seen.most_common(5)
            culprit.lines = [(code.place, n / total) for code, n in best]
            culprit.place = best[0][0].place
            culprit.function = best[0][0].name
        else:
            held: Counter[Code] = Counter()
            for one in groups[culprit.name]:
                held[one.code] += one.held_ns + 1
            best_code = max(held, key=lambda code: (is_own(code.file), held[code]))
            culprit.place, culprit.function = best_code.place, best_code.name
        near = others.get(culprit.name)
        if near:
            total = max(1, sum(seen.values()) if seen else sum(near.values()))
            culprit.meanwhile = [
                (thread, place, n / total) for (thread, place), n in near.most_common(4)
            ]
