"""looplab: measure latency on an event loop whose clock you control.

The names that most programs need are here.  The modules hold the rest:

* :mod:`looplab.clock`: a virtual-time event loop;
* :mod:`looplab.phases`: an experiment over many phases and jitters;
* :mod:`looplab.trace`: what ran, when, and how late;
* :mod:`looplab.timeline`: a trace as a picture;
* :mod:`looplab.heartbeat`: the lateness of a loop, sampled;
* :mod:`looplab.jobs`: a bounded job queue;
* :mod:`looplab.channel`: a channel without a buffer;
* :mod:`looplab.priority`: event loops that let urgent work go first;
* :mod:`looplab.metrics`: a histogram of lateness for a monitoring system;
* :mod:`looplab.idle`: a guard for tests against a loop that spins;
* :mod:`looplab.lint`: unbounded channels and polling, found in source code;
* :mod:`looplab.diagnose`: who makes a real program late, and what would help;
* :mod:`looplab.draw`: step charts as SVG.
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
from .diagnose.tags import tag
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
    "tag",
]
