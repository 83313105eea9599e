"""What a reader of the built book may do and meet, in Firefox; a third of its cells.

What a cell needs of the others is the book's matter, not a browser's.
"""

from __future__ import annotations

import pytest

from tests.site.live.driver import Driver
from tests.site.live.scenario_names import CELLS, READER, tell

BROWSER = "firefox"
NAMES = [name for name in (*CELLS, *READER) if name != "cells_alone"]

pytestmark = pytest.mark.full  # a plain `make test` opens one browser


@pytest.mark.parametrize("name", NAMES)
def test_live(driver: Driver, name: str) -> None:
    tell(driver, name)
