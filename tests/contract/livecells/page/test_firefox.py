"""The page of a small book in Firefox."""

from __future__ import annotations

import pytest

from tests.contract.livecells.page import test_chromium
from tests.contract.livecells.page.bench import SCENARIOS
from tests.site.live.driver import Driver, scenarios

BROWSER = "firefox"
#: What is the page's own, the same in every browser.
ALIKE = {
    "fatal",
    "figure_missing",
    "help_without_python",
    "notebook_with_edits",
    "packages",
    "python_missing",
    "too_much_is_shown_as_text",
}

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", [n for n in scenarios(SCENARIOS) if n not in ALIKE])
def test_page(driver: Driver, name: str) -> None:
    test_chromium.test_page(driver, name)
