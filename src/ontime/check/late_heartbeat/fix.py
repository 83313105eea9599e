"""``04-fix``: a task storm behind a semaphore."""

from __future__ import annotations

from typing import Any

from ontime.check.late_heartbeat.jobs import make_jobs
from ontime.check.registry import exercise
from ontime.check.tools import need_async_function, simulate, under_load
from ontime.check.verdict import NotYet

#: When the jobs begin, as a share of the interval between two beats, and the interval.
BEATS = ((0.5, 0.5), (0.07, 0.5), (0.313, 0.5), (0.829, 0.5), (0.1, 0.003))


@exercise("04-fix", need_async_function, "process")
def check_fix(answer: Any) -> str:
    """The answer is an async function ``process(jobs)``.

    *jobs* is a list of async functions without parameters; ``process`` runs each once
    and returns when all are done (what it returns is ignored).  The version to fix
    creates a task per job at once, each inside an ``asyncio.Semaphore(4)``.

    Required, on the virtual clock: with 200 jobs of CPU 0.010, worst lateness below
    0.050 s at several phases and at most 2.2 s in all; with 60 jobs that wait 0.030 and
    then compute 0.010, worst lateness below 0.050 s and at most 1.2 s in all (one after
    the other would take 2.4); with the same jobs, if every tenth of them waits 0.300 s
    more, at most 1.5 s (batches, which wait for their slowest, take more).  Besides the
    phases there is a heart that beats every 0.003 s, which no moment escapes: six
    workers that wake together are found.  No task may be left behind.
    """
    worst_of_all = 0.0
    for count, before, long, limit in (
        (200, 0.0, 0.0, 2.2),
        (60, 0.030, 0.0, 1.2),
        (60, 0.030, 0.3, 1.5),
    ):
        for phase, interval in BEATS:
            done: list[int] = []
            jobs = make_jobs(
                count, before=before, cpu=0.010, after=0.0, done=done, long=long
            )
            load = simulate(
                under_load(
                    answer,
                    list(jobs),
                    name="process",
                    phase=phase,
                    interval=interval,
                    done=done,
                )
            )
            kind = f"{count} jobs"
            if before:
                kind += f" that wait {before:g} s and then compute"
            if long:
                kind += f", every tenth {long:g} s longer,"
            if not load.done:
                raise NotYet(
                    "process() ended and not one job was done.",
                    "is the body still three dots, or is an await missing?",
                )
            if load.done < count:
                raise NotYet(
                    f"only {load.done} of {kind} were done when process() returned.",
                    "wait for all of them, for example with 'await queue.join()'",
                )
            if sorted(done) != list(range(count)):
                raise NotYet("some job was done twice.", "each job is run once")
            if load.left:
                raise NotYet(
                    f"process() returned and left tasks behind: {load.left}.",
                    "cancel the workers when all jobs are done",
                )
            if load.worst >= 0.050:
                raise NotYet(
                    f"{kind}: the heartbeat was {load.worst:.3f} s late.",
                    "a free semaphore does not yield: what counts is how much work is "
                    "ready in one iteration. Fewer tasks, fed by a bounded queue"
                    if not before
                    else "too many jobs wake at the same moment: use fewer workers",
                )
            if load.took > limit:
                raise NotYet(
                    f"{kind} took {load.took:.4g} s, more than {limit:g} s.",
                    "while one job waits long, others go on: no batch, but workers "
                    "that each take the next job"
                    if long
                    else "let several workers wait at the same time",
                )
            worst_of_all = max(worst_of_all, load.worst)
    return f"every job is done in time; the latest beat was {worst_of_all:.3f} s late."
