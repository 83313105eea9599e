"""A consumer that must renew the lease of each message while it computes.

A message bus hands out a message for a limited time, the *lease*.  Whoever works on the
message renews the lease while the work lasts; if a renewal comes too late, the bus
gives the message to somebody else and the work was for nothing.  On one thread the
renewals and the work wait for each other, so the order in which the thread serves them
decides how many messages are lost (chapter 7).

>>> from ontime.leases import LeaseSettings, consume
>>> consume(LeaseSettings(messages=3, cpu=0.1))
<LeaseRun 3 processed, 0 lost in 23.65 s, first come first served>

:mod:`~ontime.leases.consumer` has the three functions of the consumer.
:func:`consume` runs them on the virtual clock, where they are exact, and takes the
scheduler as an argument: the plain event loop, anything of :mod:`looplab.priority`, or
a model of what the published experiments ran on.  :mod:`~ontime.leases.published` has
these experiments, and lays their event log beside a run.
"""

from .consumer import LeaseCheck, LeaseSettings, MessageRecord
from .published import EXPERIMENTS, Experiment
from .runs import LeaseRun, LeaseRuns, State, consume, consume_many
from .schedulers import ThreadPool
from .window import Window

__all__ = [
    "EXPERIMENTS", "Experiment", "LeaseCheck", "LeaseRun", "LeaseRuns",
    "LeaseSettings", "MessageRecord", "State", "ThreadPool", "Window", "consume",
    "consume_many",
]  # fmt: skip
