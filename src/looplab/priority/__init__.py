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

The first two are called: ``await gate.turn()``.  :func:`looplab.leases.consume` takes
any of the three.

The modules use the standard library only.
"""

from .context import (
    DEFAULT_PRIORITY,
    current_deadline,
    current_priority,
    deadline,
    priority,
)
from .gate import PriorityGate
from .loop import (
    ByDeadline,
    ByPriority,
    PriorityEventLoop,
    UnsupportedLoopError,
    VirtualPriorityLoop,
)
from .protocol import PriorityProtocol

__all__ = [
    "DEFAULT_PRIORITY",
    "ByDeadline",
    "ByPriority",
    "PriorityEventLoop",
    "PriorityGate",
    "PriorityProtocol",
    "UnsupportedLoopError",
    "VirtualPriorityLoop",
    "current_deadline",
    "current_priority",
    "deadline",
    "priority",
]
