"""Runs the cells of one page: in the page's worker, and when a book is built.

The same code does both, so that a page shows what the build shows.  It needs the
standard library only.
"""

from .loop import take_over
from .session import Session

__all__ = ["Session", "take_over"]
