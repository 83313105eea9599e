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


@pytest.mark.parametrize("method", stock_module._METHODS)
def test_it_refuses_a_loop_without_a_method(
    monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    class Changed:
        pass

    for name in stock_module._METHODS:
        if name != method:
            monkeypatch.setattr(
                Changed, name, getattr(asyncio.SelectorEventLoop, name), raising=False
            )
    monkeypatch.setattr(asyncio, "SelectorEventLoop", Changed)
    with pytest.raises(UnsupportedLoopError, match=method):
        stock_module._check_stock_loop()


def run_once_of_another_python(self: Any) -> None:
    self._queue_of_ready.run()


@pytest.mark.parametrize("word", stock_module._IN_RUN_ONCE)
def test_it_refuses_a_loop_that_runs_in_another_way(
    monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    monkeypatch.setattr(asyncio.BaseEventLoop, "_run_once", run_once_of_another_python)
    with pytest.raises(UnsupportedLoopError, match=word) as caught:
        PriorityEventLoop()
    assert "PriorityGate" in str(caught.value), "it names what to use instead"


def test_it_refuses_a_loop_written_in_c(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asyncio.BaseEventLoop, "_run_once", len)
    with pytest.raises(UnsupportedLoopError, match=r"no _run_once\(\) in Python"):
        PriorityEventLoop()


def test_it_refuses_another_handle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stock_module, "_HANDLE", {"_callback"})
    with pytest.raises(UnsupportedLoopError, match="Handle"):
        PriorityEventLoop()


@pytest.mark.parametrize(
    ("where", "what", "words"),
    [
        (selector_events, "_SelectorSocketTransport", r"_call_connection_lost\(\)"),
        (base_subprocess, "BaseSubprocessTransport", r"_call\(\) of subprocesses"),
    ],
)
def test_it_refuses_another_transport(
    monkeypatch: pytest.MonkeyPatch, where: Any, what: str, words: str
) -> None:
    monkeypatch.setattr(where, what, type(what, (), {}))
    with pytest.raises(UnsupportedLoopError, match=words):
        PriorityEventLoop()


@pytest.mark.parametrize(
    ("value", "error"),
    [(-1, "look_every is -1"), (float("inf"), "look_every is inf")],
)
def test_bad_settings_are_named(value: float, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        PriorityEventLoop(look_every=value)
