"""What the tests of loops in threads share."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator

import pytest

from ontime.crossthread import (
    WAYS,
    missing,
)


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    before = set(threading.enumerate())
    interval = sys.getswitchinterval()
    yield
    left = [t for t in threading.enumerate() if t not in before]
    for thread in left:  # of a library, about to end
        thread.join(300)
    assert not [t for t in left if t.is_alive()]
    assert sys.getswitchinterval() == interval


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    if why := missing(name):
        pytest.skip(why)
    return name
