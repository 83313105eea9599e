"""The exercises of chapter 4, *Keep the heartbeat on time*.

=============  ===================================================================
``04-predict``   a function ``lateness(jobs, cpu, beat_phase, interval)``
``04-parsons``   a list of line numbers
``04-fix``       an async function ``process(jobs)``
``04-modify``    a pair ``(workers, maxsize)``
``04-make``      an async function ``map_bounded(fn, items, limit)``
=============  ===================================================================

Each check says in its docstring what the answer must be.
"""

from .modify import FINISH_BOUND, LATENESS_BOUND
from .parsons import PARSONS_LINES, parsons_program

__all__ = ["FINISH_BOUND", "LATENESS_BOUND", "PARSONS_LINES", "parsons_program"]
