"""What a reader of the built book may do and meet, in Chromium."""

from __future__ import annotations

import pytest

from tests.site.live.driver import Driver
from tests.site.live.scenario_names import READER, tell

BROWSER = "chrome"


@pytest.mark.parametrize("name", READER)
def test_live(driver: Driver, name: str) -> None:
    tell(driver, name)
