"""Every callback that an event loop ran: when it was due, when ready, when it ran.

An event loop is one thread that runs callbacks, one at a time, off a ready queue.  The
tracer puts a queue that keeps notes in the place of the loop's own, so it sees each
callback join the queue and leave it.  It works on :class:`looplab.VirtualTimeLoop`,
where the times are exact, and on asyncio's own loops, where they are measured.

>>> import asyncio
>>> from looplab.trace import record
>>> async def main():
...     await asyncio.sleep(1)
>>> [(one.label, one.run_at) for one in record(main())]
[('main', 0.0), ('_set_result_unless_cancelled', 1.0), ('main', 1.0)]

What the times mean
-------------------
*Ready at* is when the callback joined the ready queue.  *Due at* is when its timer
asked for it: a callback has it if a timer set it off, and so has the step of a task
that such a callback wakes.  It is carried that one hop only, which is what makes the
lateness of ``asyncio.sleep()`` visible.  *Ran at* is when the loop took the callback
from the queue, and *ended at* when it came back for the next one or looked whether
there is one.  On a real clock *ended at* therefore includes the loop's own work between
two callbacks, about a microsecond.

What is not seen
----------------
A cancelled handle is not a callback that ran.  The first step of an eager task runs
inside the callback that makes it and is part of that one.  Names are kept, never tasks,
coroutines or callbacks, so that tracing does not change when objects are freed.

The module uses the standard library only.
"""

from looplab.trace.record import Origin, Record, Timer, Trace
from looplab.trace.tracer import LoopTracer, record

__all__ = ["LoopTracer", "Origin", "Record", "Timer", "Trace", "record"]
