"""A virtual clock for asyncio: sleeping jumps it, CPU work is charged to it.

:mod:`looplab.clock.loop` is the loop and the rules of its order of events,
:mod:`looplab.clock.observers` the hook for those who watch a loop.
"""

from looplab.clock.errors import (
    ClockError,
    DeadlockError,
    LivelockError,
    OutsideCallError,
    StepLimitError,
    TimeValueError,
)
from looplab.clock.loop import VirtualTimeLoop
from looplab.clock.observers import Observer
from looplab.clock.running import Clock, burn, elapsed, run, run_on, run_real

__all__ = [
    "Clock",
    "ClockError",
    "DeadlockError",
    "LivelockError",
    "Observer",
    "OutsideCallError",
    "StepLimitError",
    "TimeValueError",
    "VirtualTimeLoop",
    "burn",
    "elapsed",
    "run",
    "run_on",
    "run_real",
]
