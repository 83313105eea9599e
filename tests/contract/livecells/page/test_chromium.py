"""The page of a small book in Chromium."""

from __future__ import annotations

import pytest

from tests.contract.livecells.page.bench import PROGRAMS, SCENARIOS, run_in_kernel
from tests.site.live.driver import Driver, scenarios

BROWSER = "chrome"
#: What a plain `make contract` runs; the others are long.
SMOKE = {
    "a_run",
    "content_policy",
    "edits_are_kept",
    "outlives",
    "outputs_stay_in_their_box",
    "read_before_the_click",
    "restart",
}


@pytest.mark.parametrize(
    "name",
    [
        name if name in SMOKE else pytest.param(name, marks=pytest.mark.slow)
        for name in scenarios(SCENARIOS)
    ],
)
def test_page(driver: Driver, name: str) -> None:
    notes = driver.tell(name)["notes"]
    if name == "programs":  # they print in a page what they print in a notebook
        in_kernel = run_in_kernel(PROGRAMS)
        assert all(in_kernel.values())
        # Between two outputs of a cell the page has empty lines.
        printed = {name: filled(text) for name, text in notes["printed"].items()}
        assert printed == {name: filled(text) for name, text in in_kernel.items()}


def filled(text: str) -> list[str]:
    """The lines of a text that are not empty."""
    return [line for line in text.split("\n") if line]
