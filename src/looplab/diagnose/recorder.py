"""What notes the callbacks of one loop while it runs, whatever loop it is.

:mod:`.stock` does it for asyncio's own loops; a virtual
loop tells :mod:`.virtual` by itself.

A recorder keeps code objects, names and numbers, never tasks, coroutines, contexts or
handles beyond the callback that they belong to, so that it does not change when a
program's objects are freed.
"""

from __future__ import annotations

import weakref
from _thread import get_ident
from asyncio import current_task
from collections.abc import Callable
from contextvars import Context
from typing import TYPE_CHECKING, Any

from looplab.trace.stock import real_clock

from . import tags
from .tags import BLOCK, Tag

if TYPE_CHECKING:
    from .events import Cause

#: What stands for *by* in :attr:`Recorder.notes` where no callback is known to have
#: made one ready: it was ready before; another thread did; data came; a timer was due.
BEFORE, THREAD, DATA, TIMER = -1, -2, -3, -4
#: So much less the number of a callback: data came on a file descriptor, and they are
#: the first since this callback began to watch it.
WATCHED = -10

WIDTH = 8  #: entries that a callback has in :attr:`Recorder.notes`

#: (number, by, due, set) of a callback that a timer made ready.
Due = tuple[int, int, int, "int | None"]
#: (number, arrived, accepted) of a callback whose data had waited, or came on a
#: connection that was opened here.
Came = tuple[int, int, bool]

#: (began, ended, arrived, tag, first, last, name) of a request.  *First* and *last* are
#: the numbers of its callbacks; *arrived* is when its data did, or -1.
RequestRow = tuple[int, int, int, int, int, int, str]


class Recorder:
    """What is noted about one loop, and what the tags of its thread tell.

    Attributes:
        loop: the loop.
        number: counts the loops of the process, from 1.
        kind: the class of the loop.
        notes: the callbacks that ran and were not taken yet, in one list without
            tuples, so that the garbage collector has nothing to look through: of each
            :data:`WIDTH` entries, when it was *ready*, *by* whom, when it was *run* and
            *ended*, its *CPU* time in seconds, *task*, *code* and *tag*.
        due: what is known of timers among them, and among the one that runs.
        came: what is known of data among them, and among the one that runs.
        running: tells the number of the callback that runs, or -1; and since when.
        requests: the requests and blocks that ended and were not taken yet.
        samples: where the thread was, as :mod:`.sampler` saw it.
        pauses: of the garbage collector.
        thread: the identity of the loop's thread.
        slow_until: until when the arrival of data is asked for.
        about: facts of the loop that were not written yet.
        taken: how many callbacks were taken from *notes*.
        looks: what looks at the thread, if somebody does.
    """

    def __init__(self, loop: Any, number: int) -> None:
        self.loop = loop
        self.number = number
        self.kind = f"{type(loop).__module__}.{type(loop).__qualname__}"
        self.notes: list[Any] = []
        self.due: list[Due] = []
        self.came: list[Came] = []
        self.requests: list[RequestRow] = []
        self.samples: list[Any] = []
        self.pauses: list[tuple[int, int, int]] = []
        self.marks: list[Any] = []  # callback, at, from, to
        self.windows: list[Any] = []
        self.awaits: list[Any] = []
        self.jobs: list[Any] = []
        self.under_way: dict[int, Tag] = {}  # by their numbers
        self.running: Callable[[], tuple[int, int]] = lambda: (-1, 0)
        self.thread = [get_ident()]
        self.now: Callable[[], int] = real_clock()[0]
        self._told: set[int] = set()
        self.touched: list[Tag] = []
        self.slow_until = [0]
        self.about: dict[str, Any] = {}
        self.taken = 0
        self.looks: Any = None
        self._detach: Callable[[], None] | None = None

    def tag_in(self, context: Context) -> Tag | None:
        """The tag of a callback that ends."""
        tag = context.get(tags.CURRENT)
        if self.touched:
            tag = tag or self.touched[0]
            self.touched.clear()
        return tag

    def begins(self, tag: Tag, before: Any, fd: int | None = None) -> None:
        """The running callback works for *tag* from here on, and did for *before*.

        Of a request the data came on *fd*, if the recorder cannot know.
        """
        if not self.touched:
            self.touched.append(tag)
        tag.first, tag.began = self.running()[0], self.now()
        tag.noted = 0
        try:
            tag.task = weakref.ref(current_task(self.loop))
        except (RuntimeError, TypeError):  # no task, or no loop
            tag.task = lambda: None
        if tag.arrived == BLOCK:
            self._mark(tag.first, tag.began, before, tag)
        elif fd is not None and tag.began < self.slow_until[0]:
            from .arrival import age_ns  # which a browser lacks

            tag.arrived = tag.began - max(0, age_ns(fd))
        self.under_way[tag.number] = tag

    def ends(self, tag: Tag, after: Any = None) -> None:
        """The work ends in the running callback, which goes on with *after*."""
        last, at, number = self.running()[0], self.now(), tag.number
        if tag.arrived == BLOCK:
            self._mark(last, at, tag, after)
        if self.under_way.pop(number, None) is not None:
            row = tag.began, at, tag.arrived, number, tag.first, last, tag.name
            self.requests.append(row)

    def _mark(self, callback: int, at: int, old: Any, new: Any) -> None:
        numbers = (getattr(tag, "number", 0) for tag in (old, new))
        self.marks.append((callback, at, *numbers))

    def new_names(self) -> list[Tag]:
        """The tags that are newly under way.

        One that has ended is told of with its end.
        """
        under_way = list(self.under_way.values())
        names = [tag for tag in under_way if tag.number not in self._told]
        self._told = {tag.number for tag in under_way}
        return names

    def enter(self) -> None:
        """The loop is about to run in this thread."""
        self.thread[0] = get_ident()
        tags.recorders[self.thread[0]] = self

    def leave(self) -> None:
        """The loop has stopped running in this thread."""
        if tags.recorders.get(self.thread[0]) is self:
            del tags.recorders[self.thread[0]]

    def detach(self) -> None:
        """Give the loop its own queue back.  The second call does nothing."""
        detach, self._detach = self._detach, None
        if detach is not None:
            self.leave()
            detach()


def taken(notes: list[Any], most: int | None = None) -> list[Any]:
    """Take what is in *notes*, or so many, while another thread may append more."""
    seen = notes[:most]
    del notes[: len(seen)]
    return seen


_CAUSES: dict[int, Cause] = {
    BEFORE: "before",
    THREAD: "thread",
    DATA: "io",
    TIMER: "timer",
}


def cause_of(by: int) -> tuple[Cause, int | None]:
    """What *by* of a note says: the cause, and the number of a callback, if any.

    Raises:
        ValueError: if it says nothing.
    """
    if by >= 0:
        return "call", by
    if by <= WATCHED:
        return "io", WATCHED - by
    if by not in _CAUSES:
        raise ValueError(f"{by} is no cause")
    return _CAUSES[by], None
