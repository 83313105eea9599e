"""The page in Firefox, on the small book of :mod:`bench`."""

from __future__ import annotations

import pytest

from tests.livecells.page.listed import NAMES, play, same_as_in_a_notebook
from tests.site.live.driver import Driver

in_browser = pytest.mark.parametrize("driver", ["firefox"], indirect=True)


@in_browser
@pytest.mark.parametrize("name", NAMES)
def test_page(driver: Driver, name: str) -> None:
    play(driver, name)


@in_browser
def test_programs_print_what_they_print_in_a_notebook(driver: Driver) -> None:
    same_as_in_a_notebook(driver)
