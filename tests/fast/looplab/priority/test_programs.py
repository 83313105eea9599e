"""Real programs on the priority loop: servers, TLS, processes, signals, threads.

The loop runs CPython's own tests elsewhere; here it meets the libraries of others.
"""

from __future__ import annotations

import asyncio
from asyncio import base_subprocess, selector_events
from typing import Any

import pytest

from looplab.priority import (
    PriorityEventLoop,
    UnsupportedLoopError,
)
from looplab.priority import loop as stock_module

# ---------------------------------------------------------------- a changed Python


async def run_once_of_another_python() -> None:
    """Has none of the names of the stock one."""


CHANGES = [
    *((asyncio.SelectorEventLoop, name, name) for name in stock_module._METHODS),
    (asyncio.BaseEventLoop, "_run_once", "_scheduled"),
    (selector_events, "_SelectorSocketTransport", r"_call_connection_lost\(\)"),
    (base_subprocess, "BaseSubprocessTransport", r"_call\(\) of subprocesses"),
    (stock_module, "_HANDLE", "Handle"),
]


@pytest.mark.parametrize(("where", "what", "words"), CHANGES)
def test_it_refuses_another_python(
    monkeypatch: pytest.MonkeyPatch, where: Any, what: str, words: str
) -> None:
    other: Any = type(what, (), {})
    if where is asyncio.SelectorEventLoop:
        stock = {name: getattr(where, name) for name in stock_module._METHODS}
        del stock[what]
        where, what, other = asyncio, "SelectorEventLoop", type("Other", (), stock)
    elif what == "_run_once":
        other = run_once_of_another_python
    elif what == "_HANDLE":
        other = {"_callback"}
    monkeypatch.setattr(where, what, other)
    with pytest.raises(UnsupportedLoopError, match=words) as caught:
        stock_module._check_stock_loop()
    assert "PriorityGate" in str(caught.value), "it names what to use instead"


@pytest.mark.parametrize(
    ("value", "error"),
    [(-1, "look_every is -1"), (float("inf"), "look_every is inf")],
)
def test_bad_settings_are_named(value: float, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        PriorityEventLoop(look_every=value)
