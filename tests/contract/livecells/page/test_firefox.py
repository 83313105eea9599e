"""The page of a small book in Firefox."""

from __future__ import annotations

import pytest

from tests.contract.livecells.page.scenario_names import NAMES, compare_programs, tell
from tests.site.live.driver import Driver

BROWSER = "firefox"
#: What is the page's own, the same in every browser.
ALIKE = {
    "code_set_while_the_editor_loads",
    "help_without_python",
    "kept_by_a_later_run",
    "notebook_with_edits",
    "packages",
    "run_all_starts_anew",
    "the_size_is_said",
    "too_much_is_shown_as_text",
}

pytestmark = pytest.mark.slow  # a plain `make test` opens one browser


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ALIKE])
def test_page(driver: Driver, name: str) -> None:
    tell(driver, name)


def test_programs_print_what_they_print_in_a_notebook(driver: Driver) -> None:
    compare_programs(driver)
