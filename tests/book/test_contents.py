"""The table of contents: the number of a chapter is the same wherever it stands."""

from __future__ import annotations

from typing import Any

import yaml

from tests.notebooks.guards import ROOT


def test_the_sidebar_counts_the_chapters_as_their_files_do() -> None:
    contents: dict[str, Any] = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    numbered = [part for part in contents["parts"] if part.get("numbered")]
    (chapters,) = numbered
    assert chapters["numbered"] == 1, "a lab goes with its page and has no number"
    for number, chapter in enumerate(chapters["chapters"], start=1):
        stem = f"book/{number:02d}_"
        assert chapter["file"].startswith(stem), (
            f"chapter {number} is {chapter['file']}"
        )
        for lab in chapter["sections"]:
            assert lab["file"].startswith(f"notebooks/{number:02d}_")
