"""What the page fetches: small, complete, of one release, the same every time."""

from __future__ import annotations

from pathlib import Path

import pytest
from sphinx.errors import ExtensionError

from livecells.sphinx import wheels


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
