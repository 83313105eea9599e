"""Record a program on the virtual clock, with who made what ready."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, TypeVar

from looplab import clock as _clock
from looplab.clock.running import require_coroutine
from looplab.clock.watched import WatchedCoroutine
from looplab.trace.virtual import Notes, attach_to_virtual

from .described import describe
from .events import Callback, Cause, Code, Mark, RequestNote
from .recorder import Recorder
from .recording import Recording
from .tags import BLOCK

T = TypeVar("T")


def record(main: Coroutine[Any, Any, T], **settings: Any) -> Recording:
    """Run *main* on the virtual clock and return the recording of it.

    What *main* returned is the recording's ``result``.  If *main* raises, so does this.

    Args:
        main: a coroutine.
        settings: passed on to :func:`looplab.run`.

    Raises:
        TypeError: if *main* is not a coroutine.

    Introduced in the chapter *Diagnose your own program*.
    """
    require_coroutine(main, "record")
    made: list[_Notes] = []
    debug, factory = settings.pop("debug", None), settings.pop("loop_factory", None)
    own = {} if factory is None else settings  # those that run() refuses beside it

    def recorded_loop() -> Any:
        loop = factory() if factory else _clock.VirtualTimeLoop(**settings)
        made.append(_Notes(loop))
        return loop

    watched = WatchedCoroutine(main, lambda: made[0].recorder.detach())
    result = _clock.run(watched, debug=debug, loop_factory=recorded_loop, **own)
    recording = made[0].recording()
    recording.result = result
    return recording


class _Notes(Notes):
    """Records every callback of a virtual loop, a priority loop among them.

    It is recorded as the whole of a run is for a player; what a recording has beside
    such a trace is the code of each callback, and its tag.
    """

    def __init__(self, loop: Any) -> None:
        super().__init__(loop)
        self._ran: list[tuple[Code, int]] = []  # the code and the tag of each callback
        self._handle: Any = None
        self.recorder = recorder = Recorder(loop, 1)
        recorder.now = loop.time_ns
        recorder.running = self._look
        detach = attach_to_virtual(loop, self)

        def keep() -> None:
            self._kept = detach()()

        recorder._detach = keep
        recorder.enter()

    def _look(self) -> tuple[int, int]:
        if self._running is None:
            return -1, 0
        return len(self._records), self._running[2]

    def left(self, handle: Any, /) -> None:
        super().left(handle)
        # It loses both when it is cancelled, which may be while it runs.
        self._handle = handle._callback, handle._context

    def pause(self) -> None:
        if self._running is not None:
            callback, context = self._handle
            code = Code.of(describe(callback)[1])
            tag = self.recorder.tag_in(context)
            self._ran.append((code, tag.number if tag else 0))
        super().pause()

    def recording(self) -> Recording:
        """Return what was noted, without a file between."""
        trace, recorder = self._kept, self.recorder
        callbacks: list[Callback] = []
        rows = zip(trace, trace.origins or (), self._ran, strict=True)
        for index, (record, origin, (code, tag)) in enumerate(rows):
            times = record.ready_ns, record.run_ns, record.ended_ns
            held = record.ended_ns - record.run_ns
            cause: Cause = "before" if origin.maker is None else "call"
            more: Any = {"cause": cause, "by": origin.maker}
            if origin.timer is not None:
                timer = trace.timers[origin.timer]
                more = {"cause": "timer", "by": timer.set_by}
                more |= {"due_ns": timer.due_ns, "set_ns": timer.set_ns}
            more |= {"code": code, "task": record.task, "tag": tag}
            callbacks.append(Callback(index, *times, held, **more))
        recording = Recording(callbacks, clock="virtual")
        recording.tags = {tag.number: tag.name for tag in recorder.new_names()}
        recording.marks = [Mark(*mark) for mark in recorder.marks]
        for began, end, arrived, tag, first, last, name in recorder.requests:
            recording.tags[tag] = name
            notes = recording.blocks if arrived == BLOCK else recording.notes
            notes.append(RequestNote(tag, first, last, began, end))
        return recording
