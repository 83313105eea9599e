"""A guard for a test suite: an event loop that waits must not turn.

A loop that waits sits in its selector.  A loop whose task asks again and again whether
something has come *turns*: thousands of times a second, on a core of its own, and other
threads pay for it.  The guard counts the turns from outside::

    def test_idle_sessions_stay_idle():
        with open_session(), open_session():
            assert_idle()

It sees every asyncio loop of the process, also those that a library runs in threads: a
blocking portal of anyio, the test client of starlette.

* :mod:`.guard`: the guard itself;
* :mod:`.counting`: the turns of loops, counted;
* :mod:`.loops`: which loops there are, and which of them can be counted;
* :mod:`.work`: what keeps a loop busy.

It needs the standard library and no other part of looplab: the folder can be copied
into a test suite as it is.  Chapter 6 of *On Time* introduces it.
"""

from .counting import LoopTurns, Turns, count_turns
from .guard import BusyLoopError, assert_idle, assert_idle_here
from .loops import running_loops

__all__ = [
    "BusyLoopError",
    "LoopTurns",
    "Turns",
    "assert_idle",
    "assert_idle_here",
    "count_turns",
    "running_loops",
]
