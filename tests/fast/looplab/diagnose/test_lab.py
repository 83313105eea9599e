"""What the lab asks of its recording is answered as it is committed."""

from __future__ import annotations

import pytest

from tests.fast.cells import as_committed, run_again

ABOVE = {
    "who-place": ["who-load"],
    "endpoints": ["who-load"],
    "what-if-run": ["who-load", "endpoints"],
}


@pytest.mark.parametrize("cell", ABOVE)
def test_a_question_of_the_lab(cell: str) -> None:
    again = run_again("08_your_program", cell, *ABOVE[cell])
    assert again == as_committed("08_your_program", cell)
