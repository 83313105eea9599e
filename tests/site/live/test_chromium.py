"""The live cells and the explorables of the built book, in Chromium."""

from __future__ import annotations

import pytest

from tests.site.live.driver import Driver
from tests.site.live.listed import play, scenarios


@pytest.mark.parametrize("driver", ["chrome"], indirect=True)
@pytest.mark.parametrize("name", scenarios("chrome"))
def test_live(driver: Driver, name: str) -> None:
    play(driver, name)
