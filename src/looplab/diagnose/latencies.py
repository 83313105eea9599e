"""Each request taken apart: in the kernel, in the queue, running, elsewhere.

A request arrives when its data does, not when the loop looks.  From there to its end
each moment is one of four: its data lay in the kernel because the loop did not look; it
was ready and other callbacks ran; it ran; or it waited for something else, such as a
timer, a database or a thread.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from looplab._numbers import NS, percentile

if TYPE_CHECKING:
    from .events import Callback, RequestNote
    from .recording import Recording


@dataclass(frozen=True, slots=True)
class Request:
    """One request.  Times are nanoseconds.

    Attributes:
        endpoint: its tag, such as ``GET /items/{id}``.
        tag: the number of its tag.
        arrived_ns: when its data came.
        ended_ns: when it was answered.
        kernel_ns: how long its data lay there before the loop looked.
        queue_ns: how long its callbacks were ready and had to wait.
        ran_ns: how long its callbacks held the loop.
    """

    endpoint: str
    tag: int
    arrived_ns: int
    ended_ns: int
    kernel_ns: int
    queue_ns: int
    ran_ns: int

    @property
    def total_ns(self) -> int:
        """From its arrival to its end."""
        return self.ended_ns - self.arrived_ns

    @property
    def elsewhere_ns(self) -> int:
        """How long it waited for something that is not the loop."""
        spent = self.kernel_ns + self.queue_ns + self.ran_ns
        return max(0, self.total_ns - spent)

    @property
    def latency(self) -> float:
        """Seconds from its arrival to its end."""
        return self.total_ns / NS


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The requests of one endpoint.  Times are seconds; the parts are means.

    Introduced in the chapter *Diagnose your own program*.
    """

    name: str
    count: int
    p50: float
    p90: float
    p99: float
    worst: float
    kernel: float
    queue: float
    ran: float
    elsewhere: float


def taken_apart(recording: Recording) -> list[Request]:
    """See :meth:`Recording.requests`."""
    parts: dict[int, list[Callback]] = {note.tag: [] for note in recording.notes}
    for callback in recording.callbacks:
        if callback.tag in parts:
            parts[callback.tag].append(callback)
    return [
        _request(recording, note, parts[note.tag])
        for note in recording.notes
        if recording.numbered(note.first) is not None
    ]


def _request(
    recording: Recording, note: RequestNote, parts: Iterable[Callback]
) -> Request:
    chain = list(recording.back_from(note.first))
    trigger, kernel = chain[-1], 0
    # A task that was busy with something else when the data came is no queue: only what
    # leads from the trigger to the first callback belongs to the request.
    arrived = trigger.ready_ns
    came = trigger.arrived_ns if note.arrived_ns is None else note.arrived_ns
    if trigger.cause == "io" and came is not None:
        kernel = max(0, trigger.ready_ns - came)
        arrived = min(arrived, came)
    elif trigger.cause == "timer" and trigger.due_ns is not None:
        arrived = min(arrived, trigger.due_ns)
        kernel = trigger.ready_ns - arrived
    led = {callback.index for callback in chain}
    later = [
        callback
        for callback in parts
        if callback.index not in led and callback.run_ns < note.ended_ns
    ]
    queue = ran = 0
    for callback in [*chain, *later]:
        queue += callback.run_ns - callback.ready_ns
        ran += min(callback.ended_ns, note.ended_ns) - callback.run_ns
    for callback in later:
        if callback.cause == "timer" and callback.due_ns is not None:
            queue += max(0, callback.ready_ns - callback.due_ns)
        elif callback.cause == "io" and callback.arrived_ns is not None:
            kernel += max(0, callback.ready_ns - callback.arrived_ns)
    name, arrived = recording.tags.get(note.tag, "?"), min(arrived, note.began_ns)
    times = arrived, note.ended_ns, kernel, queue, ran
    return Request(name, note.tag, *times)


def endpoints(asked: Iterable[Request]) -> list[Endpoint]:
    """Return a summary for each endpoint, the slowest by p90 first."""
    of: dict[str, list[Request]] = {}
    for request in asked:
        of.setdefault(request.endpoint, []).append(request)
    summaries = []
    for name, group in of.items():
        times = [request.latency for request in group]
        ends = *(percentile(times, percent) for percent in (50, 90, 99)), max(times)
        means = [
            sum(getattr(request, f"{part}_ns") for request in group) / len(group) / NS
            for part in ("kernel", "queue", "ran", "elsewhere")
        ]
        summaries.append(Endpoint(name, len(group), *ends, *means))
    return sorted(summaries, key=lambda endpoint: (-endpoint.p90, endpoint.name))
