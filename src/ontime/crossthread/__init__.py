"""Loops in threads, called from other threads: the case of chapter 6, distilled.

* :mod:`.inboxes`: how a task can wait, from polling to a queue that is fed right;
* :mod:`.windows`: selectors that let others have the interpreter;
* :mod:`.session`: an event loop in a thread whose task waits in one of these ways;
* :mod:`.spinner`: a thread that does not let go of the interpreter;
* :mod:`.conditions`: cores, the switch interval, the GIL;
* :mod:`.measure`: hops, messages and idle cost of sessions, with counts;
  :mod:`.results`: what comes of it;
* :mod:`.causes`: what a hop waits for, the lock or a core, by interventions.

``python -m ontime.crossthread poll`` measures one way in a terminal.

Standard library only; the ways ``anyio`` and ``janus`` need those packages.
"""

from .causes import Case, Stays, measure_case, stays
from .conditions import gil_enabled, on_cores, pinned, switch_interval, unable
from .inboxes import WAYS, missing
from .measure import measure_hops, measure_idle, measure_messages, measure_wakes
from .results import Idle, Waits
from .session import Session, sessions
from .spinner import Spinner

__all__ = [
    "WAYS",
    "Case",
    "Idle",
    "Session",
    "Spinner",
    "Stays",
    "Waits",
    "gil_enabled",
    "measure_case",
    "measure_hops",
    "measure_idle",
    "measure_messages",
    "measure_wakes",
    "missing",
    "on_cores",
    "pinned",
    "sessions",
    "stays",
    "switch_interval",
    "unable",
]
