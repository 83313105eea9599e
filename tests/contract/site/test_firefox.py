"""What a reader of the built book may do and meet, in Firefox; a third of its cells."""

from __future__ import annotations

import pytest

from tests.site.live.driver import Driver, scenarios

BROWSER = "firefox"
#: What is the book's matter or the page's own, the same in every browser.
ALIKE = {"explorables_broken", "fatal", "link_malformed", "python_missing"}

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", sorted({*scenarios()} - ALIKE))
def test_live(driver: Driver, name: str) -> None:
    driver.tell(name)
