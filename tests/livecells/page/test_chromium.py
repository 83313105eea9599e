"""The page in Chromium, on the small book of :mod:`bench`."""

from __future__ import annotations

import pytest

from tests.livecells.page.listed import play, same_as_in_a_notebook, scenarios
from tests.site.live.driver import Driver

in_browser = pytest.mark.parametrize("driver", ["chrome"], indirect=True)


@in_browser
@pytest.mark.parametrize("name", scenarios())
def test_page(driver: Driver, name: str) -> None:
    play(driver, name)


@pytest.mark.full
@in_browser
def test_programs_print_what_they_print_in_a_notebook(driver: Driver) -> None:
    same_as_in_a_notebook(driver)
