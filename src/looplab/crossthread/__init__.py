"""Loops in threads, called from other threads: the case of chapter 6, distilled.

* :mod:`.idle`: the guard: count the turns of a loop, and fail if it turns while idle;
* :mod:`.session`: an event loop in a thread whose task waits for messages in one of
  several ways, from polling to a queue that is fed right;
* :mod:`.measure`: hops, messages and idle cost of such sessions, with counts.

``python -m looplab.crossthread poll`` measures one way in a terminal.

Standard library only; the ways ``anyio`` and ``janus`` need those packages.
"""

from .idle import (
    BusyLoopError,
    LoopTurns,
    Turns,
    assert_idle,
    assert_idle_here,
    count_turns,
    running_loops,
)
from .measure import (
    Idle,
    Waits,
    gil_enabled,
    measure_hops,
    measure_idle,
    measure_messages,
    measure_wakes,
    pinned,
    switch_interval,
    unable,
)
from .session import WAYS, Session, Spinner, missing, sessions

__all__ = [
    "WAYS",
    "BusyLoopError",
    "Idle",
    "LoopTurns",
    "Session",
    "Spinner",
    "Turns",
    "Waits",
    "assert_idle",
    "assert_idle_here",
    "count_turns",
    "gil_enabled",
    "measure_hops",
    "measure_idle",
    "measure_messages",
    "measure_wakes",
    "missing",
    "pinned",
    "running_loops",
    "sessions",
    "switch_interval",
    "unable",
]
