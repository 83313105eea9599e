"""The control of the servers, and a driver for each browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.site.conftest import need
from tests.site.live.driver import SCENARIOS, Driver, MissingError
from tests.site.live.serve import control
from tools.common import ROOT


@pytest.fixture(scope="session")
def controlled(site: Path) -> Iterator[str]:
    """The address of the control of the servers of the site."""
    with control(site) as address:
        yield address


@pytest.fixture(scope="session")
def pictures() -> Path:
    """The folder for pictures of what failed."""
    folder = ROOT / "_build" / "live-failures"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def driver(
    request: pytest.FixtureRequest, controlled: str, pictures: Path
) -> Iterator[Driver]:
    """The browser and the scenarios that the module names."""
    folder = getattr(request.module, "SCENARIOS", SCENARIOS)
    kind = request.module.BROWSER
    try:
        driver = Driver(kind, controlled, pictures, ROOT, folder)
    except MissingError as error:
        need(str(error))
    yield driver
    driver.close()
