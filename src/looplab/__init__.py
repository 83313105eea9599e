"""looplab: measure latency on an event loop whose clock you control.

The names that most programs need are here.  The modules hold the rest:

* :mod:`looplab.clock`: a virtual-time event loop;
* :mod:`looplab.phases`: an experiment over many phases and jitters;
* :mod:`looplab.trace`: what ran, when, and how late;
* :mod:`looplab.timeline`: a trace as a picture;
* :mod:`looplab.player`: a trace that can be played;
* :mod:`looplab.heartbeat`: the lateness of a loop, sampled;
* :mod:`looplab.jobs`: a bounded job queue;
* :mod:`looplab.channel`: a channel without a buffer;
* :mod:`looplab.streams`: the two ends of a connection in memory;
* :mod:`looplab.priority`: event loops that let urgent work go first;
* :mod:`looplab.idle`: a guard for tests against a loop that spins;
* :mod:`looplab.lint`: unbounded channels and polling, found in source code;
* :mod:`looplab.diagnose`: who makes a real program late, and what would help;
* :mod:`looplab.draw`: step charts as SVG.

Nothing is imported before it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

_HOME = {
    "ClockError": "clock",
    "DeadlockError": "clock",
    "Heartbeat": "heartbeat",
    "JobQueue": "jobs",
    "LoopTracer": "trace",
    "Spread": "phases",
    "Timeline": "timeline",
    "Trace": "trace",
    "VirtualTimeLoop": "clock",
    "burn": "clock",
    "elapsed": "clock",
    "record": "trace",
    "run": "clock",
    "run_real": "clock",
    "spread": "phases",
    "tag": "diagnose.tags",
}
_ROOMS = frozenset(
    (
        "channel",
        "clock",
        "diagnose",
        "draw",
        "heartbeat",
        "idle",
        "jobs",
        "lint",
        "phases",
        "player",
        "priority",
        "streams",
        "timeline",
        "trace",
    )
)


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f".{name}", __name__)
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_ROOMS})
