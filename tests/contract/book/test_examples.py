"""The example programs of the book run, and the linter says of them what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract.looplab.fresh import python

EXAMPLES = Path(__file__).resolve().parents[3] / "book" / "examples"
pytestmark = pytest.mark.skipif(
    not EXAMPLES.is_dir(), reason="the book is not here, only the package"
)


@pytest.mark.parametrize("program", ["crawler", "crawler_fixed"])
def test_the_crawlers_agree(program: str) -> None:
    done = python("-B", "-m", program, cwd=EXAMPLES)
    assert done.stderr == ""
    assert done.stdout == "360 words, most often 'page'\n"
