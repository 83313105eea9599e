"""Tools for checks: run an answer on the virtual clock, and see what it did."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import (
    Awaitable,
    Callable,
    Collection,
    Coroutine,
    Iterator,
    Mapping,
)
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple, TypeVar

from looplab.clock import DeadlockError, VirtualTimeLoop, run
from looplab.clock.observers import Observer
from looplab.heartbeat import Heartbeat
from ontime.check.verdict import NotYet

__all__ = [
    "MAX_STEPS",
    "Load",
    "abandoned",
    "as_number",
    "callbacks_in",
    "cause",
    "counted_callbacks",
    "ended",
    "finished",
    "left_over",
    "move_hashes",
    "need_async_function",
    "need_awaitable",
    "need_class",
    "need_function",
    "need_letters",
    "need_number",
    "need_plain",
    "need_verdicts",
    "now",
    "numbers_twice",
    "several",
    "simulate",
    "under_load",
]

T = TypeVar("T")
Job = Callable[[], Coroutine[Any, Any, None]]

#: Callbacks that one simulated run of an answer may take.
MAX_STEPS = 200_000
#: Seconds of virtual time after which an answer is said not to end.
MAX_SECONDS = 3600.0


# What an answer is given


def numbers_twice(count: int) -> list[int]:
    """So many numbers, in no order, of which one or more come twice.

    Whoever keeps results by number, or sorts them, gets others than by place.
    """
    return [3 * index % max(count - 1, 1) for index in range(count)]


# Runs


def simulate(
    main: Coroutine[Any, Any, T],
    *,
    new_loop: Callable[..., VirtualTimeLoop] = VirtualTimeLoop,
    max_steps: int = MAX_STEPS,
    **settings: Any,
) -> T:
    """Run one scenario on the virtual clock, with limits and without noise.

    The *settings* are those of the loop that *new_loop* makes.
    """

    async def quietly() -> T:
        # What an answer leaves behind is the check's to report, not the logger's.
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
        return await main

    try:
        loop_factory = partial(new_loop, max_steps=max_steps, **settings)
        return run(quietly(), loop_factory=loop_factory)
    finally:
        main.close()


def move_hashes(by: int) -> None:
    """Make sets of an answer's tasks have another order than they were made in.

    On the virtual clock tasks are hashed by their number, and a small set of them would
    often be in the order that the answer should have made itself.
    """
    loop = asyncio.get_running_loop()
    for _ in range(by):
        hash(loop.create_future())


async def finished(work: Awaitable[T], name: str = "the function") -> T:
    """Await what the function *name* returned, and say so if it does not end.

    A heartbeat beside it keeps a timer set, so the loop itself sees no deadlock.
    :exc:`NotYet` if it cannot be awaited.
    """
    need_awaitable(work, name)
    task = asyncio.ensure_future(work)
    await asyncio.wait([task], timeout=MAX_SECONDS)
    if not task.done():
        raise DeadlockError("the answer does not end")
    return task.result()


def now() -> float:
    """The time of the running loop."""
    return asyncio.get_running_loop().time()


def cause(error: BaseException) -> BaseException:
    """What was raised, taken out of the groups that a TaskGroup makes."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


class _Callbacks(Observer):
    count = 0

    def left(self, handle: asyncio.Handle, /) -> None:
        self.count += 1


@contextmanager
def counted_callbacks() -> Iterator[_Callbacks]:
    """Count the callbacks that the running loop runs in the block."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualTimeLoop)
    counter = _Callbacks()
    loop.add_observer(counter)
    try:
        yield counter
    finally:
        loop.remove_observer(counter)


async def callbacks_in(seconds: float) -> int:
    """How many callbacks the running loop runs in that time."""
    with counted_callbacks() as callbacks:
        await asyncio.sleep(seconds)
    return callbacks.count


async def ended(
    work: Awaitable[T], name: str, *, cancel_at: float | None = None
) -> asyncio.Task[T]:
    """The task of what the function *name* returned, a minute later at most.

    It is cancelled after *cancel_at* seconds; :exc:`NotYet` if it cannot be awaited.
    """
    need_awaitable(work, name)
    task = asyncio.ensure_future(work)
    if cancel_at is not None:
        await asyncio.sleep(cancel_at)
        task.cancel()
    await asyncio.wait([task], timeout=60)
    return task


# What an answer must be


def several(count: int, noun: str) -> str:
    """So many of them, in words: ``"1 task"``, ``"3 tasks"``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def need_function(answer: object, name: str) -> None:
    """Refuse what cannot be called."""
    if not callable(answer):
        raise NotYet(
            f"the answer is {answer!r}, not a function.",
            f"hand over {name} itself, without parentheses or arguments",
        )


def need_async_function(answer: object, name: str) -> None:
    """Refuse anything but an async function."""
    if inspect.isfunction(answer) and not inspect.iscoroutinefunction(answer):
        raise NotYet(f"{name} is a plain function.", "define it with 'async def'")
    if not callable(answer):
        raise NotYet(
            f"the answer is {answer!r}, not a function.",
            f"hand over {name} itself, without parentheses",
        )


def need_class(answer: object, name: str) -> None:
    """Refuse what is no class, and nothing that makes objects as one does."""
    if inspect.isfunction(answer) or not callable(answer):
        raise NotYet(
            f"the answer is {answer!r}, not a class.",
            f"hand over {name} itself, without parentheses",
        )


def need_awaitable(value: object, name: str) -> None:
    """Refuse what an answer returned if it cannot be awaited."""
    if not inspect.isawaitable(value):
        raise NotYet(
            f"{name}() returned {value!r}, which cannot be awaited.",
            "define it with 'async def'",
        )


def need_plain(value: object, name: str) -> None:
    """Refuse what the method *name* returned if that should have been a plain one."""
    if inspect.iscoroutine(value):
        value.close()
        raise NotYet(
            f"{name}() is an async function.", "make it a plain one: it never waits"
        )


def need_number(value: object, name: str, what: str = "a number") -> float:
    """What the function *name* returned, if it is *what*."""
    if value is None or value is ...:
        raise NotYet(
            f"{name}() returned no number.", "does it end with a return statement?"
        )
    number = as_number(value)
    if number is None:
        raise NotYet(
            f"{name}() returned {value!r}, which is not {what}.",
            "an async function or a print() will not do: return the number",
        )
    return number


def need_letters(answer: object, seen: str, hint: str) -> str:
    """The letters of *answer*, a string or a list of them, if they are those *seen*.

    Their order is the answer's own.
    """
    if isinstance(answer, (list, tuple)) and all(isinstance(x, str) for x in answer):
        answer = "".join(answer)
    letters = "".join(sorted(seen))
    if not isinstance(answer, str):
        raise NotYet(f"{answer!r} is not a string.", f'for example "{letters}"')
    given = "".join(answer.upper().replace(",", " ").split())
    if sorted(given) != sorted(seen):
        raise NotYet(
            f"{answer!r} does not have each of the letters {letters[0]} to "
            f"{letters[-1]} once.",
            hint,
        )
    return given


def need_verdicts(
    answer: object,
    right: Mapping[str, tuple[str, str]],
    verdicts: Collection[str],
    *,
    say: str,
    missing: str,
    all_of_them: str,
) -> None:
    """Refuse an *answer* that does not give each name the verdict that is *right*.

    Each name has its verdict and a hint for who gives another one.
    """
    word = missing.split()[0]
    if not isinstance(answer, dict):
        raise NotYet("the answer is not a dict.", say)
    for name in right:
        if name not in answer:
            raise NotYet(f"there is no {missing} {name}.", f"judge {all_of_them}")
        guess = answer[name]
        if not isinstance(guess, str) or guess not in verdicts:
            words = ", ".join(verdicts)
            raise NotYet(f"{guess!r} is not a {word} ({name}).", f"there are {words}")
    wrong = [name for name, (verdict, _) in right.items() if answer[name] != verdict]
    if wrong:
        raise NotYet(
            f"{len(right) - len(wrong)} of {len(right)} are right.",
            f"{wrong[0]}: {right[wrong[0]][1]}",
        )


def as_number(value: object) -> float | None:
    """*value* as a float if it is a real number, else None."""
    if isinstance(value, (bool, str, bytes, complex)):
        return None
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None


# What an answer leaves behind


def left_over() -> set[asyncio.Task[Any]]:
    """Tasks that an answer left running."""
    current = asyncio.current_task()
    return {
        task
        for task in asyncio.all_tasks()
        if task is not current and not task.get_name().startswith("heartbeat")
    }


async def abandoned() -> int:
    """Cancel the tasks that an answer left running; how many there were."""
    left = left_over()
    # A task that has been cancelled needs an iteration to end.
    for _ in range(3):
        await asyncio.sleep(0)
    left &= left_over()
    for task in left:
        task.cancel()
    return len(left)


# Beside a heartbeat


class Load(NamedTuple):
    """What a heartbeat saw beside a load."""

    worst: float  # lateness
    took: float
    done: int  # jobs done when the answer returned
    left: int  # tasks left behind


async def under_load(
    process: Callable[[list[Job]], Awaitable[object]],
    jobs: list[Job],
    *,
    name: str,
    phase: float = 0.5,
    interval: float = 1.0,
    done: list[int] | None = None,
) -> Load:
    """Run *process* on *jobs* beside a heartbeat that last woke *phase* ago."""
    async with Heartbeat(interval) as heartbeat:
        await asyncio.sleep(interval + phase * interval)
        start = now()
        work = process(jobs)
        need_awaitable(work, name)

        count = 0

        async def wait() -> None:
            nonlocal count
            await work
            count = len(done or ())

        await finished(wait())
        took = now() - start
        left = await abandoned()
        await asyncio.sleep(2 * interval)
    return Load(heartbeat.worst, took, count, left)
