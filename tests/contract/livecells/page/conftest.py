"""The bench, built once, and a driver for each browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.livecells.books import Shelf
from tests.contract.livecells.page.bench import build_bench
from tests.site import checks
from tests.site.conftest import need
from tests.site.live.driver import Driver, MissingError
from tests.site.live.serve import control

SCENARIOS = Path(__file__).parent / "scenarios" / "index.mjs"


@pytest.fixture(scope="session")
def bench(
    node_modules: Path, cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The folder of the built pages."""
    return build_bench(Shelf(tmp_path_factory.mktemp("bench"), cache))


@pytest.fixture(scope="session")
def controlled(bench: Path) -> Iterator[str]:
    """The address of the control of the bench's servers."""
    with control(bench) as address:
        yield address


@pytest.fixture(scope="module")
def driver(request: pytest.FixtureRequest, controlled: str) -> Iterator[Driver]:
    """The browser that the module names, to run scenarios."""
    pictures = checks.ROOT / "_build" / "live-failures"
    pictures.mkdir(parents=True, exist_ok=True)
    try:
        kind = request.module.BROWSER
        driver = Driver(kind, controlled, pictures, checks.ROOT, SCENARIOS)
    except MissingError as error:
        need(str(error))
    yield driver
    driver.close()
