"""The core of a lab takes an hour: what goes deeper has a notebook of its own."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.fast.notebooks.guards import BOOK, ROOT

CELLS = 60
MINUTES = 60
SAYS = re.compile(r"(\d+) (?:minutes )?for the \[lab\]\(\.\./notebooks/([\w.]+)\)")

PAIRS = [
    (BOOK / f"{lab.stem}.md", lab)
    for lab in sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
    if (BOOK / f"{lab.stem}.md").is_file()
]

each_lab = pytest.mark.parametrize(
    ("page", "lab"), PAIRS, ids=[lab.stem for _, lab in PAIRS]
)


def test_each_chapter_has_a_lab() -> None:
    assert len(PAIRS) == len(list(BOOK.glob("[0-9][0-9]_*.md"))) == 8


@each_lab
def test_a_reader_sees_at_most_sixty_cells(page: Path, lab: Path) -> None:
    cells = json.loads(lab.read_text("utf-8"))["cells"]
    seen = [
        cell for cell in cells if "remove-cell" not in cell["metadata"].get("tags", [])
    ]
    assert len(seen) <= CELLS, (
        f"{len(seen)}: move a section to {lab.stem[:2]}_going_deeper"
    )


@each_lab
def test_the_page_says_at_most_an_hour_for_it(page: Path, lab: Path) -> None:
    text = " ".join(page.read_text("utf-8").split())
    stated = [int(minutes) for minutes, name in SAYS.findall(text) if name == lab.name]
    assert stated, f"{page.name} does not say how long its lab takes"
    assert max(stated) <= MINUTES
