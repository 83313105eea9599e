"""The exercises of chapter 2, *Move CPU work off the loop*.

The answers run on the virtual clock.  There, another process is simulated:
:class:`Office` has a method that takes the time of the work and leaves the loop free.
"""

from .office import Office
from .parsons import PARSONS_LINES, parsons_program

__all__ = ["PARSONS_LINES", "Office", "parsons_program"]
