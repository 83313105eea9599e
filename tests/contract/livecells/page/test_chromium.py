"""The page of a small book in Chromium."""

from __future__ import annotations

import pytest

from tests.contract.livecells.page.scenario_names import (
    NAMES,
    SMOKE,
    compare_programs,
    tell,
)
from tests.site.live.driver import Driver, scenarios

BROWSER = "chrome"


@pytest.mark.parametrize("name", scenarios(NAMES, SMOKE))
def test_page(driver: Driver, name: str) -> None:
    tell(driver, name)


@pytest.mark.slow
def test_programs_print_what_they_print_in_a_notebook(driver: Driver) -> None:
    compare_programs(driver)
