"""What the page fetches: small, complete, of one release, the same every time."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sphinx.errors import ExtensionError

from livecells.sphinx import bundle as assets
from livecells.sphinx import library, wheels
from tests.contract.livecells.books import COMMON, OPTIONS
from tools.common import ROOT


@pytest.fixture(scope="session")
def make(node_modules: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Makes the assets of this book as its build does, in a cache of one's own."""

    def make(
        cache: Path | None = None, root: Path = ROOT, **config: Any
    ) -> assets.Bundle:
        cache = cache or tmp_path_factory.mktemp("assets")
        options = {
            **COMMON,
            "livecells_cache": str(cache),
            "livecells_wheels": OPTIONS["livecells_wheels"],
            **config,
        }
        app = SimpleNamespace(srcdir=root, outdir="", config=SimpleNamespace(**options))
        return assets.prepare(app)

    return make


def hurry(patch: pytest.MonkeyPatch) -> None:
    """Compile nothing, as where there is no Node, and pack with little effort."""
    patch.setattr(library.shutil, "which", lambda _: None)
    patch.setattr(library, "PACKING", 1)


@pytest.fixture(scope="session")
def small(make: Any) -> assets.Bundle:
    """The assets without a wheel, made in a hurry."""
    with pytest.MonkeyPatch.context() as patch:
        hurry(patch)
        made: assets.Bundle = make(livecells_wheels=[])
    return made


def test_a_project_says_what_no_page_needs(tmp_path: Path) -> None:
    for name in ("a.py", "bank/b.py", "bank/deep/c.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    about = tmp_path / "pyproject.toml"
    about.write_text('[tool.livecells]\nexclude = ["bank/*"]\n')
    assert {f.name for f in wheels.project_files(tmp_path)} == {"a.py", about.name}
    for wrong in ('[tool.livecells]\nexclude = "bank"\n', "[tool"):
        about.write_text(wrong)
        with pytest.raises(ExtensionError, match=r"pyproject\.toml"):
            list(wheels.project_files(tmp_path))
    bank = ROOT / "src" / "ontime" / "check" / "bank"
    assert bank.is_dir()
    files = list(wheels.project_files(ROOT / "src" / "ontime"))
    assert files and not any(bank in file.parents for file in files)


# ---- what is there ----------------------------------------------------------


# ---- releases ---------------------------------------------------------------


# ---- the cache --------------------------------------------------------------


# ---- the wheel --------------------------------------------------------------
