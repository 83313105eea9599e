"""The example programs of the book run, and the linter says of them what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from looplab.lint import check_source

EXAMPLES = Path(__file__).resolve().parents[3] / "book" / "examples"
pytestmark = pytest.mark.skipif(
    not EXAMPLES.is_dir(), reason="the book is not here, only the package"
)


def codes(program: str) -> list[str]:
    return [
        f"{path.name} {finding.code}"
        for path in sorted((EXAMPLES / program).glob("*.py"))
        for finding in check_source(path.read_text("utf-8"))
    ]


def test_what_the_linter_finds() -> None:
    assert codes("crawler") == [
        "crawl.py LAG101",
        "crawl.py LAG205",
        "index.py LAG101",
        "index.py LAG201",
    ]
    assert codes("crawler_fixed") == []
    assert codes("service") == ["audit.py LAG201", "orders.py LAG101"]
