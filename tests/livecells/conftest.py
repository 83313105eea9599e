"""Books to build; skipped where the Node packages are missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.livecells.books import MODULES, Shelf
from tools.browser import required
from tools.environment import has_node_modules


@pytest.fixture(scope="session")
def node_modules() -> Path:
    """The Node packages that the assets are made from."""
    if not has_node_modules():
        reason = "the Node packages are not installed: run npm ci"
        if required():
            pytest.fail(f"{reason} (and ON_TIME_REQUIRE_BROWSER is set)", pytrace=False)
        pytest.skip(reason)
    return MODULES


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the books of these tests share."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def shelf(node_modules: Path, tmp_path: Path, cache: Path) -> Shelf:
    """Builds books."""
    return Shelf(tmp_path, cache)
