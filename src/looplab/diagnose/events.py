"""What a recording holds: callbacks, and what the sampler and the tags noted."""

from __future__ import annotations

from dataclasses import dataclass
from types import CodeType
from typing import Any, Literal, NamedTuple

FORMAT = "looplab-trace/6"

#: What made a callback ready: another callback, a timer, a file descriptor, another
#: thread; or it was ready before.
Cause = Literal["call", "timer", "io", "thread", "before"]


class Code(NamedTuple):
    """What a callback is: its qualified name and the line where it is defined."""

    name: str
    file: str = ""
    line: int = 0

    @classmethod
    def of(cls, what: Any, line: int = 0) -> Code:
        """That of a code object, with one of its lines, or of a name."""
        if not isinstance(what, CodeType):
            return cls(str(what))
        return cls(what.co_qualname, what.co_filename, line or what.co_firstlineno)

    @property
    def place(self) -> str:
        """``file.py:12``; empty if it is not Python."""
        return f"{self.file}:{self.line}" if self.line else ""


@dataclass(slots=True)
class Callback:
    """One callback that ran.  Times are nanoseconds from the start of the recording.

    Attributes:
        index: its number in the recording, in the order in which they ran.
        ready_ns: when it joined the ready queue.
        run_ns: when it began to run.
        ended_ns: when it gave the thread back.
        cpu_ns: CPU time that it used; ``None`` if unknown.
        cause: what made it ready, a :data:`Cause`.
        by: the number of the callback that made it ready, that set its timer, or that
            began to watch its file descriptor if these are the first data since.
        code: what it is.
        task: the name of its task, or ``None``.
        tag: the number of the tag it worked under; 0 for none.
        due_ns: when its timer was due.
        set_ns: when its timer was set.
        arrived_ns: when its data came to this machine, if the system knows.
        accepted: its data came on a connection that somebody else opened.
    """

    index: int
    ready_ns: int
    run_ns: int
    ended_ns: int
    cpu_ns: int | None
    cause: Cause
    by: int | None
    code: Code
    task: str | None
    tag: int = 0
    due_ns: int | None = None
    set_ns: int | None = None
    arrived_ns: int | None = None
    accepted: bool = True

    @property
    def waits_from_ns(self) -> int:
        """From when on it would have run, had nobody held the loop."""
        if self.due_ns is not None:
            return min(self.due_ns, self.ready_ns)
        if self.arrived_ns is not None:
            return min(self.arrived_ns, self.ready_ns)
        return self.ready_ns

    @property
    def held_ns(self) -> int:
        """How long it held the loop."""
        return self.ended_ns - self.run_ns


class Sample(NamedTuple):
    """Where the loop's thread was at a moment.

    Attributes:
        at_ns: when.
        callback: the number of the callback that ran.
        weight_ns: for how much time the sample stands.
        stack: places, the innermost first, out to the first of the program itself.
    """

    at_ns: int
    callback: int
    weight_ns: int
    stack: tuple[Code, ...]


class Pause(NamedTuple):
    """The garbage collector stopped the loop's thread."""

    callback: int
    held_ns: int


class ThreadUse(NamedTuple):
    """CPU time of a thread up to a moment, and how long it waited for a core."""

    at_ns: int
    name: str
    cpu_ns: int
    waited_ns: int


class RequestNote(NamedTuple):
    """One request: its tag, in which callbacks and when it began and ended; when its
    data came, if that is known better than by its callbacks."""

    tag: int
    first: int
    last: int
    began_ns: int
    ended_ns: int
    arrived_ns: int | None = None


class Mark(NamedTuple):
    """In a callback the tag changed: from the number *old* to *new*; 0 is none."""

    callback: int
    at_ns: int
    old: int
    new: int


class OtherThread(NamedTuple):
    """What another thread did in a window: CPU time, waiting for a core, its line."""

    name: str
    cpu_ns: int
    delay_ns: int
    code: Code | None


class Window(NamedTuple):
    """What threads did between two looks of the sampler, where that may explain a wait.

    Attributes:
        start_ns: the look before.
        end_ns: this look.
        cpu_ns: how long the loop's thread computed.
        delay_ns: how long it had work and no core.
        slices: how often it was given a core.
        own_cpu_ns: how long the sampler computed.
        own_delay_ns: how long the sampler had no core.
        late: this look came late.
        others: threads that computed or wanted to.
    """

    start_ns: int
    end_ns: int
    cpu_ns: int
    delay_ns: int
    slices: int
    own_cpu_ns: int
    own_delay_ns: int
    late: int
    others: tuple[OtherThread, ...] = ()


class Await(NamedTuple):
    """Where a request or block of a tag was suspended, the innermost place first; and
    what the threads of a pool did, if it waited for one: places and how many threads,
    below 0 if the pool was not full."""

    at_ns: int
    tag: int
    stack: tuple[Code, ...]
    pool: tuple[tuple[Code, int], ...] = ()


class Job(NamedTuple):
    """A job of an executor: for which tag, by which callback, and when it was
    submitted, began and ended (-1: not yet)."""

    tag: int
    callback: int
    submitted_ns: int
    began_ns: int
    ended_ns: int
    code: Code


#: What the rows of a part of a line of a file hold, a letter a field: a number as it is
#: (i), a time (t), one that is -1 where it did not come (T), the number of a name (n),
#: of a code (c; -1: none), of the code of a function (f) or of a stack (s); and, if
#: there is more, what the rows hold that stand last.
PARTS: dict[str, tuple[Any, str, str]] = {
    "samples": (Sample, "tiis", ""),
    "pauses": (Pause, "ii", ""),
    "marks": (Mark, "itii", ""),
    "windows": (Window, "ttiiiiii", "niic"),
    "awaits": (Await, "tis", "ci"),
    "jobs": (Job, "iitTTf", ""),
    "threads": (ThreadUse, "tnii", ""),
}
