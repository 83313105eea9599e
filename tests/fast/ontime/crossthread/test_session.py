"""Sessions: they answer, they end, and they refuse what they cannot do."""

from __future__ import annotations

import os
from typing import Any

import pytest

from ontime.crossthread import (
    Session,
    missing,
    pinned,
    sessions,
    unable,
)

linux = pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity"), reason="only Linux pins threads"
)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"way": "pol"}, ValueError, "no way 'pol': choose from poll, nap, queue"),
        ({"window": -1}, ValueError, "window is -1 s: give a finite number"),
        ({"window": 1}, ValueError, "give less than 1 s, because the loop pays it"),
        ({"window": "0"}, TypeError, "window as a number of seconds, got '0'"),
        ({"busy": 1, "window": 0.01}, TypeError, "busy must be True or False, not 1"),
        ({"busy": True}, ValueError, "needs a window above 0 s"),
        ({"cpu": "0"}, TypeError, "cpu must be the number of a core, not '0'"),
        ({"cpu": True}, TypeError, "not True"),
        pytest.param(
            {"cpu": 4096}, ValueError, "may not use core 4096: choose", marks=linux
        ),
    ],
)
def test_settings_of_a_session(options: Any, error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        Session(**options)
    with pytest.raises(error, match=words), sessions(**options):
        pass


def test_how_many_sessions() -> None:
    for count, error in (0, ValueError), (65, ValueError), (1.0, TypeError):
        with pytest.raises(error, match="count"), sessions("poll", count):  # type: ignore[arg-type]
            pass


def test_a_package_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert missing("poll") == ""
    for name in "anyio", "janus":
        words = f"the way '{name}' needs the package {name}: pip install {name}"
        assert missing(name) == words
        with pytest.raises(ModuleNotFoundError, match=words) as caught:
            Session(name)
        assert caught.value.name == name
    with pytest.raises(ValueError, match="no way"):
        missing("threads")


def test_a_system_that_pins_no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    with pytest.raises(NotImplementedError, match="cannot pin a thread"):
        Session("queue", cpu=0)
    with pytest.raises(NotImplementedError, match="cannot pin"), pinned(0):
        pass
    assert "cannot pin" in unable(cores=2)
    assert unable() == ""
