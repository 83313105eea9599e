"""The exercises of chapter 6, *Find the loop that spins*.

There are no threads in a page, so "from another thread" is played by a loop that
watches its callers: what is called on it directly, and what through
``call_soon_threadsafe``.
"""

from .parsons import PARSONS_LINES, parsons_program

__all__ = ["PARSONS_LINES", "parsons_program"]
