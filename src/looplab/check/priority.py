"""The exercises of chapter 7, *Put the lease first*.

=============  ===================================================================
``07-predict``   a function ``longest_round(lease, refresh_every, computations)``
``07-parsons``   a list of line numbers
``07-fix``       an async function ``serve(receive, keep_lease, process)``
``07-modify``    a whole number, ``limit``
``07-make``      a class ``Levels`` with an async method ``turn(priority)``
=============  ===================================================================

Each check says in its docstring what the answer must be.
"""

from __future__ import annotations

import asyncio
import inspect
import math
from collections.abc import Callable, Coroutine
from typing import Any

from looplab.check import (
    MAX_STEPS,
    NotYet,
    exercise,
    finished,
    need_async_function,
    need_awaitable,
    simulate,
)
from looplab.check.common import (
    abandoned,
    as_number,
    compiled,
    executed,
    now,
    read_order,
)
from looplab.clock import LivelockError, StepLimitError, burn, run
from looplab.leases import LeaseSettings, consume, consume_many
from looplab.priority import (
    PriorityGate,
    PriorityProtocol,
    VirtualPriorityLoop,
    current_priority,
)

__all__ = ["PARSONS_LINES", "STRETCH_BOUND", "parsons_program"]

Turn = Callable[[int], Coroutine[Any, Any, None]]
_BESIDE = 4  # workers that always want to compute


async def _urgent_wait(turn: Turn, cpu: float) -> float:
    """Seconds that an urgent task waits that falls due as a computation begins."""
    over = False
    waited = 0.0

    async def worker() -> None:
        while True:
            await turn(2)
            if over:
                return
            burn(cpu)
            await asyncio.sleep(cpu / 1000)

    async def urgent() -> None:
        nonlocal over, waited
        due = 2.01 * cpu  # the third computation has just begun
        await asyncio.sleep(due)
        await turn(3)
        waited, over = now() - due, True

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(urgent())
        for _ in range(_BESIDE):
            tasks.create_task(worker())
    return waited


# 1. Predict

_BY_COMPUTATIONS: dict[int, tuple[str, Callable[[], Any]]] = {
    1: ("the gate", PriorityGate),
    2: ("the protocol, settling once", lambda: PriorityProtocol(settle=1)),
    3: ("the protocol as it stands", PriorityProtocol),
}


@exercise("07-predict")
def check_predict(answer: Any) -> str:
    """The answer: a function ``longest_round(lease, refresh_every, computations)``.

    It returns the longest time that a round may compute, if a lease lasts for *lease*
    seconds, is renewed *refresh_every* seconds after its last renewal, and waits for up
    to so many *computations* of others.  The check runs an urgent task beside workers
    on the virtual clock, for one, two and three computations: with rounds of 0.97 times
    the answer it must be in time, and with 1.03 times it must be late.
    """
    if not callable(answer):
        raise NotYet(
            f"the answer is {answer!r}, not a function.",
            "hand over longest_round itself, without parentheses or arguments",
        )
    cases = [
        (lease, refresh_every, computations)
        for lease, refresh_every in ((5, 2), (30, 10), (2, 0.8), (60, 45))
        for computations in _BY_COMPUTATIONS
    ]
    for lease, refresh_every, computations in cases:
        said = answer(lease, refresh_every, computations)
        if said is None or said is ...:
            raise NotYet(
                "longest_round() returned no number.",
                "does it end with a return statement?",
            )
        cpu = as_number(said)
        if cpu is None or not 0 < cpu < 1e6:
            raise NotYet(
                f"longest_round() returned {said!r}, which is not a time.",
                "return a number of seconds above 0",
            )
        name, make = _BY_COMPUTATIONS[computations]
        slack = lease - refresh_every
        short = simulate(_urgent_wait(make().turn, 0.97 * cpu))
        long = simulate(_urgent_wait(make().turn, 1.03 * cpu))
        where = f"a lease of {lease:g} s renewed every {refresh_every:g} s, {name}"
        if short > slack:
            if abs(cpu * computations - lease) < 1e-6:
                hint = "the check is due some time after the last renewal"
            elif computations > 1 and abs(cpu - slack) < 1e-6:
                hint = "the lease waits for more than one computation"
            else:
                hint = "how late may the check be? How many computations fit in?"
            raise NotYet(
                f"{where}: with rounds a little shorter than your {cpu:g} s a check "
                f"is {short:.2f} s late, and {slack:g} s is all that it may be.",
                hint,
            )
        if long <= slack:
            raise NotYet(
                f"{where}: rounds a little longer than your {cpu:g} s are fine too; "
                f"the check is {long:.2f} s late and may be {slack:g} s.",
                "how late may the check be? How many computations fit in?",
            )
    return f"your arithmetic agrees with {2 * len(cases)} runs on the virtual clock."


# 2. Put the lines in order

#: The shuffled lines.  An answer names them by position, from 1.  Three are not needed.
PARSONS_LINES: tuple[str, ...] = (
    "            await asyncio.sleep(0)",
    "        while kept < 2:",
    "            if self.bid <= priority:",
    "        self.bid, self.cookie = 0, None",
    "    async def turn(self, priority):",
    "            kept = kept + 1 if self.cookie is mine else 0",
    "        while self.cookie is not mine:",
    "            if self.bid < priority:",
    "            kept += 1",
    "        mine, kept = object(), 0",
    "                self.bid, self.cookie = priority, mine",
)
_HEAD = "class Settling:\n    bid, cookie = 0, None\n\n"


def parsons_program(order: list[int]) -> str:
    """The lines of :data:`PARSONS_LINES` in the given order, as a class."""
    return _HEAD + "\n".join(PARSONS_LINES[number - 1] for number in order)


@exercise("07-parsons")
def check_parsons(answer: Any) -> str:
    """The answer is a list of line numbers (from 1) of :data:`PARSONS_LINES`.

    In that order the lines must make the method ``turn(self, priority)`` of the
    protocol that settles once: the winner keeps the highest bid for two iterations in a
    row before it goes on.  Eight lines are needed, three are not.
    :func:`parsons_program` shows an order as a program.
    """
    order = read_order(answer, len(PARSONS_LINES), "[5, 10, 2]")
    namespace: dict[str, Any] = {"asyncio": asyncio}
    above = _HEAD.count("\n")
    code = compiled(parsons_program(order), order, PARSONS_LINES, above)
    begin = "begin with 'async def turn(self, priority):'"
    make = executed(code, namespace, "Settling", begin)
    if not inspect.iscoroutinefunction(getattr(make, "turn", None)):
        raise NotYet("the class has no turn().", begin)
    if 3 in order:
        _judge_equals(make)
    try:
        waited = simulate(_urgent_wait(make().turn, 1.0))
    except (LivelockError, StepLimitError):
        raise NotYet(
            "nobody ever has a turn: the tasks yield for ever.",
            "an equal bid must not take the place of one that is there, and a bid "
            "that has won must be taken off",
        ) from None
    if waited > 2:
        raise NotYet(
            f"an urgent task waited for {waited:.2f} s beside computations of 1 s.",
            "the winner must see its own cookie twice in a row, two iterations apart",
        )
    _judge_one_at_a_time(make)
    lost = consume(LeaseSettings(cpu=1.75, messages=12), make()).lost
    if lost:
        raise NotYet(f"{lost} of 12 messages were lost.", "is the bid taken off?")
    return (
        f"an urgent task waits for {waited:.2f} s at most beside computations of 1 s, "
        "and no message is lost."
    )


def _judge_equals(make: Callable[[], Any]) -> None:
    async def two() -> None:
        turns = make()
        async with asyncio.TaskGroup() as tasks:
            for _ in range(2):
                tasks.create_task(turns.turn(2))

    try:
        simulate(two())
    except (LivelockError, StepLimitError):
        raise NotYet(
            "two tasks of equal priority take the bid from each other for ever.",
            "only a lower bid may be replaced",
        ) from None


def _judge_one_at_a_time(make: Callable[[], Any]) -> None:
    """Of several who ask at once, the highest goes first and none beside another."""
    order: list[int] = []

    async def ask(turns: Any, level: int) -> None:
        await turns.turn(level)
        order.append(level)

    async def all_at_once() -> None:
        turns = make()
        async with asyncio.TaskGroup() as tasks:
            for level in (1, 2, 3, 2, 1):
                tasks.create_task(ask(turns, level))

    simulate(all_at_once())
    if order != [3, 2, 2, 1, 1]:
        raise NotYet(
            f"five tasks of the priorities 1, 2, 3, 2, 1 had their turns in the order "
            f"{', '.join(map(str, order))}.",
            "a winner counts only iterations in which its cookie is still there",
        )


# 3. Fix the bug


class _Bus:
    """Messages, and what the answer's tasks did with them."""

    def __init__(self, count: int, cpu: float) -> None:
        self.left, self.cpu = list(range(count)), cpu
        self.held = self.most_held = 0
        self.kept: list[int] = []
        self.done: list[int] = []
        self.lost: list[int] = []
        self.late = 0.0
        self.levels: dict[str, set[int]] = {}
        self._finished: set[int] = set()

    def _note(self, who: str) -> None:
        self.levels.setdefault(who, set()).add(current_priority())

    async def receive(self) -> int | None:
        await asyncio.sleep(0.25)
        if not self.left:
            return None
        self.held += 1
        self.most_held = max(self.most_held, self.held)
        return self.left.pop(0)

    async def keep_lease(self, message: int) -> None:
        self._note("keep_lease")
        self.kept.append(message)
        renewed = now()
        while message not in self._finished:
            due = now() + 2
            await asyncio.sleep(2)
            self.late = max(self.late, now() - due)
            if now() - renewed > 5:
                self.lost.append(message)
                return
            await asyncio.sleep(0.25)
            renewed = now()

    async def process(self, message: int) -> None:
        self._note("process")
        for _ in range(5):
            burn(self.cpu)
            await asyncio.sleep(1)
            if message in self.lost:
                break
        else:
            self.done.append(message)
        self._finished.add(message)
        self.held -= 1


@exercise("07-fix")
def check_fix(answer: Any) -> str:
    """The answer is an async function ``serve(receive, keep_lease, process)``.

    It receives messages until ``receive()`` returns ``None``, and starts
    ``keep_lease(message)`` and ``process(message)`` as tasks for each.  On a priority
    loop no lease may be lost.

    Required, on a virtual priority loop, with and without jitter: every message kept
    and processed once, none lost with rounds of 1 s and of 1.75 s, no check later than
    one round, at most 6 messages held at once, no task left behind, and an error of a
    task comes out.
    """
    need_async_function(answer, "serve")
    worst, held = 0.0, 0
    for cpu in (1.0, 1.75):
        for jitter in (0.0, 0.01):
            bus = _Bus(30, cpu)
            left = _simulate_by_priority(
                _serve(answer, bus.receive, bus.keep_lease, bus.process), jitter
            )
            _judge_served(bus, left)
            worst, held = max(worst, bus.late), max(held, bus.most_held)
    _judge_served_failure(answer)
    return (
        f"no message was lost, a check was at most {worst:.2f} s late, and at most "
        f"{held} messages were held at once."
    )


def _judge_served(bus: _Bus, left: int) -> None:
    cpu = bus.cpu
    if bus.left or sorted(bus.kept) != list(range(30)):
        raise NotYet(
            f"{len(set(bus.kept))} of 30 messages had a task that keeps their lease.",
            "receive until receive() returns None, and start both tasks for each",
        )
    if bus.lost:
        order = {name: sorted(levels) for name, levels in bus.levels.items()}
        if order.get("keep_lease") == order.get("process"):
            hint = (
                "leases and work have one priority: a task takes that of the code "
                "that makes it"
            )
        else:
            hint = "leases need a higher priority than the work"
        raise NotYet(
            f"{len(bus.lost)} of 30 messages were lost, with rounds of {cpu:g} s.",
            hint,
        )
    if sorted(bus.done) != list(range(30)) or left:
        raise NotYet(
            f"{len(bus.done)} of 30 messages were processed when serve() returned, and "
            f"{left} tasks were left behind.",
            "let a TaskGroup own the tasks, and start each once",
        )
    if bus.late > cpu + 0.02:
        raise NotYet(
            f"a check was {bus.late:.2f} s late, with rounds of {cpu:g} s.",
            "leases need a higher priority than anything else",
        )
    if bus.most_held > 6:
        raise NotYet(
            f"no message was lost, but {bus.most_held} were held at once.",
            "serve() itself receives: it must not be as urgent as the work",
        )


async def _serve(answer: Any, *functions: Any) -> int:
    """Run *answer* to its end; how many tasks it left behind."""
    work = answer(*functions)
    need_awaitable(work, "serve")

    async def wait() -> None:
        await work

    await finished(wait())
    return await abandoned()


def _simulate_by_priority(main: Coroutine[Any, Any, int], jitter: float = 0.0) -> int:
    return simulate(main, jitter=jitter, seed=7, loop_factory=VirtualPriorityLoop)


def _judge_served_failure(answer: Any) -> None:
    bus = _Bus(5, 0.1)

    async def process(message: int) -> None:
        if message == 2:
            raise OSError("the disk is full")
        await bus.process(message)

    try:
        _simulate_by_priority(_serve(answer, bus.receive, bus.keep_lease, process))
    except (OSError, BaseExceptionGroup) as error:
        cause: BaseException = error
        while isinstance(cause, BaseExceptionGroup):
            cause = cause.exceptions[0]
        if not isinstance(cause, OSError):
            raise
        return
    raise NotYet(
        "process() raised OSError, and serve() returned as if nothing had been.",
        "let a TaskGroup own the tasks",
    )


# 4. Modify

#: ``07-modify``: how many times the floor the makespan may be.
STRETCH_BOUND = 1.1
_MODIFY = LeaseSettings(cpu=0.4, messages=40)


@exercise("07-modify")
def check_modify(answer: Any) -> str:
    """The answer is a whole number, ``limit``: how many messages are held at once.

    The consumer of the chapter with 0.4 s of CPU in a round, 40 messages and the stock
    order must lose none, exact and over jitter, and take at most
    :data:`STRETCH_BOUND` times the floor.
    """
    if isinstance(answer, bool) or not isinstance(answer, int):
        raise NotYet(f"limit is {answer!r}.", "it must be a whole number")
    if answer < 1:
        raise NotYet(f"limit={answer} lets nothing in.", "it must be at least 1")
    settings = LeaseSettings(cpu=_MODIFY.cpu, messages=_MODIFY.messages, limit=answer)
    runs = [consume(settings), *consume_many(settings, runs=4, callback_cost=5e-6)]
    lost = max(one.lost for one in runs)
    if lost:
        raise NotYet(
            f"limit={answer} loses up to {lost} of {settings.messages} messages.",
            "a lease waits for up to one computation for each message that is held",
        )
    stretch = max(one.stretch for one in runs)
    if stretch > STRETCH_BOUND:
        raise NotYet(
            f"limit={answer} loses nothing, but takes {stretch:.2f} times the floor, "
            f"more than {STRETCH_BOUND:g}.",
            "while a message waits for 1 s, others should fill the thread",
        )
    return (
        f"limit={answer} loses nothing, with and without jitter, and takes at most "
        f"{stretch:.3f} times the floor."
    )


# 5. Make

_MOST_CALLBACKS = 12  # a turn, for one who is parked: pump, future, wake-up, settling


@exercise("07-make")
def check_make(answer: Any) -> str:
    """The answer is a class ``Levels``, called without arguments.

    ``await levels.turn(priority)``, with 1, 2 or 3, waits until it is this task's turn:
    the highest priority first, first in first out among equals.  Whoever became due
    while a task computed is in time for the next turn.

    Required, on the virtual clock: the order; an urgent task waits for at most one
    computation; no polling (at most 12 callbacks a turn, with 60 who wait, and none
    once nobody waits); a task that is cancelled while it waits costs nobody a turn; the
    consumer loses nothing with rounds of 1.75 s.
    """
    if inspect.isfunction(answer) or not callable(answer):
        raise NotYet(
            f"the answer is {answer!r:.60}, not a class.",
            "hand over Levels itself, without parentheses",
        )
    if not callable(getattr(answer, "turn", None)):
        raise NotYet("Levels has no turn().", "async def turn(self, priority): …")
    _judge_order(answer)
    _judge_polling(answer)
    waited = simulate(_urgent_wait(answer().turn, 1.0))
    if waited > 1:
        raise NotYet(
            f"an urgent task waited for {waited:.2f} s beside computations of 1 s.",
            "between two turns let some iterations pass, so that a task whose timer "
            "fell due can ask",
        )
    _judge_cancelled(answer)
    for jitter in (0.0, 0.001):
        lost = consume(
            LeaseSettings(cpu=1.75, messages=15), answer(), jitter=jitter, seed=7
        ).lost
        if lost:
            raise NotYet(f"{lost} of 15 messages were lost.", "see the gate's settling")
    return (
        f"in order, without polling, and an urgent task waits for {waited:.2f} s "
        "beside computations of 1 s."
    )


def _judge_order(make: Callable[[], Any]) -> None:
    order: list[tuple[int, int]] = []
    wanted = [(3, 2), (3, 6), (2, 1), (2, 3), (2, 7), (1, 0), (1, 4), (1, 5)]

    async def ask(levels: Any, level: int, number: int) -> None:
        work = levels.turn(level)
        need_awaitable(work, "turn")
        await work
        order.append((level, number))

    async def main() -> None:
        levels = make()
        async with asyncio.TaskGroup() as tasks:
            for number, level in enumerate((1, 2, 3, 2, 1, 1, 3, 2)):
                tasks.create_task(ask(levels, level, number))

    simulate(main())
    if order != wanted:
        said = ", ".join(f"{number} ({level})" for level, number in order)
        if sorted(order) == sorted(wanted) and [one for one, _ in order] == [
            one for one, _ in wanted
        ]:
            hint = "among equals the first to come is the first to go"
        else:
            hint = "serve the highest priority that anybody waits with"
        raise NotYet(
            f"eight tasks asked at once, and went in the order {said} (number and "
            "priority).",
            hint,
        )


def _judge_polling(make: Callable[[], Any]) -> None:
    cost, count = 1e-6, 60

    async def main() -> tuple[float, float]:
        levels = make()
        began = now()
        async with asyncio.TaskGroup() as tasks:
            for _ in range(count):
                tasks.create_task(levels.turn(2))
        busy = now() - began
        # Everybody has had a turn.  A second in which nothing should happen.
        began = now()
        await asyncio.sleep(1)
        idle = now() - began - 1
        return busy / cost / count, idle / cost

    try:
        a_turn, idle = run(main(), callback_cost=cost, max_steps=MAX_STEPS)
    except StepLimitError:
        a_turn, idle = 0.0, math.inf
    if idle > 40:
        raise NotYet(
            "nobody waits, and it still keeps the loop busy.",
            "start something only while somebody waits, or let it wait for an event",
        )
    if a_turn > _MOST_CALLBACKS:
        raise NotYet(
            f"with {count} tasks that wait a turn takes {a_turn:.0f} callbacks.",
            "park each task on a future of its own, and resolve one at a time",
        )


def _judge_cancelled(make: Callable[[], Any]) -> None:
    served: list[int] = []

    async def ask(levels: Any, number: int) -> None:
        await levels.turn(2)
        served.append(number)

    async def main() -> None:
        levels = make()
        tasks = [asyncio.create_task(ask(levels, number)) for number in range(6)]
        await asyncio.sleep(0)
        for number in (0, 2, 5):
            tasks[number].cancel()
        await finished(_all_of(tasks))
        # And it is still of use afterwards.
        await finished(ask(levels, 6))

    simulate(main())
    if served != [1, 3, 4, 6]:
        raise NotYet(
            "of six tasks that waited three were cancelled; the tasks "
            f"{', '.join(map(str, served)) or 'none'} had a turn, and not 1, 3, 4 and "
            "then 6.",
            "a future whose task was cancelled is done already: pass it over",
        )


async def _all_of(tasks: list[asyncio.Task[None]]) -> None:
    await asyncio.gather(*tasks, return_exceptions=True)
