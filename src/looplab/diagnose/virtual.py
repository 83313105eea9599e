"""Record a program on the virtual clock, with who made what ready."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, TypeVar

from looplab import clock as _clock
from looplab.clock.running import require_coroutine
from looplab.clock.watched import WatchedCoroutine
from looplab.trace.whole import Notes, attach_whole

from . import tags
from .described import describe
from .events import Callback, Code, Mark, RequestNote
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
        self.codes: list[Code] = []
        self.tags: list[int] = []
        self._notes = _Notes(self)
        detach = attach_whole(loop, None, None, notes=self._notes)

        def keep() -> None:
            self.trace = detach()()

        self._detach = keep
        self.enter()

    def running(self) -> tuple[int, int]:
        """The number of the callback that runs, or -1; and since when."""
        return self._notes.running()

    def ended(self, callback: Any, context: Any) -> None:
        """Note what ran, and for which tag."""
        tag = context.get(tags.CURRENT)
        if self._touched:
            tag = tag or self._touched[0]
            self._touched.clear()
        self.tags.append(0 if tag is None else tag.number)
        self.codes.append(code_of(describe(callback)[1]))

    def recording(self) -> Recording:
        """Return what was noted, without a file between."""
        trace = self.trace
        callbacks: list[Callback] = []
        rows = zip(trace, trace.origins or (), self.codes, self.tags, strict=True)
        for record, origin, code, tag in rows:
            callback = Callback(
                len(callbacks),
                record.ready_ns,
                record.run_ns,
                record.ended_ns,
                record.ended_ns - record.run_ns,
                "before" if origin.maker is None else "call",
                origin.maker,
                code,
                record.task,
                tag,
            )
            if origin.timer is not None:
                timer = trace.timers[origin.timer]
                callback.cause, callback.by = "timer", timer.set_by
                callback.due_ns, callback.set_ns = timer.due_ns, timer.set_ns
            callbacks.append(callback)
        names = {tag.number: tag.name for tag in self.new_names()}
        notes: list[RequestNote] = []
        blocks: list[RequestNote] = []
        for at, end, arrived, tag, first, last, name in self.requests:
            names[tag] = name
            note = RequestNote(tag, first, last, at, end)
            (blocks if arrived == BLOCK else notes).append(note)
        return Recording(
            callbacks,
            clock="virtual",
            tags=names,
            notes=notes,
            blocks=blocks,
            marks=[Mark(*mark) for mark in self.marks],
        )


class _Notes(Notes):
    def __init__(self, recorder: VirtualRecorder) -> None:
        super().__init__(recorder.now, lambda timer: timer._due_ns, None)
        self._recorder = recorder
        self._handle: Any = None

    def running(self) -> tuple[int, int]:
        if self._running is None:
            return -1, 0
        return len(self._records), self._running.run_ns

    def left(self, handle: Any, /) -> None:
        super().left(handle)
        # It loses both when it is cancelled, which may be while it runs.
        self._handle = handle._callback, handle._context

    def pause(self) -> None:
        if self._running is not None:
            self._recorder.ended(*self._handle)
        super().pause()


def code_of(what: Any) -> Code:
    """Return what a note says about the code of a callback."""
    if isinstance(what, str):
        return Code(what)
    return Code(what.co_qualname, what.co_filename, what.co_firstlineno)
