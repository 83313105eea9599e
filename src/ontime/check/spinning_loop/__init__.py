"""The exercises of chapter 6, *Find the loop that spins*.

=============  ===================================================================
``06-predict``   a function ``asks(seconds, cost, nap)``
``06-parsons``   a list of line numbers
``06-fix``       a class ``Inbox`` with ``put`` and ``async get``
``06-modify``    a number of seconds, ``nap``
``06-make``      a function ``hop(loop, function)``
=============  ===================================================================

Each check says in its docstring what the answer must be.  There are no threads in a
page, so "from another thread" is played by a loop that watches its callers: what is
called on it directly, and what through ``call_soon_threadsafe``.
"""

from .modify import ASKS_BOUND, LATE_BOUND
from .parsons import PARSONS_LINES, parsons_program

__all__ = ["ASKS_BOUND", "LATE_BOUND", "PARSONS_LINES", "parsons_program"]
