"""One ledger of all waiting: each second goes to one cause.

A victim is a request, a block of ``tag()``, or an event from outside (a timer, data, a
call from another thread) with all that it makes ready in turn.  So done-callbacks and
wake-ups belong to the event that led to them, and a batch does not wait for itself.

A cause is a callback, another thread that kept the interpreter, a lack of cores, the
garbage collector, a full executor, something awaited at a line, or a stop of the
process; what nobody saw has a row of its own.  A sleep that was asked for is no wait.
A task that spins, as a poll with ``sleep(0)`` does, makes a core wait: that is counted
beside the ledger.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import pairwise
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from looplab._numbers import NS

from .naming import (
    WAKERS,
    is_own,
    is_pythons,
    is_recorders,
    name_of,
    own_line,
    plain,
    waits_from,
)

if TYPE_CHECKING:
    from .events import Await, Callback, Code, Job, Window
    from .recording import Recording

Key = int  # of a victim: the number of its tag, or ~ the place where it began
Span = tuple[int, int]
S = TypeVar("S", bound=tuple[Any, ...])

SWITCH_NS = 5_000_000  # how long a thread keeps the interpreter while others want it
IMPORT = "an import"  # what a line called that imports
#: What somebody asked for, or what every timer has.
NO_HARM = frozenset(["executor", "clock", "loop"])
KEPT_NS = 25_000_000  # so long in one go is one call and no turns
CLOCK_NS = 1_200_000  # a selector rounds what it waits up to a millisecond
_LITTLE_NS = 300_000  # off the CPU: nothing to explain
_QUEUED_NS = 1_000_000  # a job that waited for less found a free thread
_NEAR_NS = 200_000_000  # two looks that tell the same, and none between them
_NEVER = 1 << 63


class Delayed(NamedTuple):
    """Whom a cause delayed: how many times, and for how many seconds in all."""

    name: str
    times: int
    seconds: float


def _seconds(field: str, what: str) -> Any:
    """A property: a field of nanoseconds, in seconds."""

    def seconds(row: Row) -> float | None:
        ns = getattr(row, field)
        return None if ns is None else ns / NS

    return property(seconds, doc=f"Seconds {what}.")


@dataclass(slots=True, eq=False)
class Row:
    """What others waited for.

    Attributes:
        kind: ``callback``, ``thread``, ``core``, ``gc``, ``pool``, ``executor``,
            ``await``, ``stopped``, ``clock``, ``loop`` or ``unseen``.
        name: of the callback (its tag, coroutine or function), of the thread, or of
            what was awaited.
        place: ``file.py:12``, the line at which it was seen most, else where it is
            defined; empty if unknown.
        function: the function of that line.
        leaf: of a callback: what that line called, as far in as was seen most, as
            ``function at file.py:12`` or ``an import``; empty if nothing.
        ns: how long others waited for it, in nanoseconds.
        whom: how long each of them did.
        times: how often each of them did.
        kept_ns: how much of it one call kept the interpreter, or the loop was held by
            a call that lets no other thread run.
        threads: the names of the threads.
        callbacks: of a callback: how many pieces of it ran.
        held_ns: of a callback: how long it held the loop.
        longest_ns: of a callback: the longest piece.
        cpu_ns: of a callback: how long it computed; None if unknown.
        spun_ns: of a callback: how long it kept a core busy and did nothing.
    """

    kind: str
    name: str
    place: str = ""
    function: str = ""
    leaf: str = ""
    ns: int = 0
    whom: Counter[str] = field(default_factory=Counter)
    times: Counter[str] = field(default_factory=Counter)
    kept_ns: int = 0
    threads: set[str] = field(default_factory=set)
    callbacks: int = 0
    held_ns: int = 0
    longest_ns: int = 0
    cpu_ns: int | None = None
    spun_ns: int = 0

    waited = _seconds("ns", "that others waited for it")
    held = _seconds("held_ns", "that it held the loop")
    longest = _seconds("longest_ns", "of its longest piece")
    computed = _seconds("cpu_ns", "that it computed while it held the loop, or None")
    spun = _seconds("spun_ns", "in which it kept a core busy and did nothing")

    @property
    def kept(self) -> bool:
        """Whether most of it is one call that lets no other thread run."""
        return self.kept_ns > 0.5 * self.ns

    @property
    def delayed(self) -> list[Delayed]:
        """Whom it delayed, the most first."""
        return [
            Delayed(name, self.times[name], ns / NS)
            for name, ns in self.whom.most_common()
        ]


def origins(recording: Recording) -> tuple[list[int], set[int]]:
    """Of each callback the place of the first one of the event that led to it: nobody
    waits for himself.  And which of those began a handover.

    An event comes from outside, or is a handover: a step of a task wakes another task,
    which was there before, by a lock, a queue or a future.  All that one callback hands
    over is one event, so that those whom it wakes do not wait for each other.
    """
    roots: list[int] = []
    handed: dict[int, int] = {}
    seen: set[str] = set()
    for at, callback in enumerate(recording):
        by = recording.place_of(callback.by) if callback.cause == "call" else None
        task = callback.task
        if by is None or by >= at:
            roots.append(at)
        elif task in seen and (other := recording[by].task) and other != task:
            roots.append(handed.setdefault(by, at))
        else:
            roots.append(roots[by])
        if task is not None:
            seen.add(task)
    return roots, set(handed.values())


class Segment(NamedTuple):
    """A callback, or a part of one in which its tag did not change."""

    start: int
    end: int
    name: str
    place: int  #: of the callback, in the recording
    key: Key


#: What a moment costs: so much of it goes to this row, and whether that kept the
#: interpreter.
Costs = tuple[tuple[Row, float, bool], ...]


class _Charges(dict[tuple[Row, str], list[int]]):
    """By row and who waited: nanoseconds, how often, and of the nanoseconds those in
    which one call kept the interpreter."""

    def add(
        self, row: Row, whom: str, ns: float, times: int = 1, kept: float = 0
    ) -> None:
        if ns >= 1:
            sums = self.setdefault((row, whom), [0, 0, 0])
            for place, more in enumerate((round(ns), times, round(kept))):
                sums[place] += more


class _Share(NamedTuple):
    """What took part in what was off the CPU between two looks."""

    start: int
    end: int
    core: float  # had no core
    interpreter: float  # waited for the interpreter
    stopped: float
    #: The threads that kept it: name, line, part, and whether one call did.
    threads: list[tuple[str, Code | None, float, bool]]


class _Look(NamedTuple):
    """A window, and what of it somebody waited for while the loop did not compute."""

    window: Window
    off: float
    gap: int  # of that no callback held the loop
    place: int  # of the callback that held it longest

    @property
    def no_core(self) -> float:
        return min(self.window.delay_ns, self.off)

    @property
    def within(self) -> int | None:
        """The place of the callback that held the loop for most of it, if one did."""
        return self.place if self.gap <= 0.5 * self.off else None


class Ledger:
    """All that was waited for in *recording*.

    Attributes:
        rows: what was waited for, the most first; at the end what is no harm.
        segments: the callbacks, cut where their tag changes.
        waiting: when each victim waited; *names* has what they are called.
        gaps: when somebody waited and no callback held the loop.
        kept: places of callbacks that kept the interpreter, and for how long in one go.
        plumbing: the names of victims in which nothing of the program itself ran.
    """

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.kept: dict[int, int] = {}
        #: Each row, with nothing charged.
        self._table: dict[tuple[str, str, Code | None], Row] = {}
        #: Of each row how long it was seen at which place.
        self._seen: dict[Row, Counter[Code]] = defaultdict(Counter)
        self._jobs: list[Job] = []
        for job in sorted(recording.jobs, key=attrgetter("submitted_ns")):
            times = job.began_ns, job.ended_ns  # not yet: at the end
            began, ended = (recording.end_ns if at < 0 else at for at in times)
            self._jobs.append(job._replace(began_ns=began, ended_ns=ended))
        self._find_keys()
        self._cut()
        self._find_victims()
        self._read_windows()
        self._price()
        self._find_places()
        self._charges = self._charged(self.waiting)
        self._charge_awaits(self._charges)
        self.rows = self._rows(self._charges)

    # -- who is one victim -----------------------------------------------------

    def _find_keys(self) -> None:
        r = self.recording
        self._roots, self._handed = origins(r)
        self._notes = {note.tag: note for note in (*r.notes, *r.blocks)}
        first_tag = {mark.callback: mark.old for mark in reversed(r.marks)}
        keys: list[Key] = []
        for callback, root in zip(r, self._roots, strict=True):
            tag = first_tag.get(callback.index, callback.tag)
            keys.append(tag if tag in self._notes else ~root)
        for note in r.notes:  # the plumbing that led to a request is the request's
            for callback in r.back_from(note.first):
                at = r.place_of(callback.index)
                if at is not None and (
                    not callback.tag or callback.index == note.first
                ):
                    keys[at] = note.tag
        # A whole chain follows: what its end makes ready too (done-callbacks).
        for at, callback in enumerate(r) if self._notes else ():
            if keys[at] < 0 and callback.cause == "call":
                by = r.place_of(callback.by)
                if by is not None and keys[by] > 0:
                    keys[at] = keys[by]
        self._key_at = keys

    def victim_of(self, callback: Callback) -> str:
        """What the victim is called that *callback* is a part of."""
        key = self._key_at[self.recording.place_of(callback.index) or 0]
        return self.names.get(key) or name_of(self.recording, callback)

    # -- who held the loop -----------------------------------------------------

    def _cut(self) -> None:
        r = self.recording
        marks = defaultdict(list)
        for mark in r.marks:
            marks[mark.callback].append(mark)
        self.segments: list[Segment] = []
        for at, callback in enumerate(r):
            key, ended = self._key_at[at], callback.ended_ns
            if at == callback.index:
                at = callback.index  # an equal number takes memory once
            mine = marks.get(callback.index)
            if mine is None:
                name = name_of(r, callback)
                self.segments.append(Segment(callback.run_ns, ended, name, at, key))
                continue
            times = [callback.run_ns, *(mark.at_ns for mark in mine), ended]
            in_force = [*(mark.old for mark in mine), mine[-1].new]
            for (start, end), tag in zip(pairwise(times), in_force, strict=True):
                whose = tag if tag in self._notes else key
                if not tag and key > 0:
                    whose = ~self._roots[at]
                name = r.tags.get(tag) or plain(callback.code.name)
                if end > start:
                    self.segments.append(Segment(start, end, name, at, whose))

    def _off_cpu(self, place: int) -> float:
        """The share of its time that a callback did not compute."""
        callback = self.recording.callbacks[place]
        if callback.cpu_ns is None:
            return 0.0
        return 1 - min(1.0, callback.cpu_ns / max(1, callback.held_ns))

    # -- who waited ------------------------------------------------------------

    def _find_victims(self) -> None:
        r = self.recording
        spans: dict[Key, list[Span]] = defaultdict(list)
        for callback, key in zip(r, self._key_at, strict=True):
            inside = key < 0 and r[~key].cause in ("before", "call")
            start = waits_from(callback)
            if callback.run_ns > start and not (inside and ~key not in self._handed):
                spans[key].append((start, callback.run_ns))
        ran: dict[Key, list[Segment]] = defaultdict(list)
        for segment in self.segments:
            if segment.key > 0 or segment.key in spans:
                ran[segment.key].append(segment)
        self._ran = {key: tuple(ran.pop(key)) for key in [*ran]}
        self.waiting: dict[Key, Sequence[Span]] = {}
        for key in [*spans]:
            waits = spans.pop(key)
            last = self._notes[key].ended_ns if key > 0 else _NEVER
            self.waiting[key] = tuple(union([(a, min(b, last)) for a, b in waits]))
        self._name_victims()

    def _name_victims(self) -> None:
        r = self.recording
        best: dict[int, Callback] = {}
        for callback, root in zip(r, self._roots, strict=True):
            have = best.setdefault(root, callback)
            if is_own(callback.code.file) and not is_own(have.code.file):
                best[root] = callback
        self.names: dict[Key, str] = {}
        own: set[str] = set()
        for key in self.waiting:
            if key > 0:
                self.names[key] = r.tags.get(key, "?")
                own.add(self.names[key])
                continue
            callback = best[~key]
            timer = "timers of " if r[~key].cause == "timer" else ""
            self.names[key] = timer + name_of(r, callback)
            # A heartbeat of looplab is there because the program wants it.
            file = callback.code.file
            if callback.tag or is_own(file) or "/looplab/" in file:
                own.add(self.names[key])
        self.plumbing = {*self.names.values()} - own

    # -- where it was seen -----------------------------------------------------

    def _find_places(self) -> None:
        """Give each row the line at which it was seen most; a callback what that line
        called, too."""
        r = self.recording
        leaves: dict[tuple[Row, Code], Counter[Code]] = defaultdict(Counter)
        for sample in r.samples:
            at = bisect_right(self.segments, sample.at_ns, key=_start) - 1
            _, _, name, place, _ = self.segments[max(0, at)]
            callback = r[place]
            if at < 0 or callback.index != sample.callback:
                continue  # it ran no more
            line = own_line(sample.stack)
            # Its coroutine may have let go, while the loop sees to the rest.
            if is_own(callback.code.file) and (line is None or not is_own(line.file)):
                line = callback.code
            if line is not None:
                row = self.callback(name)
                self._seen[row][line] += sample.weight_ns
                stack = list(sample.stack)
                called = stack[: stack.index(line)] if line in stack else stack
                leaf = next(filter(_imports, called), (stack or [line])[0])
                leaves[row, line][leaf] += sample.weight_ns
        defined: dict[str, Counter[Code]] = defaultdict(Counter)
        for start, end, name, place, _ in self.segments:
            defined[name][r[place].code] += end - start + 1
        for name, codes in defined.items():
            code = max(codes, key=lambda code: (is_own(code.file), codes[code]))
            self._seen.setdefault(self.callback(name), Counter([code]))
        for row, codes in self._seen.items():
            [(code, _)] = codes.most_common(1)
            row.place, row.function = code.place, code.name
            for leaf, _ in leaves[row, code].most_common(1):
                if _imports(leaf):
                    row.leaf = IMPORT if leaf != code else ""
                elif leaf != code and not is_recorders(leaf.file):
                    row.leaf = f"{leaf.name} at {leaf.place}"

    # -- what kept the loop's thread from running ------------------------------

    def _read_windows(self) -> None:
        everybody = union([span for spans in self.waiting.values() for span in spans])
        self.gaps = minus(everybody, self.segments)
        looks = list(map(self._look, _spread(sorted(self.recording.windows))))
        self._find_kept(looks)
        looks = [look for look in looks if look.off >= _LITTLE_NS]
        # A thread that waits for the interpreter wakes once in each switch interval to
        # ask again, and one that sleeps or waits for I/O does not.
        rest: dict[int | None, float] = defaultdict(float)
        slices: Counter[int | None] = Counter()
        for look in looks:
            rest[look.within] += look.off - look.no_core
            slices[look.within] += look.window.slices
        asked = {at: 1.1 * SWITCH_NS * slices[at] / max(1.0, rest[at]) for at in rest}
        asked[None] = 1.0
        self._shares = [
            self._share(look, min(1.0, asked[look.within])) for look in looks
        ]
        # Looks that are not late are not kept: who had the interpreter before and after
        # them had it meanwhile.
        for before, after in [*pairwise(self._shares)]:
            had = min(before.interpreter, after.interpreter)
            if had and 0 < after.start - before.end < _NEAR_NS:
                where = before.end, after.start
                self._shares.append(_Share(*where, 0, had, 0, before.threads))
        self._shares.sort(key=_start)

    def _look(self, window: Window) -> _Look:
        a, b = window.start_ns, window.end_ns
        off, longest, place = 0.0, 0, -1
        for segment in overlapping(self.segments, a, b):
            size = min(segment.end, b) - max(segment.start, a)
            off += size * self._off_cpu(segment.place)
            longest, place = max((longest, place), (size, segment.place))
        gap = _within(self.gaps, a, b)
        return _Look(window, off + gap, gap, place)

    def _find_kept(self, looks: Sequence[_Look]) -> None:
        """Find the callbacks during which no other thread had a turn."""
        silent: Counter[int] = Counter()
        for window, _, _, place in looks:
            size = window.end_ns - window.start_ns - window.own_delay_ns
            if place < 0 or not window.late or size <= 4 * SWITCH_NS:
                continue
            if window.cpu_ns > 0.7 * size:
                callback = self.recording[place]
                begin = max(window.start_ns, callback.run_ns)
                silent[place] += min(window.end_ns, callback.ended_ns) - begin
                stretch = min(size, callback.held_ns)
                self.kept[place] = max(self.kept.get(place, 0), stretch)
        for place, ns in silent.items():  # one late look alone is chance
            if ns < 0.5 * self.recording[place].held_ns:
                del self.kept[place]

    def _share(self, look: _Look, asked: float) -> _Share:
        """What took part in *look*, where the loop's thread asked for the interpreter
        for so much of what was off the CPU."""
        window, off, gap, _ = look
        a, b, length = window.start_ns, window.end_ns, window.end_ns - window.start_ns
        delay, own_delay = look.no_core, window.own_delay_ns
        rest = off - delay
        theirs = sum(other.cpu_ns for other in window.others)
        starved = sum(other.delay_ns for other in window.others)
        used = theirs + window.cpu_ns + window.own_cpu_ns + delay + own_delay
        interpreter = stopped = 0.0
        if window.late and used < 0.2 * length and gap > 0.5 * length:
            stopped = rest
        elif theirs + starved > 0.4 * rest * asked and asked > 0.1:
            interpreter = min(rest * asked, theirs)
            # Whoever keeps the interpreter may itself wait for a core.
            delay += min(rest * asked - interpreter, starved)
        elif window.late and gap > 0.5 * off and own_delay > 0.3 * length:
            delay = off  # the sampler had no core either
        threads = []
        kept = window.late and length - own_delay - SWITCH_NS > KEPT_NS
        for name, cpu, wanted, seen in window.others if interpreter else ():
            if seen is not None and is_pythons(seen.file):
                seen = self._job_in(a, b) or seen  # it may be idle again
            alone = bool(kept and cpu + wanted > 0.6 * length)
            threads.append((name, seen, cpu / theirs, alone))
        return _Share(a, b, delay / off, interpreter / off, stopped / off, threads)

    def _job_in(self, a: int, b: int) -> Code | None:
        """What executors ran most between *a* and *b*."""
        sizes: Counter[Code] = Counter()
        for _, _, _, began, ended, code in self._jobs:
            if began < b and ended > a:
                sizes[code] += min(ended, b) - max(began, a)
        return max(sizes, key=lambda code: sizes[code], default=None)

    # -- charge it -------------------------------------------------------------

    def callback(self, name: str) -> Row:
        """The row of a callback, with its line, and nothing that was waited for."""
        return self._row("callback", name)

    def _row(self, kind: str, name: str = "", code: Code | None = None) -> Row:
        """A row, with nothing charged."""
        row = self._table.get((kind, name, code))
        if row is None:
            where = (code.place, code.name) if code else ("", "")
            row = self._table[kind, name, code] = Row(kind, name, *where)
        return row

    def _rows(self, charges: Mapping[tuple[Row, str], Sequence[int]]) -> list[Row]:
        """The most first, and at the end what somebody asked for or every timer has."""
        rows: dict[Row, Row] = {}
        for (of, whom), (ns, times, kept) in charges.items():
            if of not in rows:
                rows[of] = replace(of, whom=Counter(), times=Counter())
            row = rows[of]
            row.ns += ns
            row.kept_ns += kept
            row.whom[whom] += ns
            row.times[whom] += times
        return sorted(rows.values(), key=lambda row: (row.kind in NO_HARM, -row.ns))

    def blame(self, victim: str = "*") -> list[Row]:
        """The callbacks, the most waited for first; see :meth:`Recording.blame`."""
        charged = {(row.kind, row.name): row for row in self.rows_of(victim)}
        rows = [charged.get((row.kind, row.name), row)
                for row in self._table.values() if row.kind == "callback"]  # fmt: skip
        return sorted(rows, key=lambda row: (-row.ns - row.spun_ns, -row.held_ns))

    def rows_of(self, victim: str) -> list[Row]:
        """What those waited for whose name the pattern *victim* matches."""
        return self._rows({
            (row, name): sums
            for (row, name), sums in self._charges.items()
            if fnmatchcase(name.removeprefix("timers of "), victim)
            or fnmatchcase(name, victim)
        })  # fmt: skip

    def during(self, waiting: Mapping[Key, Sequence[Span]]) -> list[Row]:
        """What these victims waited for in these spans, the most first."""
        return self._rows(self._charged(waiting))

    def cause_of(self, start: int, end: int) -> Row:
        """What kept the loop most from *start* to *end*, when no callback held it."""
        return self.during({next(iter(self.waiting)): [(start, end)]})[0]

    def longest(self) -> dict[str, int]:
        """Of those who are called by one name, how long the worst off waited for
        others, in nanoseconds."""
        longest: Counter[str] = Counter()
        for key, spans in self.waiting.items():
            waits = minus(spans, self._ran.get(key, ()))
            ns = sum(end - start for start, end in waits)
            longest[self.names[key]] = max(longest[self.names[key]], ns)
        return longest

    def late(self, limit_ns: int) -> list[tuple[int, str, Row]]:
        """Each victim's longest wait for others, if it is above *limit_ns*: how long,
        who waited, and for what most; the longest first."""
        late = []
        for key, spans in self.waiting.items():
            waits = [self.during({key: [(a, b)]}) for a, b in spans if b - a > limit_ns]
            worst = max(waits, key=_sum, default=[])
            if _sum(worst) > limit_ns:
                late.append((_sum(worst), self.names[key], worst[0]))
        return sorted(late, key=lambda wait: -wait[0])

    def _price(self) -> None:
        """Cut all the time into moments, and say what each of them costs whom it lets
        wait: what does not depend on who waits is found out once."""
        r = self.recording
        collected: Counter[int] = Counter()
        for pause in r.pauses:
            paused = r.place_of(pause.callback)
            if paused is not None:
                collected[paused] += pause.held_ns
        unseen = self._row("unseen", "something not seen: no callback held the loop")
        between = self._row("loop", "the loop itself, between callbacks")
        collector = self._row("gc", "the garbage collector")
        costs: list[Costs] = [((unseen, 1.0, False),), ((between, 1.0, False),)]
        known: dict[tuple[Row, bool], int] = {}
        self._costs = costs
        self._ends, self._cost_at = array("q"), array("i")
        at = 0

        def until(end: int, number: int, off: float = 0.0) -> None:
            """The time up to *end* costs so much, where no look says more; for so much
            of it nothing of the loop computed."""
            nonlocal at
            for share in overlapping(self._shares, at, end) if off > 0.02 else ():
                until(share.start, number)
                costs.append(self._shared(share, off, costs[number]))
                until(min(end, share.end), len(costs) - 1)
            if end > at:
                self._ends.append(end)
                self._cost_at.append(number)
                at = end

        for start, end, name, place, _ in self.segments:
            if start > at:
                until(start, int(start - at <= CLOCK_NS), 1.0)
            row, kept = self._row("callback", name), place in self.kept
            self._hold(row, end - start, r.callbacks[place])
            if place in collected:
                gc = min(1.0, collected[place] / max(1, r[place].held_ns))
                number = len(costs)
                costs.append(((row, 1 - gc, kept), (collector, gc, False)))
            elif (number := known.get((row, kept), 0)) == 0:
                number = known[row, kept] = len(costs)
                costs.append(((row, 1.0, kept),))
            until(end, number, self._off_cpu(place))
        until(r.end_ns, 0, 1.0)
        self.spinning = spun(r)
        for name, ns in self.spinning.items():
            self.callback(name).spun_ns = ns

    def _hold(self, row: Row, ns: int, callback: Callback) -> None:
        """Note that a row held the loop for *ns* of *callback*."""
        row.callbacks += 1
        row.held_ns += ns
        if ns > row.longest_ns:
            row.longest_ns = ns
        if callback.cpu_ns is not None:
            part = callback.cpu_ns * ns // (callback.held_ns or 1)
            row.cpu_ns = (row.cpu_ns or 0) + part

    def _shared(self, share: _Share, off: float, costs: Costs) -> Costs:
        """What a moment costs of which a look tells that threads or cores took part:
        else it costs *costs*, and it was *off* the CPU for so much of it."""
        (row, left, kept), *rest = costs
        off = min(off, left)
        if share.core:
            other = self._row("core", "no core (other processes)")
            rest.append((other, share.core * off, False))
        if share.stopped:
            other = self._row("stopped", "the process was stopped")
            rest.append((other, share.stopped * off, False))
        for thread, code, part, alone in share.threads:
            if code is None:
                other = self._row("thread", thread)
            else:  # a function is one row, at the line at which it was seen most
                other = self._row("thread", "", code._replace(line=0))
                ns = (share.end - share.start) * share.interpreter * part
                self._seen[other][code] += round(ns)
            other.threads.add(thread)
            rest.append((other, share.interpreter * off * part, alone))
        left -= off * (share.core + share.stopped + share.interpreter)
        return (row, max(0.0, left), kept), *rest

    def _charged(self, waiting: Mapping[Key, Sequence[Span]]) -> _Charges:
        """Charge each wait to the moments that it lasted."""
        charges = _Charges()
        clock = self._row("clock", "the selector's own millisecond")
        called: dict[str, list[Key]] = defaultdict(list)
        for key in waiting:
            called[self.names[key]].append(key)
        for whom, keys in called.items():
            parts: list[tuple[int, int, int]] = []
            rounded = whom.startswith("timers of ")  # a selector waits whole ms
            for key, (began, end) in ((k, span) for k in keys for span in waiting[k]):
                start = began
                at = bisect_right(self._ends, start) if rounded else len(self._ends)
                if at < len(self._ends) and self._cost_at[at] < 2:
                    size = min(end, self._ends[at]) - start
                    if size <= CLOCK_NS:
                        charges.add(clock, whom, size)
                        start += size
                own = self._ran.get(key, ())
                parts += [(a, b, began) for a, b in minus([(start, end)], own)]
            self._sweep(charges, whom, parts)
        return charges

    def _sweep(
        self, charges: _Charges, whom: str, parts: list[tuple[int, int, int]]
    ) -> None:
        """Charge the waits of those who are called *whom*, as (from, to, began), in
        which nothing of their own ran: moment by moment, however many wait at once."""
        begins, ends = sorted(parts), sorted(parts, key=_end)
        stops, cost_at, costs = self._ends, self._cost_at, self._costs
        sums: dict[int, int] = defaultdict(int)  # of each cost
        times: Counter[Row] = Counter()
        last: dict[Row, int] = defaultdict(int)  # the end of its last moment
        active: list[int] = []  # when those who wait now began to
        begun = ended = at = now = 0
        while ended < len(ends):
            if not active:
                now = begins[begun][0]
                at = bisect_right(stops, now)
            while begun < len(begins) and begins[begun][0] <= now:
                insort(active, begins[begun][2])
                begun += 1
            until = ends[ended][1]
            if begun < len(begins) and begins[begun][0] < until:
                until = begins[begun][0]
            many = len(active)
            while now < until:
                stop, cost = until, 0
                if at < len(stops):
                    cost = cost_at[at]
                    if stops[at] <= until:
                        stop = stops[at]
                        at += 1
                sums[cost] += (stop - now) * many
                for row, _, _ in costs[cost]:
                    since = last[row]
                    if since <= active[-1]:
                        times[row] += many - bisect_left(active, since)
                    last[row] = stop
                now = stop
            while ended < len(ends) and ends[ended][1] <= now:
                del active[bisect_left(active, ends[ended][2])]
                ended += 1
        amounts: dict[Row, float] = defaultdict(float)
        alone: dict[Row, float] = defaultdict(float)
        for cost, ns in sums.items():
            for row, share, kept in costs[cost]:
                amounts[row] += ns * share
                alone[row] += ns * share if kept else 0
        for row, total in amounts.items():
            charges.add(row, whom, total, times[row], alone[row])

    # -- what was awaited ------------------------------------------------------

    def _charge_awaits(self, charges: _Charges) -> None:
        """Charge what requests and blocks of tags waited for beside the loop."""
        r = self.recording
        awaits: dict[int, list[Await]] = defaultdict(list)
        for seen in sorted(r.awaits):
            awaits[seen.tag].append(seen)
        jobs: dict[int, list[Job]] = defaultdict(list)
        for job in self._jobs:
            jobs[job.tag].append(job)
        inside = self._inside()
        for tag, note in self._notes.items():
            ran = self._ran.get(tag, ())
            own = [segment[:2] for segment in ran]
            known = union([*self.waiting.get(tag, ()), *own, *inside.get(tag, ())])
            left = minus([(note.began_ns, note.ended_ns)], known)
            sums: dict[Row, float] = defaultdict(float)
            for _, _, submitted, began, ended, code in jobs.get(tag, ()):
                name = f"{code.name} in an executor"
                if began > submitted + _QUEUED_NS:
                    size = _within(left, submitted, began)
                    sums[self._full(submitted, began)] += size
                    left = minus(left, [(submitted, began)])
                sums[self._row("executor", name, code)] += _within(left, began, ended)
                left = minus(left, [(began, ended)])
            for span in left:
                self._unseen(sums, span, awaits.get(tag, ()), self._slept(ran))
            for row, ns in sums.items():
                charges.add(row, r.tags.get(tag, "?"), ns)
        queues: dict[Key, list[Span]] = defaultdict(list)
        whom: dict[Key, str] = {}
        for tag, by, submitted, began, *_ in self._jobs:
            place, queued = r.place_of(by), began > submitted + _QUEUED_NS
            if place is None or not queued or tag in self._notes:
                continue
            key = self._key_at[place]
            if key < 0:  # it is no request and no block of a tag
                queues[key].append((submitted, began))
                whom[key] = self.victim_of(r[place])
        for key, spans in queues.items():  # an event with many jobs waits once
            for a, b in union(spans):
                charges.add(self._full(a, b), whom[key], b - a)

    def _full(self, a: int, b: int) -> Row:
        """The row of an executor that was full, with who filled it most."""
        if code := self._job_in(a, b):
            return self._row("pool", "a full executor", code)
        if b < self.recording.end_ns:  # it was empty: a thread had to start
            return self._row("unseen", "something awaited, not seen where")
        return self._row("pool", "a full executor")

    def _slept(self, ran: Sequence[Segment]) -> list[Span]:
        """When the work that ran then slept because it asked to: a timer says it."""
        callbacks = [self.recording.callbacks[segment.place] for segment in ran]
        return union([
            (each.set_ns, each.due_ns)
            for each in callbacks
            if each.set_ns is not None and each.due_ns is not None
            if each.code.name in _SLEEPS and each.cause == "timer"
        ])  # fmt: skip

    def _inside(self) -> dict[int, list[Span]]:
        """When blocks inside the work of each tag waited and ran: that is their own."""
        inside: dict[int, list[Span]] = defaultdict(list)
        met: set[int] = set()
        for _, _, old, new in sorted(self.recording.marks, key=attrgetter("at_ns")):
            begins = new not in met and new in self._notes  # it begins, and none ends
            if begins and old in self._notes:
                note = self._notes[new]
                inside[old].append((note.began_ns, note.ended_ns))
            met |= {old, new}
        return inside

    def _unseen(
        self,
        sums: dict[Row, float],
        span: Span,
        awaits: Sequence[Await],
        naps: Sequence[Span],
    ) -> None:
        """Charge what was awaited in *span*, by the looks since the wait began."""
        a, b = span
        awaits = [seen for seen in awaits if a <= seen.at_ns <= b]
        for seen in awaits:
            if not _is_sleep(seen.stack):
                sums[self._awaited(seen.stack, seen.pool)] += (b - a) / len(awaits)
        if not awaits and (size := sum(hi - lo for lo, hi in minus([span], naps))):
            sums[self._row("unseen", "something awaited, not seen where")] += size

    def _awaited(self, stack: Sequence[Code], pool: Sequence[tuple[Code, int]]) -> Row:
        """The row of what was awaited at the innermost place of *stack*."""
        if pool:
            filler, many = pool[0]
            kind = "pool" if many > 0 else "executor"
            name = "AnyIO's full pool" if many > 0 else "a thread of AnyIO"
            return self._row(kind, name, filler)
        what = stack[0]
        line = own_line(stack) or what
        at_line = stack.index(line)
        called = stack[at_line - 1] if at_line else line
        label = "a future" if what is line else what.name
        plumbing = is_pythons(called.file)
        if called not in (line, what) and called.name != what.name and not plumbing:
            label = f"{called.name} … {what.name}"
        return self._row("await", label, line)


_start: Any = attrgetter("start")
_end: Any = itemgetter(1)
#: The timer that ends an ``asyncio.sleep``.
_SLEEPS = WAKERS - {"Timeout._on_timeout"}
_SPIN_NS = 200_000  # a step of a task that spins is shorter
_SPINS = 1000  # and it takes so many of them a second


def _imports(code: Code) -> bool:
    return code.name == "<module>" or code.file.startswith("<frozen importlib")


def _is_sleep(stack: Sequence[Code]) -> bool:
    return stack[0].name == "sleep" and "asyncio" in stack[0].file


def spun(recording: Recording) -> dict[str, int]:
    """Nanoseconds in which nothing ran but steps of tasks that woke themselves."""
    spinning: Counter[str] = Counter()
    steps: Counter[str] = Counter()
    last_other = -1
    before: Callback | None = None
    for callback in recording:
        maker = recording.numbered(callback.by) if callback.cause == "call" else None
        itself = maker is not None and maker.task == callback.task is not None
        if maker is None or not itself or callback.held_ns > _SPIN_NS:
            last_other = callback.index
        elif before is not None and last_other < maker.index:
            name = name_of(recording, callback)
            spinning[name] += callback.run_ns - before.run_ns
            steps[name] += 1
        before = callback
    # A few in a row are a task that lets others go first, and no poll.
    least = max(_SPINS / 4, _SPINS * recording.duration / 4)
    return {name: time for name, time in spinning.items() if steps[name] >= least}


def _spread(windows: list[Window]) -> list[Window]:
    """The same *windows*, in order, each with its own part of a wait for a core: the
    system counts all of it in the window in which it ended."""
    more, later = 0, 0  # of the wait was before; when the window after began
    for at, window in reversed([*enumerate(windows)]):
        more = max(0, more - max(0, later - window.end_ns))  # between the two
        waited, later = window.delay_ns + more, window.start_ns
        delay = min(waited, max(0, window.end_ns - later - window.cpu_ns))
        windows[at], more = window._replace(delay_ns=delay), waited - delay
    return windows


def _sum(rows: Sequence[Row]) -> int:
    return sum(row.ns for row in rows)


def union(spans: Sequence[Span]) -> list[Span]:
    """The same time as *spans*, in order and without overlaps."""
    merged: list[Span] = []
    for a, b in sorted(spans):
        if merged and a <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(b, merged[-1][1])
        elif b > a:
            merged.append((a, b))
    return merged


def overlapping(spans: Sequence[S], a: int, b: int) -> Iterator[S]:
    """Those of *spans*, in order and without overlaps, that have a part of *a* to
    *b*."""
    at = bisect_right(spans, a, key=_end)
    while at < len(spans) and spans[at][0] < b:
        yield spans[at]
        at += 1


def _within(spans: Sequence[Span], a: int, b: int) -> int:
    """How much of *spans*, in order and without overlaps, lies from *a* to *b*."""
    return sum(min(b, hi) - max(a, lo) for lo, hi in overlapping(spans, a, b))


def minus(spans: Sequence[Span], cut: Sequence[tuple[Any, ...]]) -> list[Span]:
    """What of *spans* is in none of *cut*; both in order, without overlaps."""
    left = []
    for a, b in spans:
        at = bisect_right(cut, a, key=_end)
        while at < len(cut) and cut[at][0] < b:
            if cut[at][0] > a:
                left.append((a, cut[at][0]))
            a = max(a, cut[at][1])
            at += 1
        if b > a:
            left.append((a, b))
    return left
