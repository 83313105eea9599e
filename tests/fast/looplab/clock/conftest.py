"""What the tests of the clock share."""

from collections.abc import Iterator

import pytest

from looplab.clock import VirtualTimeLoop


@pytest.fixture
def loop() -> Iterator[VirtualTimeLoop]:
    loop = VirtualTimeLoop()
    yield loop
    loop.close()
