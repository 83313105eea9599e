"""The exercises of chapter 3, *Count what a task costs*.

==============  ==================================================================
``03-predict``    a function ``wall(parts, wait, cpu, at_once)``
``03-parsons``    a list of line numbers
``03-fix``        a function ``clients(latency, waiting, rate)``
``03-modify``     an async function ``handle(user, price, stock)``
``03-make``       an async function ``economical(parts)``
==============  ==================================================================

Each check says in its docstring what the answer must be.
"""

from .parsons import PARSONS_LINES, parsons_program

__all__ = ["PARSONS_LINES", "parsons_program"]
