"""Random programs with random CPU work, and a reference that runs them.

``StockLoop`` is asyncio's own ``_run_once()`` under a selector that moves a clock
instead of waiting.
"""

from __future__ import annotations

import asyncio
import contextlib
import heapq
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from looplab.clock import DeadlockError, VirtualTimeLoop, burn

Op = tuple[Any, ...]
Program = tuple[Op, ...]
Trace = list[tuple[int, str]]


# The reference


class StuckError(Exception):
    """The reference has nothing ready and no timer."""


def whole_ns(seconds: float) -> int:
    return round(Fraction(seconds) * 1_000_000_000)


def numbered(base: Any) -> Any:
    """A future or task class that keeps rule 7: it hashes by a number of its loop's."""

    class Numbered(base):  # type: ignore[misc]
        number = 0

        def __hash__(self) -> int:
            if not self.number:
                self._loop.dealt += 1
                self.number = self._loop.dealt
            return self.number

    return Numbered


NumberedFuture = numbered(asyncio.Future)
NumberedTask = numbered(asyncio.Task)


class OrderedTimer(asyncio.TimerHandle):
    """Rule 5, which the stock loop leaves to its heap."""

    order = 0

    def __lt__(self, other: Any) -> bool:
        return (self._when, self.order) < (other._when, other.order)  # type: ignore[attr-defined]


class StockLoop(asyncio.BaseEventLoop):
    """The stock loop's own ``_run_once()``, and a selector that moves the clock."""

    def __init__(self) -> None:
        super().__init__()
        self._selector = self
        self.now = 0.0
        self.timers_set = 0
        self.dealt = 0

    def time(self) -> float:
        return self.now

    def time_ns(self) -> int:
        return whole_ns(self.now)

    def create_future(self) -> Any:
        return NumberedFuture(loop=self)

    def create_task(self, coro: Any, **options: Any) -> Any:
        return NumberedTask(coro, loop=self, **options)

    def charge(self, seconds: float) -> None:
        self.now += seconds

    def select(self, timeout: float | None) -> list[asyncio.Handle]:
        if timeout is None:
            raise StuckError
        self.now += timeout
        return []

    def call_at(
        self, when: float, callback: Any, *args: Any, context: Any = None
    ) -> Any:
        timer = OrderedTimer(when, callback, args, self, context)
        self.timers_set += 1
        timer.order = self.timers_set
        timer._scheduled = True  # type: ignore[attr-defined]
        heapq.heappush(self._scheduled, timer)  # type: ignore[attr-defined]
        return timer

    def _process_events(self, event_list: list[asyncio.Handle]) -> None:
        pass

    def _write_to_self(self) -> None:
        pass


# The programs


class TaskError(Exception):
    pass


class World:
    """What the tasks of one program share, and the trace that they leave."""

    def __init__(self, loop: Any, unit: float) -> None:
        self.loop = loop
        self.unit = unit  # seconds
        self.trace: Trace = []
        self.silent = False
        self.tasks: list[asyncio.Task[None]] = []
        self.timers: list[asyncio.TimerHandle] = []
        self.queue: asyncio.Queue[str] = asyncio.Queue(1)
        self.lock = asyncio.Lock()
        self.event = asyncio.Event()

    def say(self, what: str) -> None:
        if not self.silent:
            self.trace.append((self.loop.time_ns(), what))

    def burn(self, seconds: float) -> None:
        if isinstance(self.loop, VirtualTimeLoop):
            burn(seconds)
        else:
            self.loop.charge(seconds)

    async def play(self, name: str, program: Program) -> None:
        self.say(f"{name} begins")
        try:
            for index, (kind, *values) in enumerate(program):
                place = f"{name}.{index}"
                await getattr(self, f"do_{kind}")(place, *values)
                self.say(f"{place} {kind}")
        except BaseException as exc:
            self.say(f"{name} {type(exc).__name__}")
            raise
        self.say(f"{name} ends")

    async def do_sleep(self, place: str, units: int) -> None:
        await asyncio.sleep(units * self.unit)

    async def do_burn(self, place: str, units: int) -> None:
        self.burn(units * self.unit)

    async def do_fail(self, place: str) -> None:
        raise TaskError

    async def do_spawn(self, place: str, program: Program) -> None:
        self.tasks.append(self.loop.create_task(self.play(place, program)))

    async def do_cancel(self, place: str, which: int) -> None:
        # The main task is the first; cancelling that ends the program.
        self.tasks[which % len(self.tasks) if which % 2 else -1].cancel()

    async def do_put(self, place: str) -> None:
        await self.queue.put(place)

    async def do_get(self, place: str) -> None:
        self.say(f"{place} got {await self.queue.get()}")

    async def do_lock(self, place: str, program: Program) -> None:
        async with self.lock:
            await self.play(place, program)

    async def do_set(self, place: str) -> None:
        self.event.set()

    async def do_clear(self, place: str) -> None:
        self.event.clear()

    async def do_wait(self, place: str) -> None:
        await self.event.wait()

    async def do_timeout(self, place: str, units: int, program: Program) -> None:
        try:
            async with asyncio.timeout(units * self.unit):
                await self.play(place, program)
        except TimeoutError:
            self.say(f"{place} timed out")

    async def do_wait_for(self, place: str, units: int, program: Program) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.play(place, program), units * self.unit)

    async def do_group(self, place: str, programs: list[Program]) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for index, program in enumerate(programs):
                    self.tasks.append(
                        group.create_task(self.play(f"{place}.{index}", program))
                    )
        except* TaskError as failures:
            self.say(f"{place} {len(failures.exceptions)} failed")

    async def do_first(self, place: str, programs: list[Program]) -> None:
        tasks = [
            self.loop.create_task(self.play(f"{place}.{index}", program))
            for index, program in enumerate(programs)
        ]
        self.tasks += tasks
        done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        self.say(f"{place} {[tasks.index(task) for task in done]} done")
        for task in pending:
            self.say(f"{place} gives up {tasks.index(task)}")
            task.cancel()

    def work(self, what: str, units: int) -> None:
        """A callback of no task, which computes."""
        self.say(what)
        self.burn(units * self.unit)

    async def do_soon(self, place: str, cost: int) -> None:
        self.loop.call_soon(self.work, f"{place} soon", cost)

    async def do_later(self, place: str, units: int, cost: int) -> None:
        self.timers.append(
            self.loop.call_later(units * self.unit, self.work, f"{place} later", cost)
        )

    async def do_at(self, place: str, units: int, cost: int) -> None:
        self.timers.append(
            self.loop.call_at(units * self.unit, self.work, f"{place} at", cost)
        )

    async def do_drop(self, place: str, which: int) -> None:
        if self.timers:
            self.timers[which % len(self.timers)].cancel()


def times() -> st.SearchStrategy[int]:
    """Few different ones, so that many timers are equal."""
    return st.integers(0, 6)


def costs() -> st.SearchStrategy[int]:
    """What a callback computes: half of them nothing."""
    return st.one_of(st.just(0), st.integers(1, 3))


def simple_ops() -> st.SearchStrategy[Op]:
    """One step of a task; half of what runs computes, for few different times."""
    return st.one_of(
        st.tuples(st.sampled_from(["sleep", "sleep", "burn"]), times()),
        st.tuples(st.sampled_from(["later", "at"]), times(), costs()),
        st.tuples(st.just("soon"), costs()),
        st.tuples(st.sampled_from(["put", "get", "set", "clear", "wait"])),
        st.tuples(st.sampled_from(["drop", "drop", "cancel"]), st.integers(0, 20)),
        st.sampled_from([("sleep", 1), ("sleep", 2), ("fail",)]),
    )


def deeper(programs: st.SearchStrategy[Program]) -> st.SearchStrategy[Program]:
    several = st.lists(programs, min_size=2, max_size=4)
    ops = st.one_of(
        simple_ops(),
        simple_ops(),
        st.tuples(st.sampled_from(["spawn", "lock"]), programs),
        st.tuples(st.sampled_from(["timeout", "wait_for"]), times(), programs),
        st.tuples(st.sampled_from(["group", "first"]), several),
    )
    return st.lists(ops, min_size=2, max_size=6).map(tuple)


TASKS = st.recursive(
    st.lists(simple_ops(), min_size=1, max_size=5).map(tuple), deeper, max_leaves=12
)


def whole(tasks: st.SearchStrategy[Program]) -> st.SearchStrategy[Program]:
    """A main task that spawns the others and outlives most of them."""
    return st.lists(tasks, min_size=2, max_size=5).map(
        lambda tasks: (*(("spawn", task) for task in tasks), ("sleep", 15))
    )


PROGRAMS = whole(TASKS)


def trace_of(
    new_loop: Callable[[], Any], program: Program, unit: float = 0.001
) -> Trace:
    """Run *program*, whose times are in *unit* seconds, and return its trace."""
    loop = new_loop()
    loop.set_exception_handler(lambda loop, context: None)
    world = World(loop, unit)
    main = loop.create_task(world.play("main", program))
    world.tasks.append(main)
    try:
        loop.run_until_complete(main)
    except (DeadlockError, StuckError):
        world.say("stuck")
    except (TaskError, asyncio.CancelledError) as exc:
        world.say(f"ended by {type(exc).__name__}")
    world.silent = True
    for _ in range(100):  # a task can swallow a cancellation, so ask again
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        for task in left:
            with contextlib.suppress(
                TaskError, asyncio.CancelledError, DeadlockError, StuckError
            ):
                loop.run_until_complete(task)
        if not left:
            break
    loop.close()
    return world.trace
