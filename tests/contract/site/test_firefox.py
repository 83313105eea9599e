"""What a reader of the built book may do and meet, in Firefox; a third of its cells."""

from __future__ import annotations

import pytest

from tests.site.live.driver import Driver, scenarios

BROWSER = "firefox"
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", scenarios())
def test_live(driver: Driver, name: str) -> None:
    driver.tell(name)
