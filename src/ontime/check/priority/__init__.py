"""The exercises of chapter 7, *Put the lease first*.

=============  ===================================================================
``07-predict``   a function ``longest_round(lease, refresh_every, computations)``
``07-parsons``   a list of line numbers
``07-fix``       an async function ``serve(receive, keep_lease, process)``
``07-modify``    a whole number, ``limit``
``07-make``      a class ``Levels`` with an async method ``turn(priority)``
=============  ===================================================================

Each check says in its docstring what the answer must be.
"""

from .modify import STRETCH_BOUND
from .parsons import PARSONS_LINES, parsons_program

__all__ = ["PARSONS_LINES", "STRETCH_BOUND", "parsons_program"]
