"""The built site, a server for it, and one browser for each module."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.site import visits
from tools.browser import chromium, find_chromium, required
from tools.common import ROOT


def need(reason: str) -> NoReturn:
    """Skip with the reason, or fail where the browser tests are required."""
    if required():
        pytest.fail(f"{reason} (and ON_TIME_REQUIRE is set)", pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def site() -> Path:
    """The folder of the built site: ON_TIME_SITE, or built here when it is stale."""
    named = os.environ.get("ON_TIME_SITE")
    if named:
        folder = Path(named).resolve()
        assert (folder / "index.html").is_file(), f"no index.html in {folder}"
        return folder
    from tools.site import build

    return build(Path(sys.prefix), ROOT)


@pytest.fixture(scope="session")
def origin(site: Path) -> Iterator[str]:
    """The address of a server of the site, without a slash at its end."""
    with visits.serve(site) as address:
        yield address


# A module's and not the session's: while Playwright runs, this thread has a running
# event loop, in which the tests of other modules could not call asyncio.run().
@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if find_chromium() is None:
        need("no Chromium was found")
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def visitor(browser: Any) -> Iterator[Callable[..., visits.Visitor]]:
    """Makes visitors and closes them at the end."""
    made: list[visits.Visitor] = []

    def make(origin: str, **context: Any) -> visits.Visitor:
        made.append(visits.Visitor(browser, origin, **context))
        return made[-1]

    yield make
    for reader in made:
        reader.close()


@pytest.fixture(scope="session")
def axe() -> Path:
    if not visits.AXE.is_file():
        need("axe-core is not installed: run npm ci")
    return visits.AXE
