"""What a reader of the built book may do and meet, in Chromium."""

from __future__ import annotations

import pytest

from tests.site.live.driver import Driver, scenarios
from tests.site.live.scenario_names import READER, SMOKE, tell

BROWSER = "chrome"


@pytest.mark.parametrize("name", scenarios(READER, SMOKE))
def test_live(driver: Driver, name: str) -> None:
    tell(driver, name)
