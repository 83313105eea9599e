"""Priority in a server: accept and read at a high priority, lower what is long.

A handler that raises itself gains nothing: before it runs, its connection was accepted,
its request read and parsed, and a task made, all behind the work of the others.  So
these parts get the high priority, and requests that can wait are lowered when they are
known.
"""

from __future__ import annotations

import asyncio
import inspect
import warnings
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, TypeVar

from looplab.priority.context import check_priority, current_priority, priority
from looplab.priority.loop import PriorityEventLoop, PriorityLoop
from looplab.priority.turns import PriorityGate

__all__ = ["ACCEPT", "PriorityMiddleware", "run", "start_server"]

#: The priority at which servers accept, read and parse, unless they are told another.
ACCEPT = 9

T = TypeVar("T")
Scope = Mapping[str, Any]
App = Callable[[Any, Any, Any], Awaitable[None]]
Choice = Callable[[Any], int] | int


def _warn_without(what: str, loop: asyncio.AbstractEventLoop) -> None:
    kind = f"{type(loop).__module__}.{type(loop).__qualname__}"
    warnings.warn(
        f"{what} runs on {kind}, which has no priorities: requests are served in order "
        "of arrival.  Run it on looplab.priority.PriorityEventLoop, or give it a "
        "PriorityGate",
        RuntimeWarning,
        stacklevel=3,
    )


def _checked(choice: object, what: str) -> Callable[[Any], int]:
    if callable(choice):
        return lambda asked: check_priority(choice(asked), what)
    level = check_priority(choice, what)
    return lambda _: level


def run(
    main: Coroutine[Any, Any, T],
    *,
    accept: int = ACCEPT,
    loop_factory: Callable[[], asyncio.AbstractEventLoop] = PriorityEventLoop,
) -> T:
    """Run a server's program on a priority loop, at the priority of what accepts.

    ::

        server = uvicorn.Server(uvicorn.Config(PriorityMiddleware(app, level_of)))
        looplab.priority.run(server.serve())

    It returns what *main* returns; Ctrl-C ends it as :func:`asyncio.run` does.

    Args:
        main: the coroutine that serves.  What it makes inherits *accept*, so it is
            up to the requests to be lowered: see :class:`PriorityMiddleware`.
        accept: the priority of the program, a whole number.
        loop_factory: makes the loop, such as ``PriorityEventLoop`` with settings.

    Raises:
        TypeError: *main* is no coroutine, or *accept* no whole number.
        RuntimeError: an event loop runs in this thread already.
    """
    if not asyncio.iscoroutine(main):
        raise TypeError(
            f"main is {main!r:.60}: give the coroutine that serves, such as "
            "server.serve()"
        )
    try:
        check_priority(accept, "accept")
        with priority(accept), asyncio.Runner(loop_factory=loop_factory) as runner:
            return runner.run(main)
    finally:
        main.close()  # where it was never begun; else this does nothing


async def start_server(
    handler: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Any],
    host: Any = None,
    port: Any = None,
    *,
    level: Callable[[asyncio.StreamWriter], int] | int = 0,
    accept: int = ACCEPT,
    **options: Any,
) -> asyncio.Server:
    """Start a server that accepts and reads at *accept*; handlers run at *level*.

    It is :func:`asyncio.start_server`, and one line more::

        server = await looplab.priority.start_server(handle, "127.0.0.1", 8888)

    On a loop without priorities it warns, and serves in order of arrival.

    Args:
        handler: gets a reader and a writer; a function or a coroutine function.
        host: as for asyncio's.
        port: as for asyncio's.
        level: the priority of the handlers, or a function that gets the writer and
            returns it, such as by the client's address.
        accept: the priority at which connections are accepted and read.
        options: of :func:`asyncio.start_server`.

    Raises:
        TypeError: *level* or *accept* is no whole number.
        OSError: the address cannot be used.
    """
    level_of = _checked(level, "level")
    check_priority(accept, "accept")
    loop = asyncio.get_running_loop()
    if not isinstance(loop, PriorityLoop):
        _warn_without("start_server()", loop)

    async def handle(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            mine = level_of(writer)
        except BaseException:
            writer.close()  # the error is told by the loop
            raise
        with priority(mine):
            await asyncio.sleep(0)  # the priority counts from here on
            answer = handler(reader, writer)
            if inspect.isawaitable(answer):
                await answer

    async def start() -> asyncio.Server:
        return await asyncio.start_server(handle, host, port, **options)

    with priority(accept):
        starting = asyncio.create_task(start())
    return await starting


class PriorityMiddleware:
    """ASGI middleware that gives each request its priority.

    ::

        def level_of(scope):
            return 0 if scope["path"].startswith("/batch") else 5

        app = PriorityMiddleware(app, level_of)

    Serve it by :func:`run`, or with uvicorn alone::

        with looplab.priority.priority(9):
            uvicorn.run(app, loop="looplab.priority:PriorityEventLoop")

    so that connections are accepted and requests parsed at a priority above all of
    these.  A request that is lowered yields once before the application begins, and
    from then on at each of its own waits.  Computations without a wait are never
    interrupted: let long ones yield, by ``await asyncio.sleep(0)``.

    On a loop without priorities, such as uvloop's, give it a *gate*: requests ask for
    their turn before they begin, and long ones should again, by
    ``await gate.turn()``.  Without a gate the middleware warns once there, and
    requests are served in order of arrival.

    What urgent requests gain, the others pay: a server that accepts every request at
    once lets all that are lowered share what is left of the thread, so all of them end
    late.  In one run of ``benchmarks.priority_server`` on an overloaded machine the p99
    of urgent requests fell to a twentieth, and the median of the others rose about five
    times.  A semaphore around the work of the others bounds that: few are half done at
    a time, and the rest wait outside.  On the virtual clock, with bursts of 25 batch
    requests that fill the thread together with the urgent ones, the worst urgent
    response falls from 102 ms to 4 ms, while the median of batch rises from 386 ms to
    556 ms; with ``asyncio.Semaphore(2)`` around batch it is 312 ms, and urgent stays at
    4 ms (``tests/fast/looplab/priority/test_price.py``).

    The lifespan of the application is left alone.

    Args:
        app: an ASGI application.
        level: the priority of requests, or a function that gets the scope and returns
            it.
        gate: for loops without priorities.

    Raises:
        TypeError: *level* is neither a whole number nor a function, *app* cannot be
            called, or *gate* is no :class:`PriorityGate`; a request fails with it if
            the function returns something else.
    """

    def __init__(
        self, app: App, level: Choice, *, gate: PriorityGate | None = None
    ) -> None:
        if not callable(app):
            raise TypeError(f"app is {app!r:.60}: give an ASGI application")
        if gate is not None and not isinstance(gate, PriorityGate):
            raise TypeError(f"gate is {gate!r:.60}: give a PriorityGate, or None")
        self.app = app
        self._level_of = _checked(level, "the level of a request")
        self._gate = gate
        self._warned = False

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one request."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        loop = asyncio.get_running_loop()
        level = self._level_of(scope)
        with_loop = isinstance(loop, PriorityLoop)
        if not with_loop and self._gate is None and not self._warned:
            self._warned = True
            _warn_without(type(self).__name__, loop)
        before = current_priority()
        with priority(level):
            if with_loop:
                if level < before:
                    await asyncio.sleep(0)  # the priority counts from here on
            elif self._gate is not None:
                await self._gate.turn()
            await self.app(scope, receive, send)
