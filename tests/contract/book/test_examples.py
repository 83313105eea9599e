"""The example programs of the book run, and the linter says of them what it says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.left import SLOW

EXAMPLES = Path(__file__).resolve().parents[3] / "book" / "examples"
pytestmark = pytest.mark.skipif(
    not EXAMPLES.is_dir(), reason="the book is not here, only the package"
)


@pytest.mark.parametrize("program", ["crawler", "crawler_fixed"])
def test_the_crawlers_agree(program: str) -> None:
    done = subprocess.run(
        [sys.executable, "-B", "-m", program],
        cwd=EXAMPLES,
        capture_output=True,
        text=True,
        timeout=SLOW,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout == "360 words, most often 'page'\n"
