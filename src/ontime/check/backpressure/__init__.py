"""The exercises of chapter 5, *Bound every channel*.

=============  ===================================================================
``05-predict``   a function ``waiting(made, served, seconds, maxsize)``
``05-parsons``   a list of line numbers
``05-fix``       an async function ``pipeline(source, parse, store)``
``05-modify``    a whole number, ``maxsize``
``05-make``      an async function ``chain(items, *stages)``
``05-judge``     a dict of libraries and verdicts
=============  ===================================================================

Each check says in its docstring what the answer must be.
"""

from .judge import FINDINGS, VERDICTS
from .modify import AGE_BOUND, HELD_BOUND
from .parsons import PARSONS_LINES, parsons_program

__all__ = [
    "AGE_BOUND",
    "FINDINGS",
    "HELD_BOUND",
    "PARSONS_LINES",
    "VERDICTS",
    "parsons_program",
]
