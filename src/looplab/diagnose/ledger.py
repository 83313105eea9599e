"""One ledger of all waiting: each second goes to one cause.

A victim is a request, a block of ``tag()``, or an event from outside (a timer, data, a
call from another thread) with all that it makes ready in turn.  So done-callbacks and
wake-ups belong to the event that led to them, and a batch does not wait for itself.

A cause is a callback, another thread that kept the interpreter, a lack of cores, the
garbage collector, a full executor, something awaited at a line, or a stop of the
process; what nobody saw has a row of its own.  A sleep that was asked for is no wait.
A task that spins, as a poll with ``sleep(0)`` does, makes a core wait: that is counted
beside the ledger.

The module uses the standard library only and runs in a browser.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from looplab._numbers import NS

from .naming import (
    WAKERS,
    is_own,
    is_pythons,
    is_recorders,
    matches,
    name_of,
    own_line,
    waits_from,
)

if TYPE_CHECKING:
    from .recording import Await, Callback, Code, Recording, RequestNote, Sample

__all__ = ["Delayed", "Ledger", "Row", "blame"]

Key = tuple[str, int]  # ("tag", its number), or ("from", the callback that began it)
Span = tuple[int, int]

SWITCH_NS = 5_000_000
IMPORT = "an import"  # what a line called that imports
KEPT_NS = 25_000_000
_NEVER = 1 << 63
CLOCK_NS = 1_200_000  # a selector rounds what it waits up to a millisecond


class Delayed(NamedTuple):
    """Whom a cause delayed: how many times, and for how many seconds in all."""

    name: str
    times: int
    seconds: float


@dataclass(slots=True)
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

    @property
    def waited(self) -> float:
        """Seconds that others waited for it."""
        return self.ns / NS

    @property
    def held(self) -> float:
        """Seconds that it held the loop."""
        return self.held_ns / NS

    @property
    def longest(self) -> float:
        """Seconds of its longest piece."""
        return self.longest_ns / NS

    @property
    def computed(self) -> float | None:
        """Seconds that it computed while it held the loop; None if unknown."""
        return None if self.cpu_ns is None else self.cpu_ns / NS

    @property
    def spun(self) -> float:
        """Seconds in which it kept a core busy and did nothing."""
        return self.spun_ns / NS

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
    callbacks = recording.callbacks
    for at, callback in enumerate(callbacks):
        by = recording.place_of(callback.by) if callback.cause == "call" else None
        task = callback.task
        if by is None or by >= at:
            roots.append(at)
        elif task in seen and (other := callbacks[by].task) and other != task:
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


#: What a moment costs: so much of it goes to the row with this number, and whether that
#: kept the interpreter.
Costs = tuple[tuple[int, float, bool], ...]
#: From when to when which part of what was off the CPU had no core, waited for the
#: interpreter, was stopped; and which threads kept the interpreter, with their lines,
#: parts, and whether one call did.
Share = tuple[
    int, int, float, float, float, list[tuple[str, "Code | None", float, bool]]
]


class Ledger:
    """All that was waited for in *recording*.

    Attributes:
        rows: what was waited for; :meth:`ranked` sorts them.
        own_ns: how long victims waited for work of their own.
        segments: the callbacks, cut where their tag changes.
        gaps: when somebody waited and no callback held the loop.
        plumbing: the names of victims in which nothing of the program itself ran.
    """

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.rows: dict[tuple[str, str, str], Row] = {}
        self.own_ns = 0
        #: Places of callbacks that kept the interpreter, and for how long in one go.
        self.kept: dict[int, int] = {}
        self._keys()
        self._segments()
        self._victims()
        self._read_windows()
        self._places()
        self._price()
        self._charge(self.waiting)
        self._elsewhere()

    # -- who is one victim -----------------------------------------------------

    def _keys(self) -> None:
        r = self.recording
        roots, self._handed = origins(r)
        self._roots = roots
        self.notes: dict[int, RequestNote] = {}
        for note in (*r.notes, *r.blocks):
            self.notes.setdefault(note.tag, note)
        self._tag_keys: dict[int, Key] = {tag: ("tag", tag) for tag in self.notes}
        events: dict[int, Key] = {}
        first_tag: dict[int, int] = {}
        for number, _, old, _ in r.marks:
            first_tag.setdefault(number, old)
        keys: list[Key] = []
        for at, callback in enumerate(r.callbacks):
            tag = (
                first_tag.get(callback.index, callback.tag)
                if first_tag
                else callback.tag
            )
            key = self._tag_keys.get(tag)
            if key is None:
                key = events.get(roots[at])
                if key is None:
                    key = events[roots[at]] = "from", roots[at]
            keys.append(key)
        for note in r.notes:  # the plumbing that led to a request is the request's
            for callback in r.back_from(note.first):
                if not callback.tag or callback.index == note.first:
                    keys[r.position(callback.index)] = self._tag_keys[note.tag]
        # A whole chain follows: what its end makes ready too (done-callbacks).
        if self.notes:
            for at, callback in enumerate(r.callbacks):
                if keys[at][0] == "from" and callback.cause == "call":
                    by = r.place_of(callback.by)
                    if by is not None and keys[by][0] == "tag":
                        keys[at] = keys[by]
        self._key_at = keys

    def key_of(self, callback: Callback) -> Key:
        """Which victim *callback* is a part of."""
        return self._key_at[self.recording.position(callback.index)]

    # -- who held the loop -----------------------------------------------------

    def _segments(self) -> None:
        """The callbacks in order, cut where their tag changed."""
        r = self.recording
        marks = defaultdict(list)
        for number, when, old, new in r.marks:
            marks[number].append((when, old, new))
        self.segments: list[Segment] = []
        add, keys = self.segments.append, self._key_at
        for at, callback in enumerate(r.callbacks):
            mine = marks.get(callback.index) if marks else None
            if not mine:
                name = name_of(r, callback)
                add(Segment(callback.run_ns, callback.ended_ns, name, at, keys[at]))
                continue
            start, last = callback.run_ns, 0
            for when, old, new in mine:
                self._segment(start, when, old, at)
                start, last = when, new
            self._segment(start, callback.ended_ns, last, at)
        self.starts = [segment.start for segment in self.segments]

    def _segment(self, start: int, end: int, tag: int, at: int) -> None:
        if end > start:
            name = self.recording.tags.get(tag) if tag else None
            if name is None:
                code = self.recording.callbacks[at].code
                name = code.name.rpartition("<locals>.")[2]
            key = self._tag_keys.get(tag) or self._key_at[at]
            key = key if tag or key[0] != "tag" else ("from", self._roots[at])
            self.segments.append(Segment(start, end, name, at, key))

    def _computed(self, segment: Segment) -> int | None:
        """How long the CPU was used for *segment*, as far as is known."""
        callback = self.recording.callbacks[segment.place]
        if callback.cpu_ns is None:
            return None
        return (
            callback.cpu_ns * (segment.end - segment.start) // max(1, callback.held_ns)
        )

    # -- who waited ------------------------------------------------------------

    def _victims(self) -> None:
        r = self.recording
        spans: dict[Key, list[Span]] = defaultdict(list)
        for at, callback in enumerate(r.callbacks):
            key = self._key_at[at]
            if key[0] == "from":
                root = self._roots[at]
                cause = r.callbacks[root].cause
                if cause in ("before", "call") and root not in self._handed:
                    continue
            start = waits_from(callback)
            if callback.run_ns > start:
                spans[key].append((start, callback.run_ns))
        self.ran: dict[Key, list[Segment]] = defaultdict(list)
        for segment in self.segments:
            self.ran[segment.key].append(segment)
        self.waiting: dict[Key, list[Span]] = {}
        for key in list(spans):
            waits = spans.pop(key)
            if key[0] == "tag":
                last = self.notes[key[1]].ended_ns
                waits = [(a, min(b, last)) for a, b in waits if a < last]
            self.waiting[key] = union(waits)
        self.names = self._names()

    def _names(self) -> dict[Key, str]:
        r = self.recording
        names: dict[Key, str] = {}
        best: dict[int, Callback] = {}
        for callback, root in zip(r.callbacks, self._roots, strict=True):
            have = best.get(root)
            if have is None or (
                is_own(callback.code.file) and not is_own(have.code.file)
            ):
                best[root] = callback
        own: set[str] = set()
        for key in self.waiting:
            if key[0] == "tag":
                names[key] = r.tags.get(key[1], "?")
                own.add(names[key])
                continue
            callback = best[key[1]]
            what = name_of(r, callback)
            timer = r.callbacks[key[1]].cause == "timer"
            names[key] = f"timers of {what}" if timer else what
            # A heartbeat of looplab is there because the program wants it.
            if (
                callback.tag
                or is_own(callback.code.file)
                or "/looplab/" in callback.code.file
            ):
                own.add(names[key])
        self.plumbing = {*names.values()} - own
        return names

    # -- what kept the loop's thread from running ------------------------------

    def _off_cpu(self, place: int) -> float:
        """The share of its time that a callback did not compute."""
        callback = self.recording.callbacks[place]
        if callback.cpu_ns is None:
            return 0.0
        return 1 - min(1.0, callback.cpu_ns / max(1, callback.held_ns))

    def _read_windows(self) -> None:
        r = self.recording
        anyone = union([span for spans in self.waiting.values() for span in spans])
        held = [segment[:2] for segment in self.segments]
        self.gaps = minus(anyone, held)
        gap_starts = [a for a, _ in self.gaps]
        self.shares: list[Share] = []
        silent_ns: Counter[int] = Counter()
        raw: list[Any] = []
        for window in sorted(r.windows):
            a, b, cpu, delay, n, own_cpu, own_wait, late, others = window
            off = 0.0
            longest = (0, -1)
            for start, end, _, place, _ in self._overlapping(a, b):
                size = min(end, b) - max(start, a)
                off += size * self._off_cpu(place)
                longest = max(longest, (size, place))
            at = max(0, bisect_right(gap_starts, a) - 1)
            gap = 0
            while at < len(self.gaps) and self.gaps[at][0] < b:
                gap += max(0, min(b, self.gaps[at][1]) - max(a, self.gaps[at][0]))
                at += 1
            off += gap
            length = b - a
            silent = late and length - own_wait > 4 * SWITCH_NS
            if silent and cpu > 0.7 * (length - own_wait) and longest[1] >= 0:
                silent_ns[longest[1]] += longest[0]
                stretch = min(length - own_wait, r.callbacks[longest[1]].held_ns)
                self.kept[longest[1]] = max(self.kept.get(longest[1], 0), stretch)
            if off < 300_000:
                continue
            no_core = min(delay, off)
            seen = off, gap, no_core, off - no_core, n, own_cpu, own_wait, late, cpu
            raw.append((a, b, *seen, others, longest[1]))
        # A thread that waits for the interpreter wakes once in each switch interval to
        # ask again, and one that sleeps or waits for I/O does not.
        sums: dict[int, list[float]] = defaultdict(lambda: [0.0, 0.0])
        for _, _, off, gap, _, rest, n, *_, place in raw:
            if gap <= 0.5 * off:
                sums[place][0] += rest
                sums[place][1] += n
        for window in raw:
            a, b, off, gap, delay, rest, n, own_cpu, own_wait, late, cpu = window[:11]
            others, place = window[11:]
            length = b - a
            theirs = sum(used for _, used, _, _ in others)
            starved = sum(wait for _, _, wait, _ in others)
            gil = stopped = 0.0
            asked = 1.0
            if gap <= 0.5 * off:
                off_ns, slices = sums[place]
                asked = min(1.0, 1.1 * SWITCH_NS * slices / max(1.0, off_ns))
            used = theirs + cpu + own_cpu + delay + own_wait
            if late and used < 0.2 * length and gap > 0.5 * length:
                stopped = rest
            elif theirs + starved > 0.4 * rest * asked and asked > 0.1:
                gil = min(rest * asked, theirs)
                # Whoever keeps the interpreter may itself wait for a core.
                delay += min(rest * asked - gil, starved)
            elif late and gap > 0.5 * off and own_wait > 0.3 * length:
                delay = off  # the sampler had no core either
            whom = []
            if gil:
                kept = late and length - own_wait - SWITCH_NS > KEPT_NS
                for name, used, wanted, seen in others:
                    if seen is not None and is_pythons(seen.file):
                        seen = self._job_in(a, b) or seen  # it may be idle again
                    alone = kept and used + wanted > 0.6 * length
                    whom.append((name, seen, used / theirs, alone))
            self.shares.append((a, b, delay / off, gil / off, stopped / off, whom))
        self._one_line_a_function()
        for place, ns in silent_ns.items():  # one late look alone is chance
            if ns < 0.5 * r.callbacks[place].held_ns:
                del self.kept[place]

    def _one_line_a_function(self) -> None:
        """Let a thread's function be one row, at the line at which it was seen most."""
        seen: Counter[Code] = Counter()
        for a, b, _, gil, _, whom in self.shares:
            for _, code, part, _ in whom:
                if code is not None:
                    seen[code] += round((b - a) * gil * part)
        best: dict[tuple[str, str], Code] = {}
        for code, _ in seen.most_common():
            best.setdefault((code.file, code.name), code)
        for *_, whom in self.shares:
            whom[:] = [
                (name, code and best[code.file, code.name], part, alone)
                for name, code, part, alone in whom
            ]

    def _job_in(self, a: int, b: int) -> Any:
        """What an executor ran between *a* and *b*: its thread may be idle again."""
        best, most = None, 0
        for job in self.recording.jobs:
            size = min(job.ended_ns, b) - max(job.began_ns, a)
            if job.began_ns >= 0 and size > most:
                best, most = job.code, size
        return best

    def _overlapping(self, a: int, b: int) -> Iterator[Segment]:
        at = max(0, bisect_right(self.starts, a) - 1)
        while at < len(self.segments) and self.segments[at][0] < b:
            if self.segments[at][1] > a:
                yield self.segments[at]
            at += 1

    def name_at(self, sample: Sample) -> str | None:
        """The name of the work that *sample* saw; None if it ran no more."""
        at = bisect_right(self.starts, sample.at_ns) - 1
        if at < 0:
            return None
        segment = self.segments[at]
        same = self.recording.place_of(sample.callback) == segment.place
        return segment.name if same else None

    def _places(self) -> None:
        """Of each name, the line at which it was seen most."""
        r = self.recording
        lines: dict[str, Counter[Code]] = defaultdict(Counter)
        leaves: dict[tuple[str, Code], Counter[Code]] = defaultdict(Counter)
        for sample in r.samples:
            name = self.name_at(sample)
            if name is None:
                continue
            where = own_line(sample.stack)
            callback = r.numbered(sample.callback)
            if callback is None:
                continue
            # Its coroutine may have let go, while the loop sees to the rest.
            if is_own(callback.code.file) and (where is None or not is_own(where.file)):
                where = callback.code
            if where is not None:
                lines[name][where] += sample.weight_ns
                leaf = sample.stack[0] if sample.stack else where
                leaves[name, where][leaf] += sample.weight_ns
        self._lines, self._leaves = lines, leaves
        held: dict[str, Counter[Code]] = defaultdict(Counter)
        for start, end, name, place, _ in self.segments:
            held[name][r.callbacks[place].code] += end - start + 1
        self._codes = {
            name: max(codes, key=lambda code: (is_own(code.file), codes[code]))
            for name, codes in held.items()
        }

    # -- charge it -------------------------------------------------------------

    def callback(self, name: str) -> Row:
        """The row of a callback, with its line, whether or not somebody waited."""
        return self._row("callback", name)

    def _row(self, kind: str, name: str, place: str = "", function: str = "") -> Row:
        key = (kind, name, place if kind != "callback" else "")
        row = self.rows.get(key)
        if row is None:
            more = (place, function)
            row = Row(
                kind, name, *(self._place_of(name) if kind == "callback" else more)
            )
            self.rows[key] = row
        return row

    def _place_of(self, name: str) -> tuple[str, str, str]:
        """The line of a callback at which it was seen most, its function, and what that
        called."""
        seen = self._lines.get(name)
        code = seen.most_common(1)[0][0] if seen else self._codes.get(name)
        if code is None:
            return "", "", ""
        leaf = self._leaves[name, code].most_common(1)
        if not leaf or leaf[0][0] == code or is_recorders(leaf[0][0].file):
            return code.place, code.name, ""
        inner = leaf[0][0]
        if inner.name == "<module>" or inner.file.startswith("<frozen importlib"):
            return code.place, code.name, IMPORT
        return code.place, code.name, f"{inner.name} at {inner.place}"

    def _add(self, row: Row, ns: float, whom: str, times: int = 1) -> None:
        if ns >= 1:
            row.ns += round(ns)
            row.whom[whom] += round(ns)
            row.times[whom] += times

    def waits_of(self, victim: str) -> dict[Key, list[Span]]:
        """When those waited whose name, tag, task or place the pattern *victim*
        matches."""
        if victim == "*":
            return self.waiting
        spans: dict[Key, list[Span]] = defaultdict(list)
        whole = {
            key
            for key, name in self.names.items()
            if fnmatchcase(name, victim)
            or fnmatchcase(name.removeprefix("timers of "), victim)
        }
        for key in whole:
            spans[key] = self.waiting[key]
        for callback, key in zip(self.recording.callbacks, self._key_at, strict=True):
            if key in self.waiting and key not in whole:
                start = waits_from(callback)
                if callback.run_ns > start and matches(
                    self.recording, callback, victim
                ):
                    spans[key].append((start, callback.run_ns))
        return {key: union(waits) for key, waits in spans.items()}

    def blame(self, victim: str = "*") -> list[Row]:
        """The callbacks, the most waited for first; see :func:`blame`."""
        rows: dict[str, Row] = {}
        for segment in self.segments:
            row = rows.get(segment.name)
            if row is None:
                row = Row("callback", segment.name, *self._place_of(segment.name))
                rows[segment.name] = row
            row.callbacks += 1
            size = segment.end - segment.start
            row.held_ns += size
            row.longest_ns = max(row.longest_ns, size)
            cpu = self._computed(segment)
            if cpu is not None:
                row.cpu_ns = (row.cpu_ns or 0) + cpu
        # Of everybody it is charged already.
        whole = victim == "*"
        for cause in self.ranked() if whole else self.during(self.waits_of(victim)):
            if cause.kind == "callback":
                row = rows[cause.name]
                row.ns, row.whom, row.times = cause.ns, cause.whom, cause.times
                row.kept_ns = cause.kept_ns
        for name, ns in spun(self.recording).items():
            if name in rows:
                rows[name].spun_ns = ns
        return sorted(
            rows.values(), key=lambda row: (-row.ns - row.spun_ns, -row.held_ns)
        )

    def during(self, waiting: Mapping[Key, Sequence[Span]]) -> list[Row]:
        """What these victims waited for in these spans, the most first."""
        everything = self.rows, self.own_ns
        self.rows = {}
        self._charge(waiting)
        rows = self.ranked()
        self.rows, self.own_ns = everything
        return rows

    def causes_of(self, start: int, end: int) -> list[Row]:
        """What kept the loop from *start* to *end*, when no callback held it."""
        key = next(iter(self.waiting))
        return self.during({key: [(start, end)]})

    def late(self, limit_ns: int) -> list[tuple[int, str, Row]]:
        """Each victim's longest wait for others, if it is above *limit_ns*: how long,
        who waited, and for what most; the longest first."""
        late = []
        for key, spans in self.waiting.items():
            worst: list[Row] = []
            for span in spans:
                if span[1] - span[0] > limit_ns:
                    rows = self.during({key: [span]})
                    worst = max(worst, rows, key=_sum)
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
        self._priced: list[Row] = []
        self._number: dict[tuple[str, str, str], int] = {}
        unseen = self._number_of(
            "unseen", "something not seen: no callback held the loop"
        )
        between = self._number_of("loop", "the loop itself, between callbacks")
        self._clock = self._number_of("clock", "the selector's own millisecond")
        gc_row = self._number_of("gc", "the garbage collector")
        self._costs: list[Costs] = [((unseen, 1.0, False),), ((between, 1.0, False),)]
        plain: dict[tuple[str, bool], int] = {}
        self._ends: list[int] = []
        self._cost_at: list[int] = []
        shares = iter([*self.shares, (_NEVER, _NEVER, 0.0, 0.0, 0.0, [])])
        share = next(shares)
        at = 0

        def until(end: int, cost: int, off: float) -> None:
            """The time up to *end* costs so much, where no look says more."""
            nonlocal at, share
            while at < end:
                while share[1] <= at:
                    share = next(shares)
                stop, this = end, cost
                if off > 0.02 and share[0] < end:
                    if share[0] > at:
                        stop = share[0]
                    else:
                        stop, this = min(end, share[1]), len(self._costs)
                        self._costs.append(self._shared(share, off, self._costs[cost]))
                self._ends.append(stop)
                self._cost_at.append(this)
                at = stop

        for start, end, name, place, _ in self.segments:
            if start > at:
                until(start, int(start - at <= CLOCK_NS), 1.0)
            kept = place in self.kept
            cost = plain.get((name, kept))
            if cost is None:
                cost = plain[name, kept] = len(self._costs)
                row = self._number_of("callback", name)
                self._costs.append(((row, 1.0, kept),))
            if place in collected:
                held = r.callbacks[place].held_ns
                gc = min(1.0, collected[place] / max(1, held))
                row = self._costs[cost][0][0]
                cost = len(self._costs)
                self._costs.append(((row, 1 - gc, kept), (gc_row, gc, False)))
            until(end, cost, self._off_cpu(place))
        until(max(at, r.end_ns), 0, 1.0)

    def _shared(self, share: Share, off: float, costs: Costs) -> Costs:
        """What a moment costs of which a look tells that threads or cores took part:
        else it costs *costs*, and it was *off* the CPU for so much of it."""
        _, _, core, gil, stopped, threads = share
        (row, left, kept), *rest = costs
        off = min(off, left)
        for part, kind, name in (
            (core, "core", "no core (other processes)"),
            (stopped, "stopped", "the process was stopped"),
        ):
            if part:
                rest.append((self._number_of(kind, name), part * off, False))
        for thread, code, part, alone in threads:
            place = ("", thread) if code is None else (code.place, "")
            function = "" if code is None else code.name
            number = self._number_of("thread", place[1], place[0], function)
            self._priced[number].threads.add(thread)
            rest.append((number, gil * off * part, alone))
        left = max(0.0, left - off * (core + stopped + gil))
        return (row, left, kept), *rest

    def _number_of(
        self, kind: str, name: str, place: str = "", function: str = ""
    ) -> int:
        """The number of a row in what moments cost."""
        key = kind, name, place
        number = self._number.get(key)
        if number is None:
            number = self._number[key] = len(self._priced)
            self._priced.append(Row(kind, name, place, function))
        return number

    def _charged(self, number: int) -> Row:
        """The row with this number, to charge it."""
        priced = self._priced[number]
        row = self._row(priced.kind, priced.name, priced.place, priced.function)
        row.threads |= priced.threads
        return row

    def _charge(self, waiting: Mapping[Key, Sequence[Span]]) -> None:
        """Charge each wait to the moments that it lasted."""
        of: dict[str, list[Key]] = defaultdict(list)
        for key in waiting:
            of[self.names[key]].append(key)
        for whom, keys in of.items():
            parts: list[tuple[int, int, int]] = []
            for key in keys:
                parts += self._free(whom, self.ran.get(key, []), waiting[key])
            self._sweep(whom, parts)

    def _free(
        self, whom: str, own: list[Segment], spans: Sequence[Span]
    ) -> Iterator[tuple[int, int, int]]:
        """The parts of *spans* in which nothing of their *own* ran, as (from, to,
        began)."""
        timer = whom.startswith("timers of ")
        for began, end in spans:
            start = began
            if timer:  # a selector waits whole milliseconds
                at = bisect_right(self._ends, start)
                if at < len(self._ends) and self._cost_at[at] < 2:
                    size = min(end, self._ends[at]) - start
                    if size <= CLOCK_NS:
                        self._add(self._charged(self._clock), size, whom)
                        start += size
            at = bisect_left(own, start, key=_end)
            if at < len(own) and own[at][0] < end:
                left = minus([(start, end)], [segment[:2] for segment in own])
                self.own_ns += end - start - sum(hi - lo for lo, hi in left)
                yield from [(lo, hi, began) for lo, hi in left]
            elif end > start:
                yield start, end, began

    def _sweep(self, whom: str, parts: list[tuple[int, int, int]]) -> None:
        """Charge the waits of those who are called *whom*, as (from, to, began): moment
        by moment, however many of them wait at once."""
        begins = sorted(parts)
        ends = sorted((end, began) for _, end, began in parts)
        stops, cost_at, costs = self._ends, self._cost_at, self._costs
        sums: dict[int, int] = defaultdict(int)  # of each cost
        times: Counter[int] = Counter()  # of each row
        last: dict[int, int] = defaultdict(int)  # the end of its last moment
        active: list[int] = []  # when those who wait now began to
        begun = ended = at = now = 0
        while ended < len(ends):
            if not active:
                now = begins[begun][0]
                at = bisect_right(stops, now)
            while begun < len(begins) and begins[begun][0] <= now:
                insort(active, begins[begun][2])
                begun += 1
            until = ends[ended][0]
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
                for number, _, _ in costs[cost]:
                    since = last[number]
                    if since <= active[-1]:
                        times[number] += many - bisect_left(active, since)
                    last[number] = stop
                now = stop
            while ended < len(ends) and ends[ended][0] <= now:
                del active[bisect_left(active, ends[ended][1])]
                ended += 1
        amounts: dict[int, float] = defaultdict(float)
        alone: dict[int, float] = defaultdict(float)
        for cost, ns in sums.items():
            for number, share, kept in costs[cost]:
                amounts[number] += ns * share
                alone[number] += ns * share if kept else 0
        for number, total in amounts.items():
            if total >= 1:
                row = self._charged(number)
                self._add(row, total, whom, times[number])
                row.kept_ns += round(alone[number])

    # -- what was awaited ------------------------------------------------------

    def _elsewhere(self) -> None:
        """Charge what requests and blocks of tags waited for beside the loop."""
        r = self.recording
        awaits: dict[int, list[Await]] = defaultdict(list)
        for seen in sorted(r.awaits):
            awaits[seen.tag].append(seen)
        jobs: dict[int, list[tuple[int, int, int, Code]]] = defaultdict(list)
        for tag, _, sub, start, end, code in r.jobs:
            times = sub, r.end_ns if start < 0 else start, r.end_ns if end < 0 else end
            jobs[tag].append((*times, code))
        running = sorted(
            (start, end, code)
            for submitted in jobs.values()
            for _, start, end, code in submitted
        )
        slept = self._slept()
        for tag, note in self.notes.items():
            key = self._tag_keys[tag]
            ran = [segment[:2] for segment in self.ran.get(key, [])]
            loop = union([*self.waiting.get(key, []), *ran])
            for a, b in minus([(note.began_ns, note.ended_ns)], loop):
                charged: dict[int, tuple[Row, float]] = {}

                def charge(row: Row, ns: float, charged: Any = charged) -> None:
                    _, before = charged.get(id(row), (row, 0.0))
                    charged[id(row)] = row, before + ns

                at = a
                for sub, start, end, code in sorted(jobs.get(tag, ())):
                    q0, q1 = max(sub, at), min(start, b)
                    if q1 > q0 + 1_000_000:
                        charge(self._full(running, q0, q1), q1 - q0)
                        self._unseen(a, (at, q0), awaits[tag], slept[tag], charge)
                        at = q1
                    r0, r1 = max(start, at), min(end, b)
                    if r1 > r0 and sub < b and end > a:
                        name = f"{code.name} in an executor"
                        charge(
                            self._row("executor", name, code.place, code.name), r1 - r0
                        )
                        at = r1
                self._unseen(a, (at, b), awaits[tag], slept[tag], charge)
                for row, ns in charged.values():
                    self._add(row, ns, r.tags.get(tag, "?"))

    def _full(self, running: Sequence[tuple[int, int, Code]], a: int, b: int) -> Row:
        """The executor that was full, and who filled it most."""
        who: Counter[Code] = Counter()
        for start, end, code in running:
            if start < b and end > a:
                who[code] += min(end, b) - max(start, a)
        place, function = "", ""
        if who:
            code = who.most_common(1)[0][0]
            place, function = code.place, code.name
        return self._row("pool", "a full executor", place, function)

    def _slept(self) -> dict[int, list[Span]]:
        """When the work of each tag slept because it asked to: a timer says it."""
        naps: dict[int, list[Span]] = defaultdict(list)
        for callback, (kind, tag) in zip(
            self.recording.callbacks, self._key_at, strict=True
        ):
            if (
                callback.cause != "timer"
                or callback.due_ns is None
                or callback.set_ns is None
            ):
                continue
            if callback.code.name in _SLEEPS and kind == "tag":
                naps[tag].append((callback.set_ns, callback.due_ns))
        return defaultdict(list, {tag: union(spans) for tag, spans in naps.items()})

    def _unseen(
        self,
        begin: int,
        span: Span,
        seen: Sequence[Await],
        naps: list[Span],
        charge: Callable[[Row, float], None],
    ) -> None:
        """Charge what was awaited in *span*, of a wait from *begin* on."""
        a, b = span
        if b <= a:
            return
        first = bisect_left(seen, begin, key=_when)
        awaits = seen[first : bisect_right(seen, b, key=_when)]
        awake = [wait for wait in awaits if not _is_sleep(wait.stack)]
        for wait in awake:
            charge(self._awaited(wait.stack, wait.pool), (b - a) / len(awaits))
        if not awaits:
            size = sum(hi - lo for lo, hi in minus([span], naps))
            if size:
                charge(self._row("unseen", "something awaited, not seen where"), size)

    def _awaited(self, stack: Sequence[Code], pool: Sequence[tuple[Code, int]]) -> Row:
        """The row of what was awaited at the innermost place of *stack*."""
        if pool:
            filler, many = pool[0]
            kind = "pool" if many > 0 else "executor"
            name = "AnyIO's full pool" if many > 0 else "a thread of AnyIO"
            return self._row(kind, name, filler.place, filler.name)
        what = stack[0]
        line = own_line(stack) or what
        at_line = stack.index(line)
        called = stack[at_line - 1] if at_line else line
        label = "a future" if what is line else what.name
        plumbing = is_pythons(called.file)
        if called not in (line, what) and called.name != what.name and not plumbing:
            label = f"{called.name} … {what.name}"
        return self._row("await", label, line.place, line.name)

    # -- in order ------------------------------------------------------------

    @property
    def total(self) -> int:
        """Nanoseconds of all waiting."""
        return sum(row.ns for row in self.rows.values())

    def ranked(self) -> list[Row]:
        """What was waited for, the most first."""
        return sorted(
            (row for row in self.rows.values() if row.ns), key=lambda row: -row.ns
        )


_when: Callable[[Await], int] = attrgetter("at_ns")
_end: Callable[[Segment], int] = itemgetter(1)
#: The timer that ends an ``asyncio.sleep``.
_SLEEPS = WAKERS - {"Timeout._on_timeout"}
_SPIN_NS = 200_000  # a step of a task that spins is shorter
_SPINS = 1000  # and it takes so many of them a second


def _is_sleep(stack: Sequence[Code]) -> bool:
    return stack[0].name == "sleep" and "asyncio" in stack[0].file


def blame(recording: Recording, victim: str = "*") -> list[Row]:
    """Return the callbacks that ran in *recording*, the most waited for first.

    Each has what others waited for it, whom it delayed, and how long it held the loop;
    one that nobody waited for has 0.  What was waited for and is no callback, such as
    another thread, is in :attr:`Ledger.rows`.

    Args:
        recording: what ran.
        victim: count only those whose tag, name, task or place this pattern matches.

    Introduced in the chapter *Diagnose your own program*.
    """
    return recording.ledger.blame(victim)


def spun(recording: Recording) -> dict[str, int]:
    """Nanoseconds in which nothing ran but steps of tasks that woke themselves."""
    spinning: Counter[str] = Counter()
    steps: Counter[str] = Counter()
    last_other = -1
    before: Callback | None = None
    for callback in recording.callbacks:
        maker = recording.numbered(callback.by) if callback.cause == "call" else None
        if (
            maker is not None
            and callback.task is not None
            and maker.task == callback.task
            and callback.held_ns <= _SPIN_NS
        ):
            if before is not None and last_other < maker.index:
                name = name_of(recording, callback)
                spinning[name] += callback.run_ns - before.run_ns
                steps[name] += 1
        else:
            last_other = callback.index
        before = callback
    # A few in a row are a task that lets others go first, and no poll.
    least = max(_SPINS / 4, _SPINS * recording.duration / 4)
    return {name: time for name, time in spinning.items() if steps[name] >= least}


def _sum(rows: Sequence[Row]) -> int:
    return sum(row.ns for row in rows)


def union(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for a, b in sorted(spans):
        if merged and a <= merged[-1][1]:
            if b > merged[-1][1]:
                merged[-1] = merged[-1][0], b
        elif b > a:
            merged.append((a, b))
    return merged


def minus(
    spans: list[tuple[int, int]], cut: list[tuple[int, int]]
) -> list[tuple[int, int]]:
    """What of *spans* is in none of *cut*; both sorted, without overlaps."""
    left = []
    starts = [a for a, _ in cut]
    for a, b in spans:
        at = max(0, bisect_right(starts, a) - 1)
        while at < len(cut) and cut[at][0] < b:
            lo, hi = cut[at]
            if hi > a:
                if lo > a:
                    left.append((a, min(lo, b)))
                a = max(a, hi)
            at += 1
        if b > a:
            left.append((a, b))
    return left
