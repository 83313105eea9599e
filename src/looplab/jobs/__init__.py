"""A bounded job queue: what to use instead of creating a task for every job.

A thousand tasks created at once are a thousand callbacks in the same iteration of the
loop; whatever else is due waits behind all of them (chapter 4).  A :class:`JobQueue`
runs a bounded number of jobs at once, holds a bounded number back, makes whoever puts
jobs wait when both are full (*backpressure*), and leaves room between the starts of two
jobs for **whatever became due meanwhile**::

    async with JobQueue(workers=4, maxsize=1) as jobs:
        for url in urls:
            await jobs.put(fetch, url)
    print(jobs.results)

It follows :class:`asyncio.TaskGroup`: the block ends when all jobs have ended, the
first failure cancels the rest, and failures are raised together as one exception group.
No job is lost silently: each ends in exactly one state, and :attr:`JobQueue.outcomes`
counts them.

The module uses the standard library only and behaves the same on the virtual clock and
on the stock loop.
"""

from looplab.jobs.deadlock import WouldDeadlockError
from looplab.jobs.outcomes import JobNotDoneError, JobQueueClosedError, Outcomes
from looplab.jobs.queue import JobQueue
from looplab.jobs.ticket import Ticket

__all__ = [
    "JobNotDoneError",
    "JobQueue",
    "JobQueueClosedError",
    "Outcomes",
    "Ticket",
    "WouldDeadlockError",
]
