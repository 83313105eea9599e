"""The live cells of all pages of the built book show what the build shows."""

from __future__ import annotations

import pytest

from tests.site.live.driver import Driver
from tests.site.live.scenario_names import CELLS, tell

BROWSER = "chrome"

pytestmark = pytest.mark.full


@pytest.mark.parametrize("name", CELLS)
def test_live(driver: Driver, name: str) -> None:
    tell(driver, name)
