"""looplab: measure latency on an event loop whose clock you control.

The names that the chapters use are here.  The modules hold the rest:

* :mod:`looplab.clock`: a virtual-time event loop;
* :mod:`looplab.phases`: an experiment over many phases and jitters;
* :mod:`looplab.trace`: what ran, when, and how late;
* :mod:`looplab.timeline`: a trace as a picture;
* :mod:`looplab.heartbeat`: the lateness of a loop, sampled;
* :mod:`looplab.jobs`: a bounded job queue;
* :mod:`looplab.channel`: a channel without a buffer;
* :mod:`looplab.charts`: a step chart without matplotlib;
* :mod:`looplab.priority`: what must not wait its turn goes first;
* :mod:`looplab.leases`: messages whose leases run out, under any scheduler;
* :mod:`looplab.bus`: the same on a real message bus;
* :mod:`looplab.cpu_models`: CPU work on the loop, in threads and in processes;
* :mod:`looplab.cost`: what a coroutine costs in CPU time;
* :mod:`looplab.crossthread`: loops in threads, and a guard against one that spins;
* :mod:`looplab.lint`: unbounded channels and polling, found in source code;
* :mod:`looplab.check`: the checks behind the exercises.
"""

from .clock import (
    ClockError,
    DeadlockError,
    VirtualTimeLoop,
    burn,
    elapsed,
    run,
    run_real,
)
from .heartbeat import Heartbeat
from .jobs import JobQueue
from .phases import Spread, spread
from .timeline import Timeline
from .trace import LoopTracer, Trace, record

__all__ = [
    "ClockError",
    "DeadlockError",
    "Heartbeat",
    "JobQueue",
    "LoopTracer",
    "Spread",
    "Timeline",
    "Trace",
    "VirtualTimeLoop",
    "burn",
    "elapsed",
    "record",
    "run",
    "run_real",
    "spread",
]
