"""Record a program on the virtual clock, with who made what ready."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from looplab import clock as _clock
from looplab._numbers import NS
from looplab.clock.observers import Observer
from looplab.clock.running import require_coroutine
from looplab.clock.watched import WatchedCoroutine

from . import tags
from .described import describe
from .recorder import BEFORE, BLOCK, TIMER, WIDTH, Recorder, cause_of
from .recording import Callback, Code, Mark, Recording, RequestNote

__all__ = ["record"]

T = TypeVar("T")

_SETTERS = ("call_later", "call_at")  # neither of a virtual loop calls the other


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

    def ended() -> None:
        for recorder in made:
            recorder.detach()

    watched = WatchedCoroutine(main, ended)
    result = _clock.run(watched, debug=debug, loop_factory=recorded_loop, **own)
    recording = recording_of(made[0], clock="virtual")
    recording.result = result
    return recording


class VirtualRecorder(Recorder, Observer):
    """Records every callback of a virtual loop, a priority loop among them."""

    def __init__(self, loop: Any) -> None:
        super().__init__(loop, 1)
        self.now = loop.time_ns
        self._waiting: dict[int, tuple[int, int]] = {}
        self._timers: dict[int, tuple[int, int]] = {}
        self._index = -1
        self._begun: tuple[Any, ...] = ()
        self._context: Any = None
        loop.add_observer(self)
        undo = self._watch_timers()

        def detach() -> None:
            undo()
            loop.remove_observer(self)
            self._finish()

        self._detach = detach
        self.enter()

    def _watch_timers(self) -> Callable[[], None]:
        """Note who sets a timer, and when; return what undoes it."""
        loop = self.loop

        def watched(stock: Callable[..., Any]) -> Callable[..., Any]:
            def set_timer(*args: Any, **options: Any) -> Any:
                timer = stock(*args, **options)
                self._timers[id(timer)] = self._running[0], self.now()
                return timer

            return set_timer

        made = {name: watched(getattr(loop, name)) for name in _SETTERS}
        for name, function in made.items():
            setattr(loop, name, function)

        def undo() -> None:
            for name, function in made.items():
                if loop.__dict__.get(name) is function:
                    delattr(loop, name)

        return undo

    def joined(self, handle: Any) -> None:
        """Note who made *handle* ready, and when."""
        self._waiting[id(handle)] = self.now(), self._running[0]

    def left(self, handle: Any) -> None:
        """Note that *handle* runs."""
        self._finish()
        at = self.now()
        ready, by = self._waiting.pop(id(handle), (at, BEFORE))
        if handle._cancelled:
            return
        self._index += 1
        if isinstance(handle, asyncio.TimerHandle):
            due: int = handle._due_ns  # type: ignore[attr-defined]
            by, was_set = self._timers.pop(id(handle), (-1, None))
            self.due.append((self._index, by, due, was_set))
            by = TIMER
        task, code = describe(handle._callback)
        self._begun = ready, by, at, task, code
        self._context = handle._context
        self._running = self._index, at

    def iteration(self) -> None:
        """The callback before, if any, has ended."""
        self._finish()

    def _finish(self) -> None:
        if self._running[0] < 0:
            return
        at, self._running = self.now(), (-1, 0)
        tag = self._context.get(tags.CURRENT)
        if self._touched:
            tag = tag or self._touched[0]
            self._touched.clear()
        self._context = None
        number = 0 if tag is None else tag.number
        ready, by, run, task, code = self._begun
        self.notes += ready, by, run, at, (at - run) / NS, task, code, number


def recording_of(recorder: Recorder, clock: Any = "real") -> Recording:
    """Return what *recorder* has noted, without a file between."""
    callbacks: list[Callback] = []
    columns = [recorder.notes[place::WIDTH] for place in range(WIDTH)]
    for row in zip(*columns, strict=True):
        ready, by, run, ended, cpu, task, code, tag = row
        cause, maker = cause_of(by)
        callbacks.append(
            Callback(
                index=len(callbacks),
                ready_ns=ready,
                run_ns=run,
                ended_ns=ended,
                cpu_ns=round(cpu * NS),
                cause=cause,
                by=maker,
                code=code_of(code),
                task=task,
                tag=tag,
            )
        )
    for number, by, due, was_set in recorder.due:
        callback = callbacks[number]
        callback.by = by if by >= 0 else None
        callback.due_ns, callback.set_ns = due, was_set
    tags = {tag.number: tag.name for tag in recorder.new_names()}
    notes: list[RequestNote] = []
    blocks: list[RequestNote] = []
    for at, end, arrived, tag, first, last, name in recorder.requests:
        tags[tag] = name
        note = RequestNote(tag, first, last, at, end)
        (blocks if arrived == BLOCK else notes).append(note)
    return Recording(
        callbacks,
        clock=clock,
        tags=tags,
        notes=notes,
        blocks=blocks,
        marks=[Mark(*mark) for mark in recorder.marks],
    )


def code_of(what: Any) -> Code:
    """Return what a note says about the code of a callback."""
    if isinstance(what, str):
        return Code(what)
    return Code(what.co_qualname, what.co_filename, what.co_firstlineno)
