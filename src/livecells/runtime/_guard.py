"""Builtins of the runtime's own.

What a cell does to the builtins must not break what reports it.  Functions take the
builtins that their module names when they are defined, so every module of this package
imports these before it defines any.
"""

import builtins

__all__ = ["own_builtins"]

own_builtins = dict(vars(builtins))
