"""Who waits, and where, when nothing more can happen on a virtual clock."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Collection, Iterable
from typing import Any

from looplab.clock.errors import DeadlockError

__all__ = ["deadlock", "timers_are_all_of"]

_SHOWN = 10  # waiting tasks named in the message


def deadlock(
    loop: asyncio.AbstractEventLoop, probes: Collection[asyncio.Task[Any]]
) -> DeadlockError:
    """Return the error for a loop on which nothing can happen any more.

    Args:
        loop: nothing is ready on it, and it has no timers but those of *probes*.
        probes: tasks that only measure.
    """
    waiting = sorted(asyncio.all_tasks(loop).difference(probes), key=hash)
    head = f"at {loop.time():.9g} s nothing is ready and no timer is set"
    if probes:
        head += " but a probe's"
    elif getattr(loop, "_never", None):
        head += " that ever fires"
    if not waiting:
        return DeadlockError(f"{head}, and there is no task: nothing can happen")
    lines = [f"  {task.get_name()}: {_place(task)}" for task in waiting[:_SHOWN]]
    if len(waiting) > _SHOWN:
        lines.append(f"  … and {len(waiting) - _SHOWN} more")
    who = "1 task waits" if len(waiting) == 1 else f"{len(waiting)} tasks wait"
    lines.append(
        "Look for a queue that nobody fills, a lock that nobody releases or an "
        "event that nobody sets."
    )
    before = getattr(loop, "_threads_before", ())
    names = [thread.name for thread in threading.enumerate() if thread not in before]
    if names:
        lines.append(
            f"The program has started {', '.join(map(repr, names))}: the virtual clock "
            "waits for no thread. Let a task do that work, or use run_real()."
        )
    return DeadlockError("\n".join([f"{head}, but {who}:", *lines]))


def timers_are_all_of(
    probes: Collection[asyncio.Task[Any]],
    timers: Iterable[asyncio.TimerHandle],
) -> bool:
    """Return whether each of *timers* is cancelled or wakes one of *probes*."""
    awaited = [task._fut_waiter for task in probes]  # type: ignore[attr-defined]
    theirs = {id(future) for future in awaited if future is not None}
    return all(
        timer._cancelled
        or any(id(argument) in theirs for argument in timer._args or ())
        for timer in timers
    )


def _place(task: asyncio.Task[Any]) -> str:
    """Say where *task* waits: its own line, and the innermost call it waits in.

    The line number is given for the task's own coroutine only: inside the standard
    library it would differ from one Python to the next.
    """
    names: list[str] = []
    line = 0
    awaited: Any = task.get_coro()
    while awaited is not None:
        kind, inner = "cr", "await"  # a coroutine; or a generator that stands for one
        if hasattr(awaited, "gi_frame"):
            kind, inner = "gi", "yieldfrom"
        frame = getattr(awaited, f"{kind}_frame", None)
        if frame is None:
            break
        line = line or frame.f_lineno
        names.append(awaited.__qualname__.rpartition("<locals>.")[2])
        awaited = getattr(awaited, f"{kind}_{inner}")
    if not names:
        return "not started"
    inside = f", in {names[-1]}" if len(names) > 1 else ""
    return f"{names[0]}, line {line}{inside}"
