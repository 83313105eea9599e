"""Record a program on the virtual clock, with who made what ready."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, TypeVar

from looplab import clock as _clock
from looplab.clock.running import require_coroutine
from looplab.clock.watched import WatchedCoroutine
from looplab.trace.virtual import Notes, attach_to_virtual

from . import tags
from .described import describe
from .events import Callback, Cause, Code, Mark, RequestNote
from .recorder import BLOCK, Recorder
from .recording import Recording

__all__ = ["record"]

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
    made: list[VirtualRecorder] = []
    debug, factory = settings.pop("debug", None), settings.pop("loop_factory", None)
    own = {} if factory is None else settings  # those that run() refuses beside it

    def recorded_loop() -> Any:
        loop = factory() if factory else _clock.VirtualTimeLoop(**settings)
        made.append(VirtualRecorder(loop))
        return loop

    watched = WatchedCoroutine(main, lambda: made[0].detach())
    result = _clock.run(watched, debug=debug, loop_factory=recorded_loop, **own)
    recording = made[0].recording()
    recording.result = result
    return recording


class VirtualRecorder(Recorder):
    """Records every callback of a virtual loop, a priority loop among them.

    It is recorded as the whole of a run is for a player; what a recording has beside
    such a trace is the code of each callback, and its tag.
    """

    def __init__(self, loop: Any) -> None:
        super().__init__(loop, 1)
        self.now = loop.time_ns
        self.ran: list[tuple[Code, int]] = []  # the code and the tag of each callback
        notes = _Notes(self)
        self.running = notes.running  # type: ignore[method-assign]
        detach = attach_to_virtual(loop, notes)

        def keep() -> None:
            self.trace = detach()()

        self._detach = keep
        self.enter()

    def ended(self, callback: Any, context: Any) -> None:
        """Note what ran, and for which tag."""
        tag = context.get(tags.CURRENT)
        if self._touched:
            tag = tag or self._touched[0]
            self._touched.clear()
        what = describe(callback)[1]
        code = (
            Code(what)
            if isinstance(what, str)
            else Code(what.co_qualname, what.co_filename, what.co_firstlineno)
        )
        self.ran.append((code, 0 if tag is None else tag.number))

    def recording(self) -> Recording:
        """Return what was noted, without a file between."""
        trace = self.trace
        callbacks: list[Callback] = []
        rows = zip(trace, trace.origins or (), self.ran, strict=True)
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
        recording.tags = {tag.number: tag.name for tag in self.new_names()}
        recording.marks = [Mark(*mark) for mark in self.marks]
        for began, end, arrived, tag, first, last, name in self.requests:
            recording.tags[tag] = name
            notes = recording.blocks if arrived == BLOCK else recording.notes
            notes.append(RequestNote(tag, first, last, began, end))
        return recording


class _Notes(Notes):
    def __init__(self, recorder: VirtualRecorder) -> None:
        super().__init__(recorder.loop)
        self._recorder = recorder
        self._handle: Any = None

    def running(self) -> tuple[int, int]:
        if self._running is None:
            return -1, 0
        return len(self._records), self._running[2]

    def left(self, handle: Any, /) -> None:
        super().left(handle)
        # It loses both when it is cancelled, which may be while it runs.
        self._handle = handle._callback, handle._context

    def pause(self) -> None:
        if self._running is not None:
            self._recorder.ended(*self._handle)
        super().pause()
