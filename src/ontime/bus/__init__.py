"""A real message bus with leases, and the consumer that works on it.

:mod:`ontime.leases` has the consumer on the virtual clock, where the bus is a number.
Here the bus is real, and so are the time and the computing: a lease that runs out shows
as a message that is delivered a second time.

>>> from ontime.bus import compare
>>> compare()                                                        # doctest: +SKIP

Two buses have one face, :class:`Bus`: :class:`SQLiteBus` keeps the messages in a file
and needs no server; :class:`RedisBus` keeps them in a Redis stream with a consumer
group, and needs a server and the package ``redis``.

Both deliver at least once: a message is in the bus from :meth:`Bus.put` until somebody
acknowledges it.  A consumer that dies, a server that stops and a disk that is full cost
time and a second delivery, but no message.
"""

from .base import Bus, BusError, BusFullError, BusUnavailableError, Counts, Delivery
from .redis import RedisBus
from .run import SETTINGS, BusRun, BusRuns, compare, consume
from .sqlite import SQLiteBus

__all__ = [
    "SETTINGS", "Bus", "BusError", "BusFullError", "BusRun", "BusRuns",
    "BusUnavailableError", "Counts", "Delivery", "RedisBus", "SQLiteBus", "compare",
    "consume",
]  # fmt: skip
