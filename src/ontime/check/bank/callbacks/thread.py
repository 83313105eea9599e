"""A callback from a thread must wake the loop."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable
from contextvars import Context
from typing import Any

from looplab.clock import VirtualTimeLoop
from ontime.check.registry import exercise
from ontime.check.tools import need_function, simulate
from ontime.check.verdict import NotYet

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

    def _refuse_threads(self) -> None:
        """Let them in: each ends inside one callback, while the clock stands."""

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
    for _ in range(20):  # where the machine stops, one of them passes
        thread.join(timeout=0.1)
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


@exercise("01-xthread", need_function, "make_deliver")
def check_thread(answer: Any) -> str:
    """The answer is a plain function ``make_deliver(loop, queue)``.

    It returns a function ``deliver(item)`` for a thread.  The item is in the queue, and
    whoever waits for it has it, without the loop having to be woken by something else.
    """
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
