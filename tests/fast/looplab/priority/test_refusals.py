"""What the priorities refuse, by name and with the fix."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from looplab import run as run_virtual
from looplab.priority import (
    ByDeadline,
    ByPriority,
    PriorityEventLoop,
    PriorityGate,
    PriorityLock,
    PriorityMiddleware,
    PriorityProtocol,
    PriorityQueue,
    PrioritySemaphore,
    VirtualPriorityLoop,
    deadline,
    priority,
    run,
    set_priority,
    start_server,
)
from tests.fast.looplab.priority.priority_loops import exactly

Call = Callable[..., Any]


def entered(block: Any) -> Any:
    return block.__enter__()


async def set_own(level: Any) -> None:
    set_priority(asyncio.current_task(), level)


async def serve(level: Any) -> None:
    app: Any = PriorityMiddleware(print, lambda scope: level)
    await app({"type": "http"}, None, None)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: entered(priority(1.5)), TypeError, "priority .* got 1.5"),
        (lambda: entered(priority(True)), TypeError, "True"),
        (lambda: entered(deadline("soon")), TypeError, "soon"),
        (lambda: entered(deadline(math.nan)), ValueError, "nan"),
        (lambda: PriorityProtocol(settle=-1), ValueError, "settle is -1"),
        (lambda: PriorityGate(settle="2"), TypeError, "settle"),
        (lambda: VirtualPriorityLoop("fifo"), TypeError, "fifo"),
        (lambda: ByPriority("x"), TypeError, "x"),
        (lambda: ByPriority(ageing=0), ValueError, "ageing is 0"),
        (lambda: ByPriority(ageing=math.inf), ValueError, "ageing is inf"),
        (lambda: PriorityEventLoop(look_every=-1), ValueError, "look_every is -1"),
        (lambda: PriorityEventLoop(ByDeadline()), TypeError, "policy=ByDeadline"),
        (lambda: exactly(partial(set_own, None)), TypeError, "priority .* got None"),
        (lambda: run_virtual(set_own(1)), TypeError, "a task that a priority loop"),
        (lambda: PrioritySemaphore(-1), ValueError, "value is -1"),
        (lambda: PrioritySemaphore("2"), TypeError, "value as a .*, got '2'"),
        (lambda: PriorityQueue(-1), ValueError, "maxsize is -1"),
        (lambda: PriorityQueue(1.5), TypeError, "maxsize as a .*, got 1.5"),
        (lambda: PriorityLock().release(), RuntimeError, "not acquired"),
        (lambda: PriorityMiddleware(print, "high"), TypeError, "a request .*'high'"),
        (lambda: PriorityMiddleware(None, 1), TypeError, "app is None"),
        (lambda: PriorityMiddleware(print, 1, gate=9), TypeError, "gate is 9"),
        (lambda: exactly(partial(serve, None)), TypeError, "a request as .* got None"),
        (lambda: run(print), TypeError, "main is <built-in function print>"),
        (lambda: run(asyncio.sleep(0), accept="x"), TypeError, "accept .*got 'x'"),
        (
            lambda: exactly(partial(start_server, print, level="x")),
            TypeError,
            "level .*'x'",
        ),
        (
            lambda: exactly(partial(start_server, print, accept=None)),
            TypeError,
            "accept .*None",
        ),
    ],
)
def test_bad_input_is_named(call: Call, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()
