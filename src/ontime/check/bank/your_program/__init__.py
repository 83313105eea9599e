"""The extra exercises of chapter 8, *Diagnose your own program*.

==============  ========================================================================
``08-xwho``     a dict of recordings and remedies
``08-xalibi``   a function ``culprit(recording, victim)``
``08-xbest``    a function ``best(recording, victim, changes)``
``08-xslow``    a function ``slow_part(requests)``
``08-xbefore``  a function ``compare(before, after)``
==============  ========================================================================

Each check says in its docstring what the answer must be.
"""

from .who import REMEDIES, who_tables

__all__ = ["REMEDIES", "who_tables"]
