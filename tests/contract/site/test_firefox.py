"""What a reader of the built book may do and meet, in Firefox; a third of its cells."""

from __future__ import annotations

import pytest

from tests.site.live.driver import Driver
from tests.site.live.scenario_names import MORE, READER, tell

BROWSER = "firefox"
#: What is the book's matter or the page's own, the same in every browser.
ALIKE = {
    "cells_alone",
    "explorables_broken",
    "fatal",
    "link_hostile",
    "link_malformed",
    "much_output",
    "python_missing",
}

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", sorted({*READER, *MORE} - ALIKE))
def test_live(driver: Driver, name: str) -> None:
    tell(driver, name, limit=3000)
