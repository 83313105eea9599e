"""Loops in threads, called from other threads: the case of chapter 6, distilled.

* :mod:`.inboxes`: how a task can wait, from polling to a queue that is fed right;
* :mod:`.session`: an event loop in a thread whose task waits in one of these ways, and
  a thread that does not let go of the interpreter;
* :mod:`.measure`: hops, messages and idle cost of sessions, with counts, and on which
  cores and with which switch interval;
* :mod:`.causes`: what a hop waits for, the lock or a core, by interventions.

Standard library only; the ways ``anyio`` and ``janus`` need those packages.
"""

from ontime.measuring.machine import gil_enabled

from .causes import Case, Stays, measure_case, stays
from .inboxes import WAYS, missing
from .measure import (
    Idle,
    Waits,
    measure_hops,
    measure_idle,
    measure_messages,
    measure_wakes,
    on_cores,
    pinned,
    switch_interval,
    unable,
)
from .session import Session, Spinner, sessions

__all__ = [
    "WAYS", "Case", "Idle", "Session", "Spinner", "Stays", "Waits", "gil_enabled",
    "measure_case", "measure_hops", "measure_idle", "measure_messages", "measure_wakes",
    "missing", "on_cores", "pinned", "sessions", "stays", "switch_interval", "unable",
]  # fmt: skip
