"""The bench, built once, and a driver for each browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.livecells.books import Shelf
from tests.contract.livecells.page.bench import build_bench
from tests.site.live.conftest import driver, pictures
from tests.site.live.serve import control

__all__ = ["driver", "pictures"]


@pytest.fixture(scope="session")
def controlled(
    node_modules: Path, cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The address of the control of the bench's servers."""
    shelf = Shelf(tmp_path_factory.mktemp("bench"), cache)
    with control(build_bench(shelf)) as address:
        yield address
