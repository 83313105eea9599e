"""The bus in a Redis server: what is wrong with the server, its memory or its keys."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from ontime.bus import (
    RedisBus,
)

# -- settings ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        ({"url": 3}, TypeError, "url is 3, a int: give a string"),
        ({"url": ""}, ValueError, "url is empty"),
        (
            {"url": "http://localhost"},
            ValueError,
            "url is no address of a Redis server",
        ),
        ({"url": "redis://localhost:port"}, ValueError, "url is no address"),
        ({"stream": ""}, ValueError, "stream is empty: give a name"),
        ({"stream": b"a"}, TypeError, "stream is b'a', a bytes"),
        ({"group": None}, TypeError, "group is None, a NoneType"),
    ],
)
def test_bad_settings(
    settings: dict[str, Any], error: type[Exception], says: str
) -> None:
    pytest.importorskip("redis")
    with pytest.raises(error, match=says):
        RedisBus(**{"lease": 60, **settings})


def test_a_lease_of_less_than_a_millisecond() -> None:
    pytest.importorskip("redis")
    assert RedisBus(lease=0.0001)._lease_ms == 1
    assert RedisBus(lease=0.0011)._lease_ms == 2
    assert RedisBus(lease=0.003)._lease_ms == 3


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(
        ModuleNotFoundError, match="pip install redis, or use SQLiteBus"
    ):
        RedisBus(lease=60)
