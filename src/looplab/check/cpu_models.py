"""The exercises of chapter 2, *Move CPU work off the loop*.

=============  ===================================================================
``02-predict``   a plain function ``worst(way, jobs, seconds)``
``02-parsons``   a list of line numbers
``02-fix``       an async function ``answer(requests, work, offload)``
``02-modify``    an async function ``total(numbers, square, pause)``
``02-make``      an async function ``spread_out(offload, work, items, workers)``
=============  ===================================================================

Each check says in its docstring what the answer must be.  The answers run on the
virtual clock.  There, another process is simulated: :class:`Office` has a
method that takes the time of the work and leaves the loop free meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from looplab.check import (
    NotYet,
    exercise,
    finished,
    need_async_function,
    need_awaitable,
    simulate,
)
from looplab.check.common import as_number, left_over, read_order
from looplab.clock import burn, elapsed
from looplab.heartbeat import Heartbeat

__all__ = ["PARSONS_LINES", "Office", "parsons_program"]


class Office:
    """Simulated workers in other processes, which notes what it is asked to do.

    Args:
        workers: how many jobs are worked on at once; the others wait in line.
        seconds: how long a job takes.
    """

    def __init__(self, workers: int, seconds: float) -> None:
        self.seconds = seconds
        self.waiting = 0
        self.most_waiting = 0
        self.done = 0
        self._free = asyncio.Semaphore(workers)
        self._inside = False

    def work(self, number: int) -> int:
        """The CPU work: the square of *number*; it holds whoever runs it."""
        if not self._inside:
            burn(self.seconds)
        if number < 0:
            raise ValueError(f"no square of {number} today")
        return number * number

    async def offload(self, work: Callable[..., Any], *args: Any) -> Any:
        """Run ``work(*args)`` in another process, and return its result."""
        if not callable(work):
            raise NotYet(
                f"offload() was given {work!r} as the function.",
                "hand over the function and its argument: offload(work, number)",
            )
        self.waiting += 1
        self.most_waiting = max(self.most_waiting, self.waiting)
        try:
            async with self._free:
                await asyncio.sleep(self.seconds)
                self.done += 1
                self._inside = True
                try:
                    return work(*args)
                finally:
                    self._inside = False
        finally:
            self.waiting -= 1


# 1. Predict the worst lateness

_WAYS = ("at once", "chain")
_SPREAD = 25  # phases of the heartbeat


async def _worst_of(way: str, jobs: int, seconds: float, phase: float) -> float:
    loop = asyncio.get_running_loop()
    over = loop.create_future()
    left = jobs

    def job() -> None:
        nonlocal left
        burn(seconds)
        left -= 1
        if not left:
            over.set_result(None)
        elif way == "chain":
            loop.call_soon(job)

    interval = 10 * seconds * jobs
    async with Heartbeat(interval) as heartbeat:
        # The beat falls due in the course of the first few jobs.
        await asyncio.sleep(interval - phase)
        if way == "chain":
            loop.call_soon(job)
        else:
            for _ in range(jobs):
                loop.call_soon(job)
        await over
        await asyncio.sleep(interval / 2)
    return heartbeat.worst


@exercise("02-predict")
def check_predict(answer: Any) -> str:
    """The answer is a plain function ``worst(way, jobs, seconds)``.

    It returns how late, in seconds, a beat can be at worst.  The check runs the jobs on
    the virtual clock at many phases of the heartbeat and compares with the worst.
    """
    if not callable(answer):
        raise NotYet(f"{answer!r} is not a function.", "define worst(way, jobs, ...)")
    for way in _WAYS:
        for jobs, seconds in ((20, 1.5), (8, 0.25), (2, 0.5), (1, 0.5)):
            said = as_number(answer(way, jobs, seconds))
            if said is None:
                raise NotYet(
                    f"worst({way!r}, {jobs}, {seconds}) returned no number.",
                    "return seconds, such as 1.5",
                )
            phases = [seconds * (step + 0.01) / _SPREAD for step in range(_SPREAD)]
            seen = max(simulate(_worst_of(way, jobs, seconds, at)) for at in phases)
            # The phases lie a little apart: the very worst may be between two.
            if not seen - 1e-6 <= said <= seen + seconds * 1.5 / _SPREAD:
                _explain_predict(way, jobs, seconds, said, seen)
    return "as late as all jobs together, and as three jobs of a chain."


def _explain_predict(
    way: str, jobs: int, seconds: float, said: float, seen: float
) -> None:
    if way == "at once":
        hint = (
            "all jobs are ready in one iteration: the loop sees no timer before the end"
        )
    elif jobs < 3:
        hint = "a chain cannot make a beat later than all of its jobs"
    else:
        hint = (
            "one job runs in each iteration, and a sleeping task is noticed, resolved "
            "and woken in three of them"
        )
    raise NotYet(
        f"{jobs} jobs of {seconds:g} s {way!r}: your function says {said:g} s, and "
        f"over {_SPREAD} phases a beat is up to {seen:.2f} s late.",
        hint,
    )


# 2. Put the lines in order

#: The shuffled lines.  An answer names them by position, from 1.  Two are not needed.
PARSONS_LINES: tuple[str, ...] = (
    "        return await asyncio.gather(*futures)",
    "    loop = asyncio.get_running_loop()",
    "            loop.run_in_executor(pool, product(n))",
    "async def products(numbers):",
    "        return [future.result() for future in futures]",
    "        futures = [",
    "            loop.run_in_executor(pool, product, n)",
    "    with ProcessPoolExecutor(2) as pool:",
    "            for n in numbers]",
)
_CALLED, _BLOCKING = 3, 5
_ORDER = [4, 2, 8, 6, 7, 9, 1]


def parsons_program(order: list[int]) -> str:
    """The lines of :data:`PARSONS_LINES` in the given order, as one program."""
    return "\n".join(PARSONS_LINES[number - 1] for number in order)


@exercise("02-parsons")
def check_parsons(answer: Any) -> str:
    """The answer is a list of positions in :data:`PARSONS_LINES`, from 1.

    Seven of the nine lines, in this order, make a function that computes products in
    two processes and leaves the loop free.
    """
    order = read_order(answer, len(PARSONS_LINES), "[4, 2, 8]")
    if order[0] != 4:
        raise NotYet(
            f"line {order[0]} cannot come first.", "begin with the line of the def"
        )
    if _CALLED in order:
        raise NotYet(
            f"line {_CALLED} computes the product here, on the loop, and then asks the "
            "pool to call a number.",
            "hand over the function and its argument, without calling it",
        )
    if _BLOCKING in order:
        raise NotYet(
            f"line {_BLOCKING} asks for results that are not there yet.",
            "the futures of a loop are awaited",
        )
    if len(order) < 7:
        raise NotYet(
            f"{7 - len(order)} lines are missing.", "seven of the nine are used"
        )
    try:
        compile(parsons_program(order), "<answer>", "exec")
    except SyntaxError as error:
        raise NotYet(
            f"the program has a syntax error in its line {error.lineno}.",
            "look at the indents, and at what stands between the brackets",
        ) from None
    if order != _ORDER:
        raise NotYet(
            "a name is used before it has a value, or the pool is closed too early.",
            "the loop, the pool, the futures, the results",
        )
    return "handed over, not called; awaited inside the with."


# 3. Fix the bug


async def _answered(answer: Any, count: int) -> tuple[float, float, Office, Any, int]:
    office = Office(workers=2, seconds=0.2)
    async with Heartbeat(0.05) as heartbeat:
        await asyncio.sleep(0.12)
        begun = elapsed()
        work = answer(list(range(count)), office.work, office.offload)
        need_awaitable(work, "answer")

        async def wait() -> Any:
            return await work

        results = await finished(wait())
        took = elapsed() - begun
        await asyncio.sleep(0.1)
        left = len(left_over())
    return heartbeat.worst, took, office, results, left


@exercise("02-fix")
def check_fix(answer: Any) -> str:
    """The answer is an async function ``answer(requests, work, offload)``.

    It returns the results of ``work(request)`` in the order of the requests.  ``await
    offload(work, request)`` runs one in another process, of which there are two.  The
    loop stays free, and both processes are used.
    """
    need_async_function(answer, "answer")
    for count in (6, 1, 0):
        late, took, office, results, left = simulate(_answered(answer, count))
        wanted = [number * number for number in range(count)]
        if late > 0.01:
            raise NotYet(
                f"with {count} requests the heartbeat is {late:.2f} s late.",
                "work() must not be called here: hand it to offload() without "
                "parentheses of its own",
            )
        if results != wanted:
            raise NotYet(
                f"for {count} requests it returned {results!r}, not {wanted!r}.",
                "return the list of results in the order of the requests",
            )
        if office.done != count:
            raise NotYet(
                f"{office.done} of {count} jobs went to the other processes.",
                "each request needs one",
            )
        if took > 0.2 * ((count + 1) // 2) + 0.05:
            raise NotYet(
                f"{count} requests took {took:.1f} s: one process is idle.",
                "start all of them before you wait for the first: asyncio.gather",
            )
        if left:
            raise NotYet("it leaves tasks behind.", "wait for all that you start")
    return "two processes work, and the heartbeat is on time."


# 4. Modify a computation

_NUMBERS = 1000
_SQUARE = 0.001
_ALLOWED_LATE = 0.05
_ALLOWED_PAUSES = 100


@exercise("02-modify")
def check_modify(answer: Any) -> str:
    """The answer is an async function ``total(numbers, square, pause)``.

    It adds ``square(number)`` of all numbers; each call takes a millisecond of CPU.
    ``await pause()`` lets the loop run one iteration.  With 1,000 numbers a beat is at
    most 50 ms late, and there are at most 100 pauses.
    """
    need_async_function(answer, "total")
    pauses = 0

    async def pause() -> None:
        nonlocal pauses
        pauses += 1
        await asyncio.sleep(0)

    def square(number: int) -> int:
        burn(_SQUARE)
        return number * number

    async def scenario(numbers: list[int], phase: float) -> tuple[float, Any]:
        async with Heartbeat(0.2) as heartbeat:
            await asyncio.sleep(0.2 + phase)
            work = answer(numbers, square, pause)
            need_awaitable(work, "total")

            async def wait() -> Any:
                return await work

            result = await finished(wait())
            await asyncio.sleep(0.2)
        return heartbeat.worst, result

    for numbers in ([], [3], list(range(_NUMBERS))):
        worst = 0.0
        for step in range(20):
            pauses = 0
            late, result = simulate(scenario(numbers, 0.00917 * step))
            worst = max(worst, late)
            if result != sum(number * number for number in numbers):
                raise NotYet(
                    f"for {len(numbers)} numbers it returned {result!r}.",
                    "the pauses must not change the sum",
                )
            if pauses > _ALLOWED_PAUSES:
                raise NotYet(
                    f"{pauses} pauses for {len(numbers)} numbers, not at most "
                    f"{_ALLOWED_PAUSES}.",
                    "a pause costs something too: make one for several numbers",
                )
        if worst > _ALLOWED_LATE + 1e-9:
            raise NotYet(
                f"a beat is up to {worst:.3f} s late, not at most {_ALLOWED_LATE} s.",
                "a sleeping task is woken in three iterations: how many calls may "
                "stand between two pauses?",
            )
    return "slices short enough for three of them, and few pauses."


# 5. Make a limit


async def _spread(
    answer: Any, count: int, workers: int, bad: int | None
) -> tuple[Any, BaseException | None, Office, float, int]:
    office = Office(workers=1000, seconds=0.1)
    items = [-1 if index == bad else index for index in range(count)]
    begun = elapsed()
    result: Any = None
    error: BaseException | None = None
    work: Awaitable[Any] = answer(office.offload, office.work, items, workers)
    need_awaitable(work, "spread_out")

    async def wait() -> Any:
        return await work

    try:
        result = await finished(wait())
    except ValueError as caught:
        error = caught
    except BaseExceptionGroup as caught:
        error = caught.exceptions[0]
    took = elapsed() - begun
    for _ in range(3):
        await asyncio.sleep(0)
    left = len(left_over())
    for task in left_over():
        task.cancel()
    return result, error, office, took, left


@exercise("02-make")
def check_make(answer: Any) -> str:
    """The answer is an async function ``spread_out(offload, work, items, workers)``.

    It runs ``await offload(work, item)`` for each item, at most *workers* at a time and
    that many as long as there are items, and returns the results in the order of the
    items.  If one raises, so does it, and no task of its own is left.
    """
    need_async_function(answer, "spread_out")
    for count, workers in ((10, 3), (10, 1), (2, 5), (0, 2), (40, 8)):
        result, error, office, took, left = simulate(
            _spread(answer, count, workers, None)
        )
        if error is not None:
            raise error
        if result != [number * number for number in range(count)]:
            raise NotYet(
                f"{count} items, {workers} workers: it returned {result!r}.",
                "one result for each item, in the order of the items",
            )
        if office.most_waiting > workers:
            raise NotYet(
                f"{office.most_waiting} jobs were handed over at once, not at most "
                f"{workers}.",
                "a semaphore held during the offload, or that many worker tasks",
            )
        if took > 0.1 * -(-count // workers) + 1e-6:
            raise NotYet(
                f"{count} items with {workers} workers took {took:.1f} s.",
                "as long as there are items, all workers have one",
            )
        if left:
            raise NotYet("it leaves tasks behind.", "wait for all that you start")
    _, error, office, _, left = simulate(_spread(answer, 12, 2, 3))
    if error is None:
        raise NotYet("one job raised and nobody heard of it.", "let the error through")
    if left:
        raise NotYet(
            f"one job raised, and {left} tasks went on.",
            "a TaskGroup cancels the others and waits for them",
        )
    return "never more than allowed, never fewer than possible, and nothing left."
