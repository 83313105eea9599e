"""The extra exercises of chapter 1, *Give the loop something to call*."""

from __future__ import annotations

import asyncio
import gc
import inspect
import threading
import weakref
from collections.abc import Callable
from contextvars import Context
from typing import Any

from looplab.clock import VirtualTimeLoop
from ontime.check.registry import exercise
from ontime.check.tools import (
    abandoned,
    finished,
    need_async_function,
    need_awaitable,
    need_function,
    simulate,
)
from ontime.check.verdict import NotYet

# 01-xorder: what an await of something that is done does


async def _order_program(say: Callable[[str], object]) -> None:
    loop = asyncio.get_running_loop()

    async def child() -> None:
        say("C")
        await asyncio.sleep(0)
        say("D")

    future = loop.create_future()
    future.add_done_callback(lambda _: say("A"))
    loop.call_soon(say, "B")
    task = asyncio.create_task(child())
    future.set_result(None)
    say("E")
    await future
    say("F")
    await task
    say("G")


async def _order_said() -> str:
    said: list[str] = []
    await _order_program(said.append)
    return "".join(said)


@exercise("01-xorder")
def check_order(answer: Any) -> str:
    """The answer is a string of the letters A to G, or a list of them."""
    if isinstance(answer, (list, tuple)) and all(isinstance(x, str) for x in answer):
        answer = "".join(answer)
    if not isinstance(answer, str):
        raise NotYet(f"{answer!r} is not a string.", 'for example "ABCDEFG"')
    said = "".join(answer.upper().replace(",", " ").split())
    seen = simulate(_order_said())
    if sorted(said) != sorted(seen):
        raise NotYet(
            f"{answer!r} does not have each of the letters A to G once.",
            "seven letters are said, each of them once",
        )
    if said == seen:
        return f"the run says {seen} too."
    if said[0] != "E":
        hint = "call_soon, create_task and set_result only make notes: who runs now?"
    elif said.index("F") > min(said.index(letter) for letter in "ABC"):
        hint = (
            "an await of a future that is done does not wait, so it gives way to none"
        )
    elif said.index("D") < max(said.index(letter) for letter in "AB"):
        hint = "sleep(0) puts the task behind all that is in the ready queue"
    elif said.index("G") < said.index("D"):
        hint = "await task is over when the task has ended, and D is its last line"
    else:
        hint = "three notes were made before the await: in which order?"
    raise NotYet(f"{said} is not what the run says.", hint)


# 01-xthread: a callback from a thread must wake the loop


_WAKES = 5.0  # when the next timer of the sleeping loop is due


class _AsleepLoop(VirtualTimeLoop):
    """A loop asleep until a timer at 5 s, as far as calls from other threads go.

    What a thread gives it with ``call_soon`` is found when the timer wakes it.
    """

    _mine = 0

    def call_soon(  # type: ignore[override]
        self,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> asyncio.Handle:
        if self._mine and threading.get_ident() != self._mine:
            return self.call_at(_WAKES, callback, *args, context=context)
        return super().call_soon(callback, *args, context=context)

    def notice_threads(self) -> None:
        self._mine = threading.get_ident()


def _in_thread(deliver: Callable[[Any], object], item: str) -> None:
    """Call *deliver* from a driver's thread, which must not wait."""
    raised: list[BaseException] = []

    def drive() -> None:
        try:
            deliver(item)
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=drive, daemon=True)
    thread.start()
    thread.join(timeout=2)
    if thread.is_alive():
        raise NotYet(
            "deliver() makes the driver's thread wait for the loop.",
            "hand the item over and return: do not ask for a result()",
        )
    if raised:
        raise raised[0]


async def _delivered(make_deliver: Any) -> list[tuple[float, Any]]:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, _AsleepLoop)
    queue: asyncio.Queue[Any] = asyncio.Queue(maxsize=100)
    got: list[tuple[float, Any]] = []

    async def read() -> None:
        while True:
            item = await queue.get()
            got.append((round(loop.time(), 6), item))

    reader = asyncio.create_task(read())
    deliver = make_deliver(loop, queue)
    if inspect.isawaitable(deliver) or not callable(deliver):
        raise NotYet(
            f"make_deliver() returned {deliver!r}, not a function.",
            "return the function deliver, without calling it",
        )
    loop.notice_threads()
    for n, item in enumerate("abc", start=1):
        await asyncio.sleep(n * 0.1 - loop.time())
        _in_thread(deliver, item)
        if n == 2:  # two in a row
            _in_thread(deliver, "B")
    await asyncio.sleep(2 * _WAKES)
    reader.cancel()
    return got


@exercise("01-xthread")
def check_thread(answer: Any) -> str:
    """The answer is a plain function ``make_deliver(loop, queue)``.

    It returns a function ``deliver(item)`` for a thread.  The item is in the queue, and
    whoever waits for it has it, without the loop having to be woken by something else.
    """
    need_function(answer, "make_deliver")
    got = simulate(_delivered(answer), new_loop=_AsleepLoop)
    wanted = [(0.1, "a"), (0.2, "b"), (0.2, "B"), (0.3, "c")]
    if sorted(str(item) for _, item in got) != sorted(item for _, item in wanted):
        raise NotYet(
            f"a, b, B and c were delivered, and {[item for _, item in got]} were read.",
            "put each item into the queue, once: put_nowait is a function to call",
        )
    if got == wanted:
        return "each item is read at once, in order, and the thread never waits."
    late = [(at, item) for at, item in got if at >= _WAKES]
    if late:
        raise NotYet(
            f"{late[0][1]} was delivered before 0.4 s and read at {late[0][0]:g} s, "
            "when a timer woke the loop.",
            "from another thread only one method of the loop also wakes it; not only "
            "call_soon is wrong here, but all that calls it, such as put_nowait",
        )
    raise NotYet(
        f"they were read as {got}, not {wanted}.",
        "hand each item over when it comes, in the order in which it comes",
    )


# 01-xkeep: who holds a task


class _Thing:
    """A result that can be watched."""


async def _kept(background_class: Any) -> str:
    background = background_class()
    ended: list[int] = []
    waits: list[weakref.ref[asyncio.Future[None]]] = []
    things: list[weakref.ref[_Thing]] = []
    loop = asyncio.get_running_loop()

    async def work(n: int) -> _Thing:
        future = loop.create_future()
        waits.append(weakref.ref(future))
        await future
        if n == 1:
            raise RuntimeError("this one fails")
        thing = _Thing()
        things.append(weakref.ref(thing))
        ended.append(n)
        return thing

    for n in range(3):
        coroutine = work(n)
        background.start(coroutine)
        del coroutine
    running = len(background)
    for _ in range(3):
        await asyncio.sleep(0)
    if len(waits) < 3:
        raise NotYet(
            f"three coroutines were started and {len(waits)} of them have begun.",
            "start() makes a task of each at once",
        )
    gc.collect()
    alive = [future() for future in waits]
    if None in alive:
        raise NotYet(
            f"after a garbage collection {alive.count(None)} of three tasks are gone.",
            "the loop keeps only weak references to tasks: somebody has to hold each "
            "until it has ended",
        )
    if running != 3:
        raise NotYet(
            f"three tasks run, and len() says {running}.",
            "count the tasks that you hold",
        )
    for future in alive:
        if future is not None:
            future.set_result(None)
    del alive, future
    for _ in range(5):
        await asyncio.sleep(0)
    if ended != [0, 2]:
        raise NotYet(
            f"of the tasks 0 and 2, which do not fail, {ended} came to their end.",
            "one that fails must not touch the others",
        )
    gc.collect()
    left = len(background)
    held = sum(thing() is not None for thing in things)
    if left or held:
        raise NotYet(
            f"all three have ended; len() says {left}, and {held} of the results are "
            "still held.",
            "let go of a task when it is done: add_done_callback is told of it",
        )
    return "tasks are held while they run, and let go when they have ended."


@exercise("01-xkeep")
def check_keep(answer: Any) -> str:
    """The answer is a class ``Background`` with ``start(coroutine)`` and ``len()``."""
    need_function(answer, "Background")
    return simulate(_kept(answer))


# 01-xundo: clean up and pass the cancellation on


class _StepError(Exception):
    pass


async def _undone(careful: Any, ends: str) -> str:
    """What came of one step, and how long it took."""
    log: list[str] = []
    loop = asyncio.get_running_loop()

    async def step() -> str:
        log.append("step")
        await asyncio.sleep(0.5 if ends != "limit" else 10)
        if ends == "error":
            raise _StepError
        return "result"

    async def undo() -> None:
        log.append("undo begins")
        await asyncio.sleep(0.25)
        log.append("undo ends")

    async def body() -> None:
        try:
            async with asyncio.timeout(1):
                work = careful(step, undo)
                need_awaitable(work, "careful")
                value = await work
                log.append(f"returned {value!r}")
        except TimeoutError:
            log.append("TimeoutError")
        except _StepError:
            log.append("the error")

    await finished(body())
    left = await abandoned()
    if left:
        log.append("a task is left")
    return f"{', '.join(log)} at {loop.time():g} s"


@exercise("01-xundo")
def check_undo(answer: Any) -> str:
    """The answer is an async function ``careful(step, undo)``.

    It awaits ``step()`` and returns its result.  If the step does not come to its end,
    because it raises or is cancelled, it awaits ``undo()``, and what ended the step
    comes out.
    """
    need_async_function(answer, "careful")
    for ends, wanted, story, hint in (
        (
            "well",
            "step, returned 'result' at 0.5 s",
            "a step that ends well",
            "undo only what failed, and return what the step returns",
        ),
        (
            "error",
            "step, undo begins, undo ends, the error at 0.75 s",
            "a step that raises after 0.5 s",
            "undo, and raise the same error again: a bare raise",
        ),
        (
            "limit",
            "step, undo begins, undo ends, TimeoutError at 1.25 s",
            "a step of 10 s under a time-out of 1 s",
            "a time-out cancels. CancelledError is no Exception: catch it, undo, and "
            "let it go on, or the time-out never hears of it",
        ),
    ):
        seen = simulate(_undone(answer, ends))
        if seen != wanted:
            raise NotYet(f"{story}: {seen}. Wanted: {wanted}.", hint)
    return "undone when it fails and when it is cancelled, and both are passed on."


# 01-xquiet: a timer that is set anew


async def _acted(quiet_class: Any, touches: tuple[float, ...]) -> list[float]:
    loop = asyncio.get_running_loop()
    acted: list[float] = []
    quiet: Any = None

    def action() -> None:
        acted.append(round(loop.time(), 6))
        if len(acted) == 2:
            quiet.touch()  # what it does is itself a change

    quiet = quiet_class(loop, 1.0, action)
    if not hasattr(quiet, "touch"):
        raise NotYet("the class has no method touch().", "keep the names of the stub")
    for at in touches:
        loop.call_at(at, quiet.touch)
    await asyncio.sleep(20)
    return acted


@exercise("01-xquiet")
def check_quiet(answer: Any) -> str:
    """The answer is a class ``Quiet(loop, delay, action)`` with a method ``touch()``.

    ``action()`` is called once, *delay* seconds after the last ``touch()``.
    """
    need_function(answer, "Quiet")
    for touches, wanted, hint in (
        ((), [], "nothing was touched, so there is nothing to do"),
        ((0.25,), [1.25], "call_later(delay, action), at each touch"),
        (
            (0.25, 0.5, 1.0),
            [2.0],
            "each touch begins the wait anew: cancel the timer that the last one set",
        ),
        (
            (0.25, 0.5, 4.0, 4.5, 9.0),
            [1.5, 5.5, 6.5, 10.0],
            "after the action the next touch begins a new wait, also a touch that the "
            "action itself makes",
        ),
    ):
        acted = simulate(_acted(answer, touches))
        if acted != wanted:
            raise NotYet(
                f"touched at {list(touches)}: the action came at {acted}, "
                f"not {wanted}.",
                hint,
            )
    return "one action, one delay after the last touch, as often as it is needed."
