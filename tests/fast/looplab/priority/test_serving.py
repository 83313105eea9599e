"""Priority in a server: the middleware, the helpers, and loops without priorities."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from looplab.priority import (
    PriorityMiddleware,
    VirtualPriorityLoop,
    current_priority,
    priority,
    run,
)
from tests.fast.looplab.priority.priority_loops import on


async def answer(send: Any, text: str) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": text.encode()})


async def tell_level(scope: Any, receive: Any, send: Any) -> None:
    """An application that answers with its priority."""
    if scope["type"] == "http":
        await answer(send, f"level {current_priority()}")


def test_a_lowered_request_yields_before_the_application_begins() -> None:
    order: list[int] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        order.append(current_priority())

    async def main() -> None:
        middleware = PriorityMiddleware(app, lambda scope: scope["level"])
        with priority(9):
            tasks = [
                asyncio.create_task(
                    middleware({"type": "http", "level": level}, None, None)  # type: ignore[arg-type]
                )
                for level in (1, 3, 2)
            ]
        await asyncio.gather(*tasks)

    on(main, loop=VirtualPriorityLoop)
    assert order == [3, 2, 1]


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: PriorityMiddleware(tell_level, "high"),
            "level of a request as a whole number, .* got 'high'",
        ),  # type: ignore[arg-type]
        (lambda: PriorityMiddleware(None, 1), "app is None"),  # type: ignore[arg-type]
        (lambda: PriorityMiddleware(tell_level, 1, gate=9), "gate is 9"),  # type: ignore[arg-type]
        (lambda: run(print), "main is <built-in function print>"),  # type: ignore[arg-type]
        (lambda: run(asyncio.sleep(0), accept="x"), "accept as a .*got 'x'"),  # type: ignore[arg-type]
    ],
)
def test_bad_input_is_named(call: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        call()
