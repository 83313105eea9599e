"""What is rare for a reader of the built book, or takes long, in Chromium."""

from __future__ import annotations

import pytest

from tests.site.live.driver import Driver
from tests.site.live.scenario_names import MORE, tell

BROWSER = "chrome"

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", MORE)
def test_live(driver: Driver, name: str) -> None:
    tell(driver, name, limit=3000)
