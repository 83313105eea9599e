"""The exercises of chapter 8, *Diagnose your own program*.

=============  ===================================================================
``08-predict``   a function ``waited(jobs, cpu)``
``08-parsons``   a list of line numbers
``08-fix``       an async function ``client(ask, count, every)``
``08-modify``    a number of seconds, ``piece``
``08-judge``     a dict: a tool for each of six programs
=============  ===================================================================

Each check says in its docstring what the answer must be.
"""

from .judge import PROGRAMS
from .modify import LATE_BOUND, TOTAL_BOUND
from .parsons import PARSONS_LINES

__all__ = ["LATE_BOUND", "PARSONS_LINES", "PROGRAMS", "TOTAL_BOUND"]
