"""The live cells and the explorables of the built book, in Firefox."""

from __future__ import annotations

import pytest

from tests.site.live.driver import Driver
from tests.site.live.listed import play, scenarios

pytestmark = pytest.mark.full  # a plain `make test` proves one browser


@pytest.mark.parametrize("driver", ["firefox"], indirect=True)
@pytest.mark.parametrize("name", scenarios("firefox"))
def test_live(driver: Driver, name: str) -> None:
    play(driver, name)
