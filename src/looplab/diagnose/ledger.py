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

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple

from looplab._numbers import NS

from .naming import WAKERS, is_own, matches, name_of, own_line, waits_from

if TYPE_CHECKING:
    from .recording import Await, Callback, Code, Recording, RequestNote, Sample

__all__ = ["Delayed", "Ledger", "Row", "blame"]

Key = tuple[str, int]  # ("tag", its number), or ("from", the callback that began it)
Span = tuple[int, int]

SWITCH_NS = 5_000_000
KEPT_NS = 25_000_000
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
            ``await``, ``stopped``, ``clock`` or ``unseen``.
        name: of the callback (its tag, coroutine or function), of the thread, or of
            what was awaited.
        place: ``file.py:12``, the line at which it was seen most, else where it is
            defined; empty if unknown.
        function: the function of that line.
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


def origins(recording: Recording) -> tuple[dict[int, int], set[int]]:
    """The event that led to each callback, by its first callback: nobody waits for
    himself.  And which of those events are handovers.

    An event comes from outside, or is a handover: a step of a task wakes another task,
    which was there before, by a lock, a queue or a future.  All that one callback hands
    over is one event, so that those whom it wakes do not wait for each other.
    """
    found: dict[int, int] = {}
    handed: dict[int, int] = {}
    seen: set[str] = set()
    for one in recording.callbacks:
        by = one.by if one.cause == "call" else None
        maker = recording.numbered(by)
        if maker is None or by is None:
            found[one.index] = one.index
        elif one.task in seen and maker.task is not None and maker.task != one.task:
            found[one.index] = handed.setdefault(by, one.index)
        else:
            found[one.index] = found[by]
        if one.task is not None:
            seen.add(one.task)
    return found, set(handed.values())


class Ledger:
    """All that was waited for in *recording*.

    Attributes:
        rows: what was waited for; :meth:`ranked` sorts them.
        own_ns: how long victims waited for work of their own.
        pieces: the callbacks, cut where their tag changes.
        gaps: when somebody waited and no callback held the loop.
    """

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.marks = recording.marks
        self.windows = sorted(recording.windows)
        self.jobs = recording.jobs
        self.rows: dict[tuple[str, str, str], Row] = {}
        self.own_ns = 0
        self._counted: set[tuple[int, str]] = set()  # rows of the wait in hand
        self.kept: Counter[int] = Counter()  # callbacks that kept the interpreter
        self._keys()
        self._segments()
        self._victims()
        self._read_windows()
        self._places()
        self._charge(self.waiting)
        self._elsewhere()

    # -- who is one victim -----------------------------------------------------

    def _keys(self) -> None:
        r = self.recording
        self.origin, self.handed = origins(r)
        self.notes: dict[int, RequestNote] = {}
        for note in (*r.notes, *r.blocks):
            self.notes.setdefault(note.tag, note)
        key: dict[int, Key] = {}
        begin_tag: dict[int, int] = {}
        for callback, _, old, _ in self.marks:
            begin_tag.setdefault(callback, old)
        for one in r.callbacks:
            tag = begin_tag.get(one.index, one.tag)
            key[one.index] = (
                ("tag", tag) if tag in self.notes else ("from", self.origin[one.index])
            )
        for note in r.notes:  # the plumbing that led to a request is the request's
            chain = r.numbered(note.first)
            for _ in range(50):
                if chain is None:
                    break
                if not chain.tag or chain.index == note.first:
                    key[chain.index] = ("tag", note.tag)
                if chain.cause != "call" or chain.by is None:
                    break
                chain = r.numbered(chain.by)
        # A whole chain follows: what its end makes ready too (done-callbacks).
        for one in r.callbacks:
            if (
                key[one.index][0] == "from"
                and one.cause == "call"
                and one.by is not None
            ):
                maker = key.get(one.by)
                if maker is not None and maker[0] == "tag":
                    key[one.index] = maker
        self.key = key

    # -- who held the loop -----------------------------------------------------

    def _segments(self) -> None:
        """(start, end, name, callback, key), with tags split where they changed."""
        r = self.recording
        marks = defaultdict(list)
        for callback, at, old, new in self.marks:
            marks[callback].append((at, old, new))
        self.segments: list[tuple[int, int, str, int, Key]] = []
        self.pieces: list[Callback] = []
        for one in r.callbacks:
            mine = marks.get(one.index)
            if not mine:
                name = name_of(r, one)
                key = self.key[one.index]
                self.segments.append((one.run_ns, one.ended_ns, name, one.index, key))
                self.pieces.append(one)
                continue
            at, last = one.run_ns, 0
            plain = one.code.name.rpartition("<locals>.")[2]
            for when, old, new in mine:
                self._segment(at, when, old, plain, one)
                at, last = when, new
            self._segment(at, one.ended_ns, last, plain, one)
        self.starts = [segment[0] for segment in self.segments]

    def _segment(
        self, start: int, end: int, tag: int, plain: str, one: Callback
    ) -> None:
        if end > start:
            name = self.recording.tags.get(tag) if tag else None
            key = ("tag", tag) if tag in self.notes else self.key[one.index]
            key = key if tag or key[0] != "tag" else ("from", self.origin[one.index])
            self.segments.append((start, end, name or plain, one.index, key))
            cpu = None
            if one.cpu_ns is not None:
                cpu = one.cpu_ns * (end - start) // max(1, one.held_ns)
            piece = replace(one, run_ns=start, ended_ns=end, cpu_ns=cpu, tag=tag)
            self.pieces.append(piece)

    # -- who waited ------------------------------------------------------------

    def _victims(self) -> None:
        r = self.recording
        spans: dict[Key, list[Span]] = defaultdict(list)
        ran: dict[Key, list[Span]] = defaultdict(list)
        for one in r.callbacks:
            key = self.key[one.index]
            root = r.numbered(self.origin[one.index])
            assert root is not None
            inside = root.cause in ("before", "call") and root.index not in self.handed
            if key[0] == "from" and inside:
                continue
            start = waits_from(one)
            if one.run_ns > start:
                spans[key].append((start, one.run_ns))
        for start, end, _, _, key in self.segments:
            ran[key].append((start, end))
        self.waiting: dict[Key, list[Span]] = {}
        for key, ones in spans.items():
            note = self.notes.get(key[1]) if key[0] == "tag" else None
            if note is not None:
                ones = [
                    (a, min(b, note.ended_ns)) for a, b in ones if a < note.ended_ns
                ]
            self.waiting[key] = union(ones)
        self.ran = ran
        self.names = self._names()

    def _names(self) -> dict[Key, str]:
        r = self.recording
        names: dict[Key, str] = {}
        best: dict[int, Callback] = {}
        for one in r.callbacks:
            root = self.origin[one.index]
            have = best.get(root)
            better = have is None or not is_own(have.code.file)
            if have is None or (better and is_own(one.code.file)):
                best[root] = one
        for key in self.waiting:
            if key[0] == "tag":
                names[key] = r.tags.get(key[1], "?")
                continue
            first = r.numbered(key[1])
            what = name_of(r, best[key[1]])
            timer = first is not None and first.cause == "timer"
            names[key] = f"timers of {what}" if timer else what
        return names

    # -- what kept the loop's thread from running ------------------------------

    def _read_windows(self) -> None:
        r = self.recording
        anyone = union([span for spans in self.waiting.values() for span in spans])
        held = [(a, b) for a, b, *_ in self.segments]
        self.gaps = minus(anyone, held)
        gap_starts = [a for a, _ in self.gaps]
        cpu_of = {
            one.index: (
                one.held_ns if one.cpu_ns is None else one.cpu_ns,
                max(1, one.held_ns),
            )
            for one in r.callbacks
        }
        self.shares: list[
            tuple[int, int, float, float, float, list[tuple[str, Any, float, bool]]]
        ] = []
        raw: list[Any] = []
        for a, b, cpu, delay, n, own_cpu, own_wait, late, others in self.windows:
            off = 0.0
            longest = (0, -1)
            for start, end, _, index, _ in self._overlapping(a, b):
                size = min(end, b) - max(start, a)
                used, whole = cpu_of[index]
                off += size * (1 - min(1.0, used / whole))
                longest = max(longest, (size, index))
            at = max(0, bisect_right(gap_starts, a) - 1)
            gap = 0
            while at < len(self.gaps) and self.gaps[at][0] < b:
                gap += max(0, min(b, self.gaps[at][1]) - max(a, self.gaps[at][0]))
                at += 1
            off += gap
            length = b - a
            silent = late and length - own_wait > 4 * SWITCH_NS
            if silent and cpu > 0.7 * length and longest[1] >= 0:
                self.kept[longest[1]] += longest[0]
            if off < 300_000:
                continue
            no_core = min(delay, off)
            seen = off, gap, no_core, off - no_core, n, own_cpu, own_wait, late, cpu
            raw.append((a, b, *seen, others, longest[1]))
        # A thread that waits for the interpreter wakes once in each switch interval to
        # ask again, and one that sleeps or waits for I/O does not.
        sums: dict[int, list[float]] = defaultdict(lambda: [0.0, 0.0])
        for _, _, off, gap, _, rest, n, *_, index in raw:
            if gap <= 0.5 * off:
                sums[index][0] += rest
                sums[index][1] += n
        for window in raw:
            a, b, off, gap, delay, rest, n, own_cpu, own_wait, late, cpu = window[:11]
            others, index = window[11:]
            length = b - a
            theirs = sum(used for _, used, _, _ in others)
            starved = sum(wait for _, _, wait, _ in others)
            gil = stopped = 0.0
            asked = 1.0
            if gap <= 0.5 * off:
                off_ns, slices = sums[index]
                asked = min(1.0, 1.1 * SWITCH_NS * slices / max(1.0, off_ns))
            used = theirs + cpu + own_cpu + delay + own_wait
            if late and used < 0.2 * length and gap > 0.5 * length:
                stopped = rest
            elif theirs > 0.4 * rest * asked and asked > 0.1:
                gil = min(rest * asked, theirs)
                # Whoever keeps the interpreter may itself wait for a core.
                delay += min(rest * asked - gil, starved)
            elif late and gap > 0.5 * off and own_wait > 0.3 * length:
                delay = off  # the sampler had no core either
            whom = []
            if gil:
                kept = late and length - own_wait - SWITCH_NS > KEPT_NS
                for name, used, _, place in others:
                    if place is not None and place.name == "_worker":
                        place = self._job_in(a, b) or place
                    alone = kept and used > 0.6 * length
                    whom.append((name, place, used / theirs, alone))
            self.shares.append((a, b, delay / off, gil / off, stopped / off, whom))
        short_ones = [i for i, ns in self.kept.items() if ns < 0.5 * cpu_of[i][1]]
        for index in short_ones:
            del self.kept[index]  # one late look alone is chance
        self.share_starts = [share[0] for share in self.shares]
        collected: Counter[int] = Counter()
        for pause in r.pauses:
            collected[pause.callback] += pause.held_ns
        self.gc_share = {
            index: min(1.0, ns / cpu_of[index][1])
            for index, ns in collected.items()
            if index in cpu_of
        }
        self.off_share = {
            index: 1 - min(1.0, used / whole) for index, (used, whole) in cpu_of.items()
        }

    def _job_in(self, a: int, b: int) -> Any:
        """What an executor ran between *a* and *b*: its thread may be idle again."""
        best, most = None, 0
        for job in self.jobs:
            size = min(job.ended_ns, b) - max(job.began_ns, a)
            if job.began_ns >= 0 and size > most:
                best, most = job.code, size
        return best

    def _overlapping(self, a: int, b: int) -> Iterator[tuple[int, int, str, int, Key]]:
        at = max(0, bisect_right(self.starts, a) - 1)
        while at < len(self.segments) and self.segments[at][0] < b:
            if self.segments[at][1] > a:
                yield self.segments[at]
            at += 1

    def name_at(self, sample: Sample) -> str | None:
        """The name of the work that *sample* saw; None if it ran no more."""
        at = bisect_right(self.starts, sample.at_ns) - 1
        if at < 0 or self.segments[at][3] != sample.callback:
            return None
        return self.segments[at][2]

    def _places(self) -> None:
        """Of each name, the line at which it was seen most."""
        r = self.recording
        lines: dict[str, Counter[Code]] = defaultdict(Counter)
        for sample in r.samples:
            name = self.name_at(sample)
            if name is None:
                continue
            where = own_line(sample.stack)
            one = r.numbered(sample.callback)
            if one is None:
                continue
            # Its coroutine may have let go, while the loop sees to the rest.
            if is_own(one.code.file) and (where is None or not is_own(where.file)):
                where = one.code
            if where is not None:
                lines[name][where] += sample.weight_ns
        self.lines = lines
        held: dict[str, Counter[Code]] = defaultdict(Counter)
        for (start, end, name, _, _), piece in zip(
            self.segments, self.pieces, strict=True
        ):
            held[name][piece.code] += end - start + 1
        self.codes = {
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
            if kind == "callback":
                place, function = self._place_of(name)
            row = self.rows[key] = Row(kind, name, place, function)
        return row

    def _place_of(self, name: str) -> tuple[str, str]:
        """The line of a callback at which it was seen most, and its function."""
        seen = self.lines.get(name)
        code = seen.most_common(1)[0][0] if seen else self.codes.get(name)
        return ("", "") if code is None else (code.place, code.name)

    def _add(self, row: Row, ns: float, whom: str, *, kept: bool = False) -> None:
        if ns >= 1:
            row.ns += round(ns)
            row.whom[whom] += round(ns)
            if (id(row), whom) not in self._counted:
                self._counted.add((id(row), whom))
                row.times[whom] += 1
            row.kept_ns += round(ns) if kept else 0

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
        for one in self.recording.callbacks:
            key = self.key[one.index]
            if key in self.waiting and key not in whole:
                start = waits_from(one)
                if one.run_ns > start and matches(self.recording, one, victim):
                    spans[key].append((start, one.run_ns))
        return {key: union(waits) for key, waits in spans.items()}

    def blame(self, victim: str = "*") -> list[Row]:
        """The callbacks, the most waited for first; see :func:`blame`."""
        rows: dict[str, Row] = {}
        for (start, end, name, _, _), piece in zip(
            self.segments, self.pieces, strict=True
        ):
            row = rows.get(name)
            if row is None:
                place, function = self._place_of(name)
                row = rows[name] = Row("callback", name, place, function)
            row.callbacks += 1
            row.held_ns += end - start
            row.longest_ns = max(row.longest_ns, end - start)
            if piece.cpu_ns is not None:
                row.cpu_ns = (row.cpu_ns or 0) + piece.cpu_ns
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
        found = []
        for key, spans in self.waiting.items():
            worst: list[Row] = []
            for span in spans:
                if span[1] - span[0] > limit_ns:
                    rows = self.during({key: [span]})
                    worst = max(worst, rows, key=_sum)
            if _sum(worst) > limit_ns:
                found.append((_sum(worst), self.names[key], worst[0]))
        return sorted(found, key=lambda late: -late[0])

    def _charge(self, waiting: Mapping[Key, Sequence[Span]]) -> None:
        for key, spans in waiting.items():
            whom = self.names[key]
            for a, b in spans:
                self._counted.clear()
                at = a
                for start, end, name, index, seg_key in self._overlapping(a, b):
                    if start > at:
                        self._charge_part(at, min(start, b), None, -1, whom)
                    lo, hi = max(a, start, at), min(b, end)
                    if hi > lo:
                        if seg_key == key:
                            self.own_ns += hi - lo
                        else:
                            self._charge_part(lo, hi, name, index, whom)
                    at = max(at, min(b, end))
                if b > at:
                    self._charge_part(at, b, None, -1, whom)

    def _charge_part(
        self, lo: int, hi: int, name: str | None, index: int, whom: str
    ) -> None:
        size = hi - lo
        off = 1.0 if name is None else self.off_share[index]
        left = float(size)
        gc = 0.0
        if name is not None and index in self.gc_share:
            gc = size * self.gc_share[index]
            self._add(self._row("gc", "the garbage collector"), gc, whom)
            left -= gc
        if off > 0.02:
            at = max(0, bisect_right(self.share_starts, lo) - 1)
            while at < len(self.shares) and self.shares[at][0] < hi:
                a, b, core, gil, stopped, threads = self.shares[at]
                part = (min(b, hi) - max(a, lo)) * off
                at += 1
                if part <= 0:
                    continue
                part = min(part, left)
                if core:
                    row = self._row("core", "no core (other processes)")
                    self._add(row, part * core, whom)
                if stopped:
                    row = self._row("stopped", "the process was stopped")
                    self._add(row, part * stopped, whom)
                for thread, code, share, alone in threads:
                    if code is None:
                        row = self._row("thread", thread)
                    else:
                        row = self._row("thread", "", code.place, code.name)
                    row.threads.add(thread)
                    self._add(row, part * gil * share, whom, kept=alone)
                left -= part * (core + stopped + gil)
        if left > 0:
            if name is None and size <= CLOCK_NS and whom.startswith("timers of "):
                self._add(
                    self._row("clock", "the selector's own millisecond"), left, whom
                )
            elif name is None:
                self._add(
                    self._row("unseen", "not known: no callback held the loop"),
                    left,
                    whom,
                )
            else:
                row = self._row("callback", name)
                self._add(row, left, whom, kept=index in self.kept)

    # -- what was awaited ------------------------------------------------------

    def _elsewhere(self) -> None:
        awaits: dict[int, list[Await]] = defaultdict(list)
        for seen in self.recording.awaits:
            awaits[seen.tag].append(seen)
        jobs: dict[int, list[tuple[int, int, int, Code]]] = defaultdict(list)
        last = self.recording.end_ns
        for tag, _, sub, start, end, code in self.jobs:
            times = sub, last if start < 0 else start, last if end < 0 else end
            jobs[tag].append((*times, code))
        running = sorted(
            (start, end, code)
            for submitted in jobs.values()
            for _, start, end, code in submitted
        )
        slept = self._slept()
        for tag, note in self.notes.items():
            key = ("tag", tag)
            whom = self.recording.tags.get(tag, "?")
            naps = slept.get(tag, ())
            spans = self.waiting.get(key, [])
            own = self.ran.get(key, [])
            away = minus([(note.began_ns, note.ended_ns)], union([*spans, *own]))
            for a, b in away:
                self._counted.clear()
                at = a
                for sub, start, end, code in sorted(jobs.get(tag, ())):
                    q0, q1 = max(sub, at), min(start, b)
                    if q1 > q0 + 1_000_000:
                        who: Counter[Code] = Counter()
                        for s, e, other in running:
                            if s < q1 and e > q0:
                                who[other] += min(e, q1) - max(s, q0)
                        row = self._row("pool", "an executor is full")
                        if who:
                            code_there = who.most_common(1)[0][0]
                            row = self._row(
                                "pool",
                                "an executor is full",
                                code_there.place,
                                code_there.name,
                            )
                        self._add(row, q1 - q0, whom)
                        self._unseen(a, (at, q0), whom, awaits.get(tag, ()), naps)
                        at = q1
                    r0, r1 = max(start, at), min(end, b)
                    if r1 > r0 and sub < b and end > a:
                        name = f"{code.name} in an executor"
                        row = self._row("executor", name, code.place, code.name)
                        self._add(row, r1 - r0, whom)
                        at = r1
                if b > at:
                    self._unseen(a, (at, b), whom, awaits.get(tag, ()), naps)

    def _slept(self) -> dict[int, list[Span]]:
        """When the work of each tag slept because it asked to: a timer says it."""
        naps: dict[int, list[Span]] = defaultdict(list)
        for one in self.recording.callbacks:
            if one.cause != "timer" or one.due_ns is None or one.set_ns is None:
                continue
            if one.code.name in _SLEEPS:
                kind, tag = self.key[one.index]
                if kind == "tag":
                    naps[tag].append((one.set_ns, one.due_ns))
        return {tag: union(spans) for tag, spans in naps.items()}

    def _unseen(
        self,
        begin: int,
        span: Span,
        whom: str,
        seen: Sequence[Await],
        naps: Sequence[Span],
    ) -> None:
        """Charge what was awaited in *span*, of a wait from *begin* on."""
        a, b = span
        if b <= a:
            return
        found = [one for one in seen if begin <= one.at_ns <= b]
        if all(_is_sleep(one.stack) for one in found):
            size = sum(hi - lo for lo, hi in minus([span], list(naps)))
            if size and not found:
                self._add(self._row("unseen", "awaited, not seen where"), size, whom)
            return
        each = (b - a) / len(found)
        for one in found:
            if not _is_sleep(one.stack):
                self._add(self._awaited(one.stack, one.pool), each, whom)

    def _awaited(self, stack: Sequence[Code], pool: Sequence[tuple[Code, int]]) -> Row:
        """The row of what was awaited at the innermost place of *stack*."""
        if pool:
            filler, many = pool[0]
            kind = "pool" if many > 0 else "executor"
            name = "AnyIO's pool is full" if many > 0 else "a thread of AnyIO"
            return self._row(kind, name, filler.place, filler.name)
        what = stack[0]
        line = own_line(stack) or what
        at_line = stack.index(line)
        called = stack[at_line - 1] if at_line else line
        label = "a future" if what is line else what.name
        if called not in (line, what) and called.name != what.name:
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
    return Ledger(recording).blame(victim)


def spun(recording: Recording) -> dict[str, int]:
    """Nanoseconds in which nothing ran but steps of tasks that woke themselves."""
    found: Counter[str] = Counter()
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
                found[name] += one.run_ns - before.run_ns
                steps[name] += 1
        else:
            last_other = one.index
        before = one
    # A few in a row are a task that lets others go first, and no poll.
    least = max(_SPINS / 4, _SPINS * recording.duration / 4)
    return {name: time for name, time in found.items() if steps[name] >= least}


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
