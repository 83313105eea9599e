"""``08-predict``: how long others waited in a storm, added up."""

from __future__ import annotations

import asyncio
from typing import Any

from looplab.clock import burn
from looplab.diagnose import record
from ontime.check.registry import exercise
from ontime.check.tools import need_function, need_number, several
from ontime.check.verdict import NotYet


async def _storm(jobs: int, cpu: float) -> None:
    async def job() -> None:
        burn(cpu)

    async with asyncio.TaskGroup() as tasks:
        for number in range(jobs):
            tasks.create_task(job(), name=f"job-{number}")


def waited_in_storm(jobs: int, cpu: float) -> float:
    """Seconds that the jobs of a storm stood in the ready queue, added up."""
    recording = record(_storm(jobs, cpu))
    return (
        sum(
            callback.run_ns - callback.ready_ns
            for callback in recording.callbacks
            if (callback.task or "").startswith("job-")
        )
        / 1e9
    )


@exercise("08-predict", need_function, "waited")
def check_predict(answer: Any) -> str:
    """The answer is a plain function ``waited(jobs, cpu)``.

    It returns the seconds that *jobs* tasks, which become ready in one moment and
    compute for *cpu* seconds each, wait for one another, added up.  The check records
    six storms on the virtual clock; a millionth more or less is right.
    """
    cases = [(2, 0.5), (1, 3.0), (10, 0.01), (60, 0.004), (100, 0.01), (200, 0.01)]
    for jobs, cpu in cases:
        predicted = need_number(answer(jobs, cpu), "waited", "a number of seconds")
        seen = waited_in_storm(jobs, cpu)
        if abs(predicted - seen) <= 1e-6 * max(1.0, seen):
            continue
        hint = "the first waits for nobody, the second for one, the third for two"
        if jobs == 1:
            hint = "one job alone waits for nobody"
        raise NotYet(
            f"{several(jobs, 'job')} of {cpu:g} s: your function says {predicted:g} s, "
            f"in the recording they waited {seen:g} s.",
            hint,
        )
    return f"your arithmetic agrees with {len(cases)} recordings."
