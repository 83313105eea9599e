"""Each kind of bus, and the server that one of them needs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tests.contract.ontime.bus.redis_server import RedisServer
from tests.fast.ontime.bus.buses import Kind


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with RedisServer(tmp_path_factory.mktemp("redis")) as running:
        yield running


@pytest.fixture(params=["sqlite", "redis"])
def kind(request: pytest.FixtureRequest, tmp_path: Path) -> Kind:
    if request.param == "sqlite":
        path = str(tmp_path / "bus.db")
        return Kind(f"SQLiteBus({path!r}, lease=600)")
    url = request.getfixturevalue("server").url
    return Kind(f"RedisBus({url!r}, lease=600, stream={uuid4().hex!r})")
