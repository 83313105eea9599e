"""The exercises of chapter 3, *Count what a task costs*.

==============  ==================================================================
``03-predict``    a function ``wall(parts, wait, cpu, at_once)``
``03-parsons``    a list of line numbers
``03-fix``        a function ``clients(latency, waiting, rate)``
``03-modify``     an async function ``handle(user, price, stock)``
``03-make``       an async function ``economical(parts)``
==============  ==================================================================

Each check says in its docstring what the answer must be.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, NamedTuple

from looplab.check import (
    NotYet,
    exercise,
    finished,
    need_async_function,
    need_awaitable,
    simulate,
)
from looplab.check.common import (
    as_number,
    compiled,
    executed,
    left_over,
    now,
    read_order,
)
from looplab.clock import burn, elapsed

__all__ = ["PARSONS_LINES", "parsons_program"]

Part = Callable[[], Coroutine[Any, Any, Any]]

_EPSILON = 1e-6


def _number(value: object, name: str) -> float:
    if value is None or value is ...:
        raise NotYet(
            f"{name}() returned no number.", "does it end with a return statement?"
        )
    said = as_number(value)
    if said is None:
        raise NotYet(
            f"{name}() returned {value!r}, which is not a number.",
            "an async function or a print() will not do: return the number",
        )
    return said


def _need_function(answer: object, name: str) -> None:
    if not callable(answer):
        raise NotYet(
            f"the answer is {answer!r}, not a function.",
            f"hand over {name} itself, without parentheses or arguments",
        )


# 1. Predict


async def _request(parts: int, wait: float, cpu: float, at_once: bool) -> float:
    async def part() -> None:
        await asyncio.sleep(wait)
        burn(cpu)

    if at_once:
        await asyncio.gather(*(part() for _ in range(parts)))
    else:
        for _ in range(parts):
            await part()
    return elapsed()


@exercise("03-predict")
def check_predict(answer: Any) -> str:
    """The answer is a plain function ``wall(parts, wait, cpu, at_once)``.

    It returns how many seconds a request of *parts* parts takes by the wall clock, if
    each part waits *wait* seconds and then computes for *cpu* seconds; *at_once* says
    whether they are gathered or awaited one after the other.  Tasks themselves cost
    nothing here.  The check runs sixteen requests on the virtual clock.
    """
    _need_function(answer, "wall")
    cases = [
        (2, 1.0, 0.0, False),
        (2, 1.0, 0.0, True),
        (10, 0.1, 0.01, True),
        (10, 0.1, 0.01, False),
        (5, 0.0, 0.02, True),
        (0, 1.0, 0.1, True),
    ]
    choose = random.Random(3)
    for number in range(10):
        wait = choose.choice([0.001, 0.0503, 2.0])
        cpu = choose.choice([0.0001, 0.0107, 0.3])
        cases.append((choose.randrange(1, 30), wait, cpu, number % 2 == 0))
    for parts, wait, cpu, at_once in cases:
        said = _number(answer(parts, wait, cpu, at_once), "wall")
        seen = simulate(_request(parts, wait, cpu, at_once))
        if abs(said - seen) <= _EPSILON:
            continue
        if at_once and abs(said - (wait + cpu)) <= _EPSILON:
            hint = "the parts wait together, but there is one thread to compute on"
        elif at_once and abs(said - parts * (wait + cpu)) <= _EPSILON:
            hint = "at once, all of them wait during the same seconds"
        elif not parts:
            hint = "with no parts nobody waits"
        else:
            hint = "add up the waiting and the computing separately"
        way = "at once" if at_once else "in sequence"
        raise NotYet(
            f"{parts} parts {way}, each waits {wait:g} s and computes {cpu:g} s: your "
            f"function says {said:.4f} s, the run {seen:.4f} s.",
            hint,
        )
    return f"your arithmetic agrees with {len(cases)} requests on the virtual clock."


# 2. Put the lines in order

#: The shuffled lines.  An answer names them by position, from 1.  Three are not needed.
PARSONS_LINES: tuple[str, ...] = (
    "    return (process_time() - start) / calls",
    "    for _ in range(calls):",
    "    start = perf_counter()",
    "        await work()",
    "async def cost(work, calls):",
    "    return process_time() - start",
    "    await work()",
    "        work()",
    "    start = process_time()",
)
_NOT_AWAITED = 8


def parsons_program(order: list[int]) -> str:
    """The lines of :data:`PARSONS_LINES` in the given order, as one program."""
    return "\n".join(PARSONS_LINES[number - 1] for number in order)


class _Clocks:
    """A processor clock and a wall clock that a work moves by stated amounts."""

    def __init__(self, cpu: float, wait: float, first: float) -> None:
        self.calls = 0
        self._cpu, self._wait, self._first = cpu, wait, first
        self._used, self._passed = 7.0, 1000.0

    async def work(self) -> None:
        cpu = self._cpu if self.calls else self._first
        self.calls += 1
        await asyncio.sleep(self._wait)
        self._used += cpu
        self._passed += cpu + self._wait

    def process_time(self) -> float:
        return self._used

    def perf_counter(self) -> float:
        return self._passed


@exercise("03-parsons")
def check_parsons(answer: Any) -> str:
    """The answer is a list of line numbers (from 1) of :data:`PARSONS_LINES`.

    In that order the lines must make ``cost(work, calls)``, which returns the CPU
    seconds of one call of *work*, over so many calls, after one call that does not
    count.  Six lines are needed, three are not.  :func:`parsons_program` shows an order
    as a program.  The check runs it with clocks of its own.
    """
    order = read_order(answer, len(PARSONS_LINES), "[5, 7, 9]")
    clocks = _Clocks(0.002, 0.5, 0.3)
    namespace: dict[str, Any] = {
        "process_time": clocks.process_time,
        "perf_counter": clocks.perf_counter,
    }
    code = compiled(parsons_program(order), order, PARSONS_LINES)
    begin = "begin with line 5"
    cost = executed(code, namespace, "cost", begin)
    if cost is None:
        raise NotYet("the program defines no cost().", begin)
    if _NOT_AWAITED in order:
        raise NotYet(
            "line 8 calls work() without await: that makes a coroutine and runs none "
            "of it.",
            "another line does the same with await",
        )
    calls = 20

    async def main() -> object:
        measured = cost(clocks.work, calls)
        need_awaitable(measured, "cost")
        return await finished(measured)

    try:
        said = _number(simulate(main()), "cost")
    except UnboundLocalError:
        raise NotYet(
            "start is read before it is set.", "note the time before the loop"
        ) from None
    right = 0.002
    if abs(said - right) <= 1e-9 and clocks.calls == calls + 1:
        return "each call costs 2 ms, and neither the wait nor the first call counts."
    if clocks.calls <= 1 or clocks.calls < calls:
        hint = "the loop must await work() again and again, before the return"
    elif abs(said) > 1:
        hint = "the two ends of a measurement must be read from the same clock"
    elif abs(said - right * calls) <= 1e-6:
        hint = "that is the cost of all calls together"
    elif said > right * 2:
        hint = "the first call fills caches and costs more: let it run before the clock"
    else:
        hint = "start the clock, call, and read the clock again"
    raise NotYet(
        f"a call costs {right:g} s, and the program says {said:g} s after "
        f"{clocks.calls} calls.",
        hint,
    )


# 3. Fix the bug


@exercise("03-fix")
def check_fix(answer: Any) -> str:
    """The answer is a plain function ``clients(latency, waiting, rate)``.

    It returns how many clients one core can serve at most, if a request takes *latency*
    seconds, of which the process waits for *waiting* seconds, and each client sends
    *rate* requests a second.  The version to mend takes all of the latency for CPU
    time.
    """
    _need_function(answer, "clients")
    cases = [
        (0.001, 0.0, 1.0),
        (1.0, 0.0, 1.0),
        (0.101, 0.1, 1.0),
        (0.101, 0.1, 0.1),
        (0.25, 0.2, 4.0),
        (2.0, 1.9999, 3.0),
    ]
    for latency, waiting, rate in cases:
        said = _number(answer(latency, waiting, rate), "clients")
        right = 1 / ((latency - waiting) * rate)
        if abs(said - right) <= 1e-6 * right:
            continue
        if abs(said * latency * rate - 1) <= 1e-6:
            hint = "while a request waits, the core is free for others"
        elif abs(said * (latency - waiting) - 1) <= 1e-6:
            hint = "a client that sends twice as often costs twice as much"
        elif abs(said - right * rate * rate) <= 1e-6 * said:
            hint = "more requests for each client mean fewer clients"
        else:
            hint = "CPU time is what is left of the latency without the waiting"
        raise NotYet(
            f"latency {latency:g} s with {waiting:g} s of waiting, {rate:g} requests a "
            f"second: your function says {said:g} clients, a core has time for "
            f"{right:g}.",
            hint,
        )
    return "waiting costs latency and no clients."


# 4. and 5. Parts of a request


class _Seen(NamedTuple):
    result: object
    took: float
    tasks: int
    left: int
    error: BaseException | None


async def _watch(work: Callable[[], Any], name: str) -> _Seen:
    """Await what *work* returns; count the tasks that it creates."""
    loop = asyncio.get_running_loop()
    here = asyncio.current_task()
    made = 0

    def factory(
        loop: asyncio.AbstractEventLoop, coro: Any, **options: Any
    ) -> asyncio.Task[Any]:
        nonlocal made
        made += 1
        return asyncio.Task(coro, loop=loop, **options)

    start = now()
    result: object = None
    error: BaseException | None = None
    handed = work()
    need_awaitable(handed, name)

    async def wait() -> object:
        loop.set_task_factory(factory)
        try:
            return await handed
        finally:
            loop.set_task_factory(None)

    runner = asyncio.ensure_future(finished(wait()))
    try:
        result = await runner
    except ZeroDivisionError as caught:
        error = caught
    took = now() - start
    await asyncio.sleep(0)
    left = {task for task in left_over() if task is not here}
    for task in left:
        task.cancel()
    await asyncio.sleep(0)
    return _Seen(result, took, made, len(left), error)


def _part(value: object, wait: float) -> Part:
    async def part() -> object:
        if wait:
            await asyncio.sleep(wait)
        return value

    return part


def _fails(wait: float) -> Part:
    async def part() -> object:
        if wait:
            await asyncio.sleep(wait)
        raise ZeroDivisionError

    return part


def _tasks(count: int) -> str:
    return "1 task" if count == 1 else f"{count} tasks"


def _judge(seen: _Seen, right: list[object], took: float, most: int, name: str) -> None:
    """Results first, then latency, then tasks."""
    try:
        found = list(seen.result)  # type: ignore[call-overload]
    except TypeError:
        raise NotYet(
            f"{name}() returned {seen.result!r}.", "return all results, in their order"
        ) from None
    if found != right:
        raise NotYet(
            f"{name}() returned {found}, and the parts returned {right}.",
            "the results come in the order of the parts, whoever is done first",
        )
    if seen.took > took + _EPSILON:
        raise NotYet(
            f"the answer came after {seen.took:.3f} s, and the longest wait is "
            f"{took:.3f} s.",
            "what waits must wait at the same time",
        )
    if seen.tasks > most:
        raise NotYet(
            f"it made {_tasks(seen.tasks)}, and {most} would do.",
            "await without a task what need not wait beside others; gather() makes a "
            "task of each",
        )
    if seen.left:
        raise NotYet(
            f"still running at the end: {_tasks(seen.left)}.", "await all of them"
        )


@exercise("03-modify")
def check_modify(answer: Any) -> str:
    """The answer is an async function ``handle(user, price, stock)``.

    The three are async functions without parameters.  ``user`` answers from memory,
    ``price`` and ``stock`` wait.  ``handle`` returns their three results in this order.
    Required on the virtual clock, whichever of the two waits longer: it takes as long
    as the longer wait, creates at most one task, and leaves none behind.
    """
    need_async_function(answer, "handle")
    for price, stock in ((0.020, 0.030), (0.030, 0.020)):
        parts = _part("Ada", 0), _part(12.5, price), _part(3, stock)
        seen = simulate(_watch(partial(answer, *parts), "handle"))
        _judge(seen, ["Ada", 12.5, 3], max(price, stock), 1, "handle")
    return "the latency of gather, and one task instead of three."


@exercise("03-make")
def check_make(answer: Any) -> str:
    """The answer is an async function ``economical(parts)``.

    *parts* is a list of pairs ``(part, waits)``: an async function without parameters,
    and whether it waits for something.  ``economical`` calls each once and returns the
    list of their results, in order.  It takes as long as the longest wait and creates
    no more tasks than there are parts that wait.  If a part raises, the error (alone or
    in a group) comes out and no task is left behind.
    """
    need_async_function(answer, "economical")
    waits = [
        [],
        [0.0],
        [0.5],
        [0.0] * 20,
        [0.0, 0.3, 0.0, 0.2, 0.0],
        [0.3, 0.2, 0.1],
        [0.1, 0.0, 0.2],
    ]
    for some in waits:
        right: list[object] = [f"result {number}" for number in range(len(some))]
        parts = [
            (_part(value, wait), wait > 0)
            for value, wait in zip(right, some, strict=True)
        ]
        seen = simulate(_watch(partial(answer, parts), "economical"))
        most = sum(wait > 0 for wait in some)
        _judge(seen, right, max(some, default=0.0), most, "economical")
    for bad, wait in ((_fails(0), 0.0), (_fails(0.1), 0.1)):
        parts = [
            (_part(1, 0.5), True),
            (bad, wait > 0),
            (_part(2, 0.0), False),
            (_part(3, 0.9), True),
        ]
        _check_error(answer, parts)
    return "as quick as gather, with a task only where there is something to wait for."


def _check_error(answer: Any, parts: list[tuple[Part, bool]]) -> None:
    async def unwrapped() -> object:
        try:
            return await answer(parts)
        except BaseExceptionGroup as group:
            matched, rest = group.split(ZeroDivisionError)
            if matched is None or rest is not None:
                raise
            raise ZeroDivisionError from group

    seen = simulate(_watch(unwrapped, "economical"))
    if seen.error is None:
        raise NotYet(
            "one of the parts raised, and economical() did not.",
            "let the error come out",
        )
    if seen.left:
        raise NotYet(
            f"one part raised; still running afterwards: {_tasks(seen.left)}.",
            "asyncio.TaskGroup cancels the others and waits for them",
        )
