"""Priority in a server: the middleware, the helpers, and loops without priorities."""

from __future__ import annotations

import asyncio
import warnings
from functools import partial
from typing import Any

import pytest

from looplab import VirtualTimeLoop
from looplab.priority import (
    PriorityGate,
    PriorityMiddleware,
    VirtualPriorityLoop,
    current_priority,
    priority,
    run,
)
from tests.fast.looplab.priority.priority_loops import on

PATHS = ("/batch", "/now", "/now")
RECEIVE: Any = None
SEND: Any = None


def without(policy: None = None) -> VirtualTimeLoop:
    """A loop without priorities."""
    return VirtualTimeLoop()


LOOPS = {"priorities": VirtualPriorityLoop, "none": without}


def by_path(scope: Any) -> int:
    return 0 if scope["path"].startswith("/batch") else 5


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    ("loop", "gate", "warnings_", "order"),
    [
        # The lowered ones yield before they begin, and from then on at their waits.
        ("priorities", False, 0, ["/now"] * 6 + ["/batch"] * 3),
        ("priorities", True, 0, ["/now"] * 6 + ["/batch"] * 3),
        ("none", True, 0, ["/now"] * 6 + ["/batch"] * 3),
        ("none", False, 1, list(PATHS) * 3),
    ],
)
def test_who_goes_first(
    loop: str, gate: bool, warnings_: int, order: list[str], kind: str
) -> None:
    shared = PriorityGate()
    ran: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        for _ in range(3):
            ran.append(scope["path"])
            assert current_priority() == by_path(scope)
            await (shared.turn() if gate else asyncio.sleep(0))

    async def main() -> int:
        middleware = PriorityMiddleware(app, by_path, gate=shared if gate else None)
        with priority(9):
            tasks = [
                asyncio.create_task(
                    middleware({"type": kind, "path": path}, RECEIVE, SEND)  # type: ignore[arg-type]
                )
                for path in PATHS
            ]
        await asyncio.gather(*tasks)
        assert current_priority() == 0
        return shared.yields

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yields = on(main, loop=LOOPS[loop])
    assert ran == order
    assert bool(yields) == gate
    assert [warning.category for warning in caught] == [RuntimeWarning] * warnings_
    assert all("give it a PriorityGate" in str(warning.message) for warning in caught)


@pytest.mark.parametrize("loop", LOOPS)
def test_the_lifespan_is_left_alone(loop: str) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        assert current_priority() == 4

    async def main() -> None:
        with priority(4):
            await PriorityMiddleware(app, 0)({"type": "lifespan"}, RECEIVE, SEND)

    on(main, loop=LOOPS[loop])


def test_a_request_that_is_not_lowered_does_not_yield() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        """Nothing to do."""

    async def main(level: int) -> bool:
        waiting = []
        with priority(3):
            asyncio.get_running_loop().call_soon(waiting.append, True)
            await PriorityMiddleware(app, level)({"type": "http"}, RECEIVE, SEND)
        return bool(waiting)

    for level, yields in ((2, True), (3, False), (4, False)):
        assert on(partial(main, level), loop=VirtualPriorityLoop) == yields


@pytest.mark.parametrize(("accept", "level"), [({}, 9), ({"accept": 3}, 3)])
def test_a_program_runs_at_the_priority_of_what_accepts(
    accept: dict[str, int], level: int
) -> None:
    async def main() -> int:
        return current_priority()

    assert run(main(), loop_factory=VirtualPriorityLoop, **accept) == level
    assert current_priority() == 0
