"""Three ways to serve the most urgent task first, with one face.

On one thread the order in which tasks go on decides who is late.  asyncio's order is
first come, first served.  Code says how urgent it is with :func:`priority`, a context
variable that child tasks inherit; then

* :class:`PriorityProtocol`: after each wait a task bids for its turn and yields until
  it wins (the published technique);
* :class:`PriorityGate`: after each wait a task parks at a gate that lets the most
  urgent through;
* :class:`PriorityEventLoop`: the loop's own ready queue is in order of urgency, and the
  coroutines do not change.

The first two are called: ``await gate.turn()``.  :func:`ontime.leases.consume` takes
any of the three.

With the loop come locks and a queue that respect priority (:class:`PriorityLock`,
:class:`PrioritySemaphore`, :class:`PriorityQueue`), and what a server needs
(:class:`PriorityMiddleware`, :func:`run`, :func:`start_server`).

The modules use the standard library only.
"""

from .context import (
    DEFAULT_PRIORITY,
    current_deadline,
    current_priority,
    deadline,
    priority,
)
from .locks import PriorityLock, PriorityQueue, PrioritySemaphore
from .loop import PriorityEventLoop, UnsupportedLoopError
from .policies import ByDeadline, ByPriority
from .serving import PriorityMiddleware, run, start_server
from .tasks import set_priority
from .turns import PriorityGate, PriorityProtocol
from .virtual import VirtualPriorityLoop

__all__ = [
    "DEFAULT_PRIORITY",
    "ByDeadline",
    "ByPriority",
    "PriorityEventLoop",
    "PriorityGate",
    "PriorityLock",
    "PriorityMiddleware",
    "PriorityProtocol",
    "PriorityQueue",
    "PrioritySemaphore",
    "UnsupportedLoopError",
    "VirtualPriorityLoop",
    "current_deadline",
    "current_priority",
    "deadline",
    "priority",
    "run",
    "set_priority",
    "start_server",
]
