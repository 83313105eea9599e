"""Every live cell, and what a reader does: what each change is tried with."""

from __future__ import annotations

import pytest

from tests.site.live.driver import Driver, scenarios

BROWSER = "chrome"
#: What is rare, or takes long, and is tried in ``tests/contract/site``.
RARE = {
    "all_screens",
    "explorables_broken",
    "fatal",
    "link_malformed",
    "no_memory",
    "python_missing",
    "scripts_off",
    "slides",
}


@pytest.mark.parametrize("name", sorted({*scenarios()} - RARE))
def test_live(driver: Driver, name: str) -> None:
    driver.tell(name)
