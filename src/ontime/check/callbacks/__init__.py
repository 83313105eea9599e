"""The exercises of chapter 1, *Give the loop something to call*.

Three of the checks run the answer on a loop of their own, so that they also work where
a loop is running already.
"""

from .parsons import PARSONS_LINES, parsons_program
from .small_loop import SmallLoop

__all__ = ["PARSONS_LINES", "SmallLoop", "parsons_program"]
