"""The exercises of chapter 1, *Give the loop something to call*.

=============  ===================================================================
``01-predict``   a string of letters, the order in which callbacks run
``01-parsons``   a list of line numbers
``01-fix``       a plain function ``tick_every(loop, interval, work)``
``01-modify``    a class of loops whose ``call_later`` returns a cancellable timer
``01-make``      a plain function ``gather(loop, coroutines)``
=============  ===================================================================

Each check says in its docstring what the answer must be.  Three of them run the answer
on a loop of their own, so that they also work where a loop is running already.
"""

from .parsons import PARSONS_LINES, parsons_program
from .small_loop import SmallFuture, SmallLoop, SmallTask

__all__ = ["PARSONS_LINES", "SmallFuture", "SmallLoop", "SmallTask", "parsons_program"]
