"""The extra exercises of chapter 6, *Find the loop that spins*.

=============  =====================================================================
``06-xevent``    a class ``Progress()``
``06-xlost``     a class ``Mailbox()``
``06-xacross``   an async function ``ask(loop, work)``
``06-xguard``    an async function ``guard(session)``
``06-xcauses``   a function ``causes(measure)``
=============  =====================================================================
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from looplab.clock import DeadlockError, VirtualTimeLoop
from looplab.clock.observers import Observer
from ontime.check.bank.events import events_that_wait
from ontime.check.bank.two_loops import SIDE, Here, There, nobody_blocks
from ontime.check.registry import exercise
from ontime.check.spinning_loop.watched import simulate_watched, watched_loop
from ontime.check.tools import (
    counted_callbacks,
    finished,
    need_async_function,
    need_awaitable,
    need_class,
    need_function,
    now,
    simulate,
)
from ontime.check.verdict import NotYet


def _plainly(said: Any, name: str) -> None:
    """Refuse a method that should have been a plain one."""
    if inspect.iscoroutine(said):
        said.close()
        raise NotYet(
            f"{name}() is an async function.", "make it a plain one: it never waits"
        )


# 06-xevent: from a poll to an event


@exercise("06-xevent")
def check_event(answer: Any) -> str:
    """The answer is a class ``Progress``, made on the loop without arguments.

    ``add(n)``, a plain method, counts; ``await at_least(n)`` returns once the count is
    *n* or more.  Several may wait, for different numbers, and nobody polls.
    """
    need_class(answer, "Progress")
    with events_that_wait():
        ran = simulate_watched(_progress_at_rest(answer))
        simulate_watched(_progress_of_several(answer))
    return f"everybody is told at their number; the loop ran {ran} callbacks at rest."


async def _progress_at_rest(answer: Any) -> int:
    progress = answer()
    _plainly(progress.add(1), "add")
    waiting = progress.at_least(3)
    need_awaitable(waiting, "at_least")
    task = asyncio.ensure_future(waiting)
    await asyncio.sleep(0.01)
    with counted_callbacks() as callbacks:
        await asyncio.sleep(5)
    ran = callbacks.count
    if ran > 20:
        raise NotYet(
            f"while nothing happened for 5 s, the loop ran {ran:,} callbacks.",
            "a task that looks again and again polls, with a nap or without: let it "
            "wait for something that add() sets",
        )
    task.cancel()
    await asyncio.wait([task])
    return ran


async def _progress_of_several(answer: Any) -> None:
    progress = answer()
    told: list[tuple[int, float]] = []

    async def wait(number: int) -> None:
        await progress.at_least(number)
        told.append((number, round(now(), 2)))

    tasks = [asyncio.ensure_future(wait(n)) for n in (5, 2, 0, 3, 5, 9)]
    gone = asyncio.ensure_future(wait(4))
    loop = asyncio.get_running_loop()
    for at, many in (1.0, 1), (2.0, 3), (3.0, 1), (4.0, 2), (4.0, 2):
        loop.call_later(at, progress.add, many)
    await asyncio.sleep(1.5)
    gone.cancel()
    try:
        await finished(_all(tasks))
    except DeadlockError:
        raise NotYet(
            f"9 were counted, in steps of 1, 3, 1, 2 and 2; told were {sorted(told)} "
            "(number, time), and the others wait for ever.",
            "whoever wakes has to look at the count again, and to wait again, and an "
            "add() in between must not be missed",
        ) from None
    wanted = [(0, 0.0), (2, 2.0), (3, 2.0), (5, 3.0), (5, 3.0), (9, 4.0)]
    if sorted(told) != wanted:
        raise NotYet(
            f"told were {sorted(told)} (number, time), and it should have been "
            f"{wanted}.",
            "whoever wakes has to look at the count again: 'while', not 'if'",
        )


async def _all(tasks: Sequence[asyncio.Future[None]]) -> None:
    await asyncio.gather(*tasks)


# 06-xlost: a wake-up that is lost


@exercise("06-xlost")
def check_lost(answer: Any) -> str:
    """The answer is a class ``Mailbox``, made on the loop without arguments.

    ``put(item)`` is called by any thread; ``await get()``, on the loop, returns the
    items in order, however many come at once.
    """
    need_class(answer, "Mailbox")
    with events_that_wait():
        for bursts in _BURSTS:
            simulate_watched(_delivered(answer, bursts))
        simulate_watched(_mail_for_two(answer))
    return "no wake-up is lost, whether letters come one by one or many at once."


_BURSTS: tuple[dict[float, int], ...] = (
    {0.1: 1, 0.2: 1, 0.3: 1},
    {0.0: 3},
    {0.1: 2, 0.5: 3},
    {0.0: 1, 0.1: 4, 0.10001: 1},
)


def _post(box: Any, item: Any) -> None:
    with watched_loop().another_thread():
        _plainly(box.put(item), "put")


def _judge_post() -> None:
    if watched_loop().careless:
        raise NotYet(
            "put() touched the loop directly, from another thread.",
            "hand over what is to happen: loop.call_soon_threadsafe(...)",
        )


async def _delivered(answer: Any, bursts: dict[float, int]) -> None:
    box, loop = answer(), watched_loop()
    letters = iter(range(99))
    for at, many in bursts.items():
        for _ in range(many):
            if at:
                loop.call_later(at, _post, box, next(letters))
            else:
                _post(box, next(letters))
    count = sum(bursts.values())
    found: list[Any] = []

    async def read() -> None:
        while len(found) < count:
            found.append(await box.get())

    said = ", ".join(f"{many} at {at:g} s" for at, many in bursts.items())
    try:
        await finished(read())
    except DeadlockError:
        _judge_post()
        raise NotYet(
            f"letters: {said}. {len(found)} of {count} came out, and the next get() "
            "waits for ever.",
            "one wake-up can stand for several letters: look whether there is one "
            "before you wait, and clear only what you are about to wait for",
        ) from None
    _judge_post()
    if found != list(range(count)):
        raise NotYet(
            f"letters: {said}. They came out as {found}.", "each once, and in order"
        )
    late = now() - max(bursts)
    if late > 0.01:
        raise NotYet(
            f"letters: {said}. The last came out {late:.3f} s after it had been put.",
            "let put() wake the reader: a nap makes letters late",
        )


async def _mail_for_two(answer: Any) -> None:
    """Two readers, two letters at once: both are woken, and neither gets nothing."""
    box, loop = answer(), watched_loop()
    tasks = [asyncio.ensure_future(box.get()) for _ in range(2)]
    await asyncio.sleep(0.1)
    with counted_callbacks() as callbacks:
        await asyncio.sleep(1)
    if callbacks.count > 20:
        raise NotYet(
            f"while two readers waited for 1 s, the loop ran {callbacks.count:,} "
            "callbacks.",
            "a reader that looks again and again polls",
        )
    for letter in "ab":
        loop.call_soon(_post, box, letter)
    done, waiting = await asyncio.wait(tasks, timeout=5)
    _judge_post()
    if waiting:
        raise NotYet(
            f"two readers waited, two letters came at once, and {len(done)} had one.",
            "each letter has to wake a reader, or each reader has to look again",
        )
    if sorted(str(task.result()) for task in tasks) != ["a", "b"]:
        raise NotYet("two readers had the same letter.", "take it out of the box")


# 06-xacross: ask another loop


@exercise("06-xacross")
def check_across(answer: Any) -> str:
    """The answer is an async function ``ask(loop, work)``.

    It runs on one loop, has the async function *work* run on *loop*, which runs in
    another thread, and returns its result or raises its exception.  Meanwhile its own
    loop goes on and nobody polls; an ``ask`` that is cancelled cancels the work.
    """
    need_async_function(answer, "ask")
    with nobody_blocks():
        ran = simulate(
            _asked(answer), new_loop=Here, callback_cost=0.000_1, max_steps=400_000
        )
    return (
        f"results, errors and cancelling cross over, and while the other loop worked "
        f"for 2 s this one ran {ran} callbacks."
    )


async def _asked(answer: Any) -> int:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, Here)
    there, seen = There(loop), list[str]()

    async def work() -> str:
        seen.append(SIDE.get())
        try:
            await asyncio.sleep(3)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise
        return "the answer"

    async def fails() -> str:
        await asyncio.sleep(1)
        raise OSError("no such host")

    def judge() -> None:
        if seen and seen[0] != "there":
            raise NotYet(
                "the work ran in the thread of the one who asks.",
                "hand it to the other: asyncio.run_coroutine_threadsafe(work(), loop)",
            )
        if loop.careless:
            raise NotYet(
                "one loop was touched from the thread of the other.",
                "call_soon_threadsafe() is the only method for that, and "
                "asyncio.run_coroutine_threadsafe() and asyncio.wrap_future() use it",
            )

    task = asyncio.ensure_future(answer(there, work))
    await asyncio.sleep(0.5)
    with counted_callbacks() as callbacks:
        await asyncio.sleep(2)
    judge()
    if callbacks.count > 20:
        raise NotYet(
            f"while the other loop worked for 2 s, this one ran {callbacks.count:,} "
            "callbacks.",
            "do not ask whether it is done: asyncio.wrap_future(future) can be awaited",
        )
    if not seen:
        raise NotYet("the work was never begun.", "call it: work() makes the coroutine")
    if (found := await finished(task)) != "the answer":
        raise NotYet(f"ask() returned {found!r}.", "return what the work returned")
    judge()
    try:
        found = await finished(answer(there, fails))
    except OSError:
        pass
    else:
        raise NotYet(
            f"the work raised OSError, and ask() returned {found!r}.", "let it come out"
        )
    task = asyncio.ensure_future(answer(there, work))
    await asyncio.sleep(1)
    task.cancel()
    await asyncio.sleep(1)
    judge()
    if seen[-1] != "cancelled":
        raise NotYet(
            "ask() was cancelled, and the work went on in the other thread.",
            "a future from wrap_future() that is cancelled cancels the other side",
        )
    return callbacks.count


# 06-xguard: a guard that looks at the right moment


class _Turns(Observer):
    count = 0

    def left(self, handle: asyncio.Handle, /) -> None:
        self.count += 1


class _Session:
    """A session that is busy for a while, and then rests or turns."""

    def __init__(self, kind: str) -> None:
        self.kind, self._turns = kind, _Turns()
        self._tasks: list[asyncio.Task[None]] = []
        self._answering = asyncio.Event()
        self.opened = self.asked = False

    @property
    def turns(self) -> int:
        return self._turns.count

    async def open(self) -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        loop.add_observer(self._turns)
        self.opened = True
        self._start(self._tick())
        if self.kind == "spins from the start":
            self._start(self._spin())

    async def ask(self) -> None:
        self.asked = True
        self._answering.clear()
        self._start(self._answer())

    async def settled(self) -> None:
        await self._answering.wait()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        self.opened = False
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        loop.remove_observer(self._turns)

    def _start(self, work: Any) -> None:
        self._tasks.append(asyncio.get_running_loop().create_task(work))

    async def _tick(self) -> None:
        while True:  # noqa: ASYNC110 (a timer, as many programs have)
            await asyncio.sleep(0.25)

    async def _answer(self) -> None:
        for _ in range(400):
            await asyncio.sleep(0.001)
        self._answering.set()
        if self.kind == "spins after an answer":
            await self._spin()
        if self.kind == "naps after an answer":
            while True:  # noqa: ASYNC110 (this is the fault)
                await asyncio.sleep(0.01)

    async def _spin(self) -> None:
        while True:  # noqa: ASYNC110
            await asyncio.sleep(0)  # noqa: LAG201 (this is the fault)


@exercise("06-xguard")
def check_guard(answer: Any) -> str:
    """The answer is an async function ``guard(session)``: a test.

    It raises AssertionError for a session that turns while nobody asks it anything,
    also if it turns only after an answer, and passes for one that rests.
    """
    need_async_function(answer, "guard")
    for kind, wrong in (
        ("rests", False),
        ("spins from the start", True),
        ("spins after an answer", True),
        ("naps after an answer", True),
    ):
        session = _Session(kind)
        error = simulate(
            _guarded(answer, session), callback_cost=0.000_1, max_steps=400_000
        )
        if error is None and not session.asked and wrong:
            raise NotYet(
                f"a session that {kind} passes the test, which never asked it "
                "anything.",
                "some loops spin only after their first answer: ask, and wait until "
                "it is settled",
            )
        if error is None and wrong:
            raise NotYet(
                f"a session that {kind} passes the test.",
                "count for 0.3 s what it turns after it has settled, and allow ten",
            )
        if error is not None and not wrong:
            raise NotYet(
                f"a session that rests fails the test: {error}.",
                "while it opens and answers it may turn: begin to count when it is "
                "settled. It has a timer too, so a few turns are allowed",
            )
        if session.opened:
            raise NotYet(
                f"the test of a session that {kind} left it open.",
                "close it in a finally, also when the test fails",
            )
    return "it passes a session that rests, and fails all three that turn."


async def _guarded(answer: Any, session: _Session) -> str | None:
    began = now()

    async def test() -> None:
        await answer(session)

    try:
        await finished(test())
    except AssertionError as error:
        return str(error) or "AssertionError"
    if now() - began < 0.2:
        raise NotYet(
            f"the test looked for {now() - began:.2f} s in all.",
            "idle is what it does for a while, such as 0.3 s, when it has settled",
        )
    return None


# 06-xcauses: an experiment that can fail

_USUAL = {"interval": 0.005, "gap": 0.000_001, "cores": 2}


def _worlds() -> dict[str, tuple[Callable[..., float], set[str]]]:
    """Programs that are slow, and what each is slow for."""

    def lock(gap: float) -> float:
        return 0.4 if gap < 0.000_05 else 0.001

    def core(cores: float) -> float:
        return 0.4 if cores < 9 else 0.001

    return {
        "the wake-ups come too late": (
            lambda interval, gap, cores: 0.01 + lock(gap),
            {"gap"},
        ),
        "a thread holds the lock": (
            lambda interval, gap, cores: 0.01 + 80 * interval,
            {"interval"},
        ),
        "threads want a core": (
            lambda interval, gap, cores: 0.01 + core(cores),
            {"cores"},
        ),
        "it waits for a database": (lambda interval, gap, cores: 0.41, set()),
        "two queues, one after the other": (
            lambda interval, gap, cores: 0.01 + lock(gap) / 2 + core(cores) / 2,
            {"gap", "cores"},
        ),
        "two queues, and the longer one counts": (
            lambda interval, gap, cores: 0.01 + max(lock(gap), core(cores)),
            {"gap", "cores"},
        ),
        "a thread that holds the lock, and too few cores": (
            lambda interval, gap, cores: 0.01 + 40 * interval + core(cores) / 2,
            {"interval", "cores"},
        ),
    }


@exercise("06-xcauses")
def check_causes(answer: Any) -> str:
    """The answer is a plain function ``causes(measure)``.

    ``measure(interval=0.005, gap=1e-6, cores=2)`` runs a program that is slow and
    returns its seconds.  The answer returns the set of the names on which they depend.
    """
    need_function(answer, "causes")
    most = 0
    for name, (world, wanted) in _worlds().items():
        asked: list[dict[str, float]] = []

        def measure(
            interval: float = 0.005,
            gap: float = 0.000_001,
            cores: int = 2,
            world: Callable[..., float] = world,
            asked: list[dict[str, float]] = asked,
        ) -> float:
            asked.append({"interval": interval, "gap": gap, "cores": cores})
            if len(asked) > 100:
                raise NotYet("it has measured a hundred times.", "eight will do")
            return world(interval, gap, cores)

        said = answer(measure)
        if isinstance(said, (list, tuple, frozenset)):
            said = set(said)
        if not isinstance(said, set) or not said <= set(_USUAL):
            raise NotYet(
                f"causes() returned {said!r}.",
                "a set of names out of 'interval', 'gap' and 'cores'",
            )
        most = max(most, len(asked))
        if said == wanted:
            continue
        alone = {
            frozenset(key for key in one if one[key] != _USUAL[key]) for one in asked
        }
        raise NotYet(
            f"{name}: you say {_listed(said)}, and it is {_listed(wanted)}.",
            _hint_for(said, wanted, alone),
        )
    return f"seven programs, seven right answers, with {most} measurements at most."


def _listed(names: set[str]) -> str:
    return " and ".join(sorted(names)) or "none of them"


def _hint_for(said: set[str], wanted: set[str], tried: set[frozenset[str]]) -> str:
    if not any(tried):
        return (
            "a figure that fits is no proof: change what the suspicion names, and see "
            "whether the seconds follow"
        )
    if said > wanted:
        return "change one thing at a time, or you cannot tell which of them helped"
    if not any(len(one) == 2 for one in tried):
        return (
            "a cause can stand behind another: what one change alone does not show, "
            "the same change may show where another has been made"
        )
    return "it depends on a setting if changing it alone matters in any of the cases"
