"""The exercises of chapter 2, *Move CPU work off the loop*.

=============  ===================================================================
``02-predict``   a plain function ``worst(way, jobs, seconds)``
``02-parsons``   a list of line numbers
``02-fix``       an async function ``answer(requests, work, offload)``
``02-modify``    an async function ``total(numbers, square, pause)``
``02-make``      an async function ``spread_out(offload, work, items, workers)``
=============  ===================================================================

Each check says in its docstring what the answer must be.  The answers run on the
virtual clock.  There, another process is simulated: :class:`Office` has a
method that takes the time of the work and leaves the loop free meanwhile.
"""

from .office import Office
from .parsons import PARSONS_LINES, parsons_program

__all__ = ["PARSONS_LINES", "Office", "parsons_program"]
