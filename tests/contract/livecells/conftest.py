"""Books to build; skipped where the Node packages are missing."""

from __future__ import annotations

import fcntl
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from livecells.options import OPTIONS
from livecells.sphinx.bundle import prepare
from tests.contract.livecells.books import BUILT, COMMON, MODULES, Shelf, copy_common
from tools.browser import required
from tools.environment import has_node_modules


@pytest.fixture(scope="session")
def node_modules() -> Path:
    """The Node packages that the assets are made from."""
    if not has_node_modules():
        reason = "the Node packages are not installed: run npm ci"
        if required():
            pytest.fail(f"{reason} (and ON_TIME_REQUIRE is set)", pytrace=False)
        pytest.skip(reason)
    return MODULES


@pytest.fixture(scope="session")
def cache(node_modules: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the books of these tests share.

    The assets of a book without options are made once, for all workers of pytest, and
    what they have in common with this book's is taken from its build.
    """
    run = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        run = run.parent
    made = run / "livecells"
    config = {option.name: option.default for option in OPTIONS} | COMMON
    config["livecells_cache"] = str(made)
    with (run / "livecells.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one of pytest's workers at a time
        if not made.is_dir() and (BUILT / "common.json").is_file():
            copy_common(BUILT, made)
        prepare(
            SimpleNamespace(srcdir=run, outdir="", config=SimpleNamespace(**config))
        )
    own = tmp_path_factory.mktemp("cache") / "own"
    shutil.copytree(made, own)
    return own


@pytest.fixture
def shelf(node_modules: Path, tmp_path: Path, cache: Path) -> Shelf:
    """Builds books."""
    return Shelf(tmp_path, cache)
