"""Every live cell, and what a reader does: what each change is tried with."""

from __future__ import annotations

import pytest

from tests.site.live.driver import Driver, scenarios

BROWSER = "chrome"
#: What takes long, or is for few, and is tried in ``tests/contract/site``.
RARE = {"all_screens", "slides"}


@pytest.mark.parametrize("name", sorted({*scenarios()} - RARE))
def test_live(driver: Driver, name: str) -> None:
    driver.tell(name)
