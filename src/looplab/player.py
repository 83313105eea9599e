"""A recorded loop that can be played: its clock, timers, ready queue and thread.

A :class:`Player` shows itself in a notebook as its still, a timeline.  On a page of the
book the same element moves: the page's script reads the recording inside it, which is
numbers and names, and draws each moment.

>>> from looplab import record
>>> async def main():
...     pass
>>> Player(record(main(), whole=True)).data["names"]
[['main', 0, 1]]

What the data mean
------------------
``u`` is the unit of all times in nanoseconds, ``zero`` the time at which the part that
is played begins, ``end`` its length.  A name is its text, its colour and whether it has
a lane.  ``r`` holds columns for the callbacks: name, iterations since the one before,
time since the end of the one before, duration, maker (so many steps back; 0 for none),
time from the maker's start, timer (counted from 1; 0 for none).  ``t`` does so for the
timers: name, setter, time from the setter's start, due time, who cancelled it.
``w`` is what was watched, named by ``watched``, after each callback.
``between`` says that the loop looks at its timers after every callback.  ``at``,
``title``, ``label`` and ``follows`` are what was asked for, if it was.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import reduce
from html import escape
from math import gcd
from typing import TYPE_CHECKING, Any

from looplab._numbers import NS
from looplab.draw.palette import (
    LOUD,
    PLAIN,
    QUIET,
    themed,
)
from looplab.timeline import Timeline
from looplab.timeline.lanes import bare, stem, wait_from
from looplab.trace.record import Origin, Record, Timer, Trace

if TYPE_CHECKING:
    from looplab.diagnose import Recording

__all__ = ["Player", "worst_moment"]

_COLOURS = ("blue", "orange", "green", "grey")
#: What a TaskGroup and gather() call when a task of theirs is done.
_WORDS = {"on task done": "done", "done callback": "done"}
_STYLE = themed("loop-player", "", ground=True)
#: So many callbacks a page plays.
_MOST = 5_000


class Player:
    """A recording that can be played, callback by callback.

    In a notebook it shows its still; on a page of the book it moves.

    Args:
        trace: what ``record(main(), whole=True)`` returned.
        title: printed above it.
        start: seconds; only the whole iterations from here on are played.
        end: seconds; only the whole iterations that have ended by then.
        at: seconds, the moment that is shown until somebody presses Play; the default
            is half-way to where the latest timer is noticed.
        label: the player's name on its page, so that another can follow it.
        follows: the *label* of another player, whose time this one keeps.
        watched: what ``record(…, watch=…)`` watched, in words; it is drawn below.
        still: more for the timeline that is the still: *lanes*, *probe*, *colours* and
            *marks*, see :class:`looplab.Timeline`.

    Raises:
        TypeError: if *trace* is no trace.
        ValueError: if it was recorded without ``whole=True``, if no whole iteration or
            more than 5,000 callbacks lie between *start* and *end*, or for what a
            timeline refuses.

    Introduced in the chapter *Give the loop something to call*.
    """

    def __init__(
        self,
        trace: Trace,
        *,
        title: str | None = None,
        start: float | None = None,
        end: float | None = None,
        at: float | None = None,
        label: str | None = None,
        follows: str | None = None,
        watched: str | None = None,
        **still: Any,
    ) -> None:
        #: The still: the same run as a timeline.
        self.still = Timeline(trace, title=title, start=start, end=end, **still)
        if trace.origins is None:
            raise ValueError(
                "the trace does not say which callback made which: record it with "
                "record(main(), whole=True)"
            )
        if at is not None and not math.isfinite(at):
            raise ValueError(f"at is {at}: give a finite number of seconds")
        self.trace = trace
        colours = {lane.stem: lane.colour for lane in self.still._scene.lanes}
        #: The recording as the page reads it; see the module.
        made = _Data(trace, trace.origins, colours, start, end)
        self.data = made.made
        if watched is not None:
            if not trace.watched:
                raise ValueError(
                    f"watched is {watched!r}, and nothing was: record it with "
                    "record(main(), whole=True, watch=…)"
                )
            self.data["watched"] = watched
            self.data["w"] = [trace.watched[place] for place in made.places]
        if trace.looks_between:
            self.data["between"] = 1
        if at is not None:
            self.data["at"] = at * NS / self.data["u"] - self.data["zero"]
        for name, text in ("title", title), ("label", label), ("follows", follows):
            if text is not None:
                self.data[name] = text

    @property
    def alt(self) -> str:
        """What the still shows, in words and numbers."""
        return self.still.alt

    def _repr_html_(self) -> str:
        text = escape(json.dumps(self.data, separators=(",", ":")), quote=False)
        return (
            f'<figure class="loop-player"><style>{_STYLE}</style>'
            f"{self.still._repr_html_()}"
            f'<samp class="film" style="display:none">{text}</samp></figure>'
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.alt}>"


class _Data:
    """The columns, made from a trace."""

    def __init__(
        self,
        trace: Trace,
        origins: Sequence[Origin],
        colours: Mapping[str, str],
        start: float | None,
        end: float | None,
    ) -> None:
        self._colours = colours
        self._names: list[list[Any]] = []
        self._place_of: dict[str, int] = {}  # of a name, by its text
        self._trace, self._origins = trace, origins
        zero = 0 if start is None else round(start * NS)
        until = trace.end_ns if end is None else round(end * NS)
        #: Of the callbacks that are played, in the trace.
        self.places = places = self._whole_iterations(zero, until)
        first, last = places.start, places.stop - 1
        self._fired = fired = {
            o.timer: i for i, o in enumerate(origins) if o.timer is not None
        }
        coarse = 1 if trace.clock == "virtual" else 1_000

        def at(ns: int) -> int:
            """A time as the film has it: in µs where it was measured."""
            return max(0, (ns - zero) // coarse * coarse)

        def is_seen(place: int, timer: Timer) -> bool:
            if (timer.set_by or 0) > last or not 0 <= timer.due_ns - zero < 2**60:
                return False
            over = fired.get(place, timer.cancelled_by)
            return over is None or over >= first

        timers = [i for i, timer in enumerate(trace.timers) if is_seen(i, timer)]
        number = {place: n for n, place in enumerate(timers)}

        def maker(place: int | None) -> int | None:
            return None if place is None or place < first else place - first

        rows: list[tuple[int, ...]] = []
        ended, iteration = 0, origins[first].iteration - 1
        for place in places:
            record, origin = trace[place], origins[place]
            begun, over = at(record.run_ns), at(record.ended_ns)
            made = maker(origin.maker)
            rows.append(
                (
                    self._name(place),
                    origin.iteration - iteration,
                    begun - ended,
                    over - begun,
                    0 if made is None else place - first - made,
                    0
                    if made is None
                    else at(record.ready_ns) - at(trace[first + made].run_ns),
                    0 if origin.timer is None else number.get(origin.timer, -1) + 1,
                )
            )
            ended, iteration = over, origin.iteration
        sets: list[tuple[int, ...]] = []
        for place in timers:
            timer = trace.timers[place]
            by = maker(timer.set_by)
            gone = timer.cancelled_by
            sets.append(
                (
                    self._owner(place),
                    -1 if by is None else by,
                    0
                    if by is None
                    else at(timer.set_ns) - at(trace[first + by].run_ns),
                    at(timer.due_ns),
                    -1 if gone is None or not first <= gone <= last else gone - first,
                )
            )
        length = max(ended, at(until) if end is not None else 0)
        times = [v for row in rows for v in (row[2], row[3], row[5])]
        times += [v for row in sets for v in (row[2], row[3])]
        unit = reduce(gcd, [*times, length, zero // coarse * coarse], 0) or 1

        def columns(
            table: list[tuple[int, ...]], timed: set[int], width: int
        ) -> list[list[int]]:
            return [
                [row[i] // unit if i in timed else row[i] for row in table]
                for i in range(width)
            ]

        self.made: dict[str, Any] = {
            "v": 1,
            "u": unit,
            "zero": zero // unit,
            "end": length // unit,
            "names": self._names,
            "r": columns(rows, {2, 3, 5}, 7),
            "t": columns(sets, {2, 3}, 5),
        }

    def _whole_iterations(self, start: int, end: int) -> range:
        """The places of the callbacks of iterations that lie in the part as a whole."""
        outside, inside = set(), []
        for place, (record, origin) in enumerate(
            zip(self._trace, self._origins, strict=True)
        ):
            if start <= record.run_ns and record.ended_ns <= end:
                inside.append(place)
            else:
                outside.add(origin.iteration)
        kept = [i for i in inside if self._origins[i].iteration not in outside]
        if not kept:
            raise ValueError(
                f"no whole iteration lies between {start / NS:.9g} and {end / NS:.9g} s"
                ": give a longer part"
            )
        if len(kept) > _MOST:
            raise ValueError(
                f"{len(kept):,} callbacks are too many to play, the most is {_MOST:,}: "
                "choose a part with start and end"
            )
        return range(kept[0], kept[-1] + 1)

    def _name(self, place: int) -> int:
        """The name of a callback: its lane, its timer's owner, or what it does."""
        record, timer = self._trace[place], self._origins[place].timer
        if stem(record) is None and timer is not None:
            return self._owner(timer)
        return self._named(record)

    def _owner(self, timer: int) -> int:
        """The name of whoever set a timer, or else of what it set off."""
        by = self._trace.timers[timer].set_by
        if by is None:
            by = self._fired.get(timer)
            if by is None or stem(self._trace[by]) is None:
                return self._put("the loop", QUIET, 0)
        return self._named(self._trace[by])

    def _named(self, record: Record) -> int:
        lane = stem(record)
        if lane is not None:
            return self._put(lane, self._colours.get(lane, PLAIN), 1)
        words = bare(record.label).rpartition(".")[2].strip("_").replace("_", " ")
        return self._put(_WORDS.get(words, words), QUIET, 0)

    def _put(self, text: str, colour: str, lane: int) -> int:
        if text not in self._place_of:
            self._place_of[text] = len(self._names)
            self._names.append([text, _COLOURS.index(colour), lane])
        return self._place_of[text]


def worst_moment(run: Trace | Recording, **player: Any) -> Player:
    """The iterations around the longest wait of a run, ready to be played.

    Whoever held the thread longest meanwhile is orange.

    Args:
        run: what ``record(main(), whole=True)`` returned, or a recording of
            ``looplab trace``, see :attr:`looplab.diagnose.Recording.trace`.
        player: more for the :class:`Player`, such as a title.

    Raises:
        ValueError: if nothing ran, or for what a player refuses.

    Introduced in the chapter *Diagnose your own program*.
    """
    trace = run if isinstance(run, Trace) else run.trace
    if not trace:
        raise ValueError("nothing ran, so nobody waited: record a run that does more")
    if trace.origins is None:
        return Player(trace)  # says what it lacks
    victim = max(trace, key=lambda record: record.run_ns - wait_from(record))
    begun = wait_from(victim)
    iterations: dict[int, list[Record]] = {}
    for record, origin in zip(trace, trace.origins, strict=True):
        iterations.setdefault(origin.iteration, []).append(record)
    parts = list(iterations.values())
    last = next(i for i, part in enumerate(parts) if victim in part)
    first = max(i for i, part in enumerate(parts) if i == 0 or part[0].run_ns <= begun)
    # One more on each side, as far as a page can play them.
    shown = parts[max(0, first - 1) : last + 2]
    while len(shown) > 1 and sum(map(len, shown)) > _MOST:
        del shown[0]
    held: Counter[str] = Counter()
    for record in trace:
        if record is not victim and (name := stem(record)) is not None:
            over = min(record.ended_ns, victim.run_ns) - max(record.run_ns, begun)
            held[name] += max(0, over)
    guilty = {name: LOUD for name, ns in held.most_common(1) if ns}
    return Player(
        trace,
        **{
            "start": shown[0][0].run_ns / NS,
            "end": shown[-1][-1].ended_ns / NS,
            "at": (begun + victim.run_ns) / 2 / NS,
            "colours": guilty,
            **player,
        },
    )
