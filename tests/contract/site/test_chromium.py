"""What is rare for a reader of the built book, or takes long, in Chromium."""

from __future__ import annotations

import pytest

from tests.site.live.driver import Driver
from tests.site.live.test_live import RARE

BROWSER = "chrome"

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", sorted(RARE))
def test_live(driver: Driver, name: str) -> None:
    driver.tell(name)
