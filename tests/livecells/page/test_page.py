"""The page in Chromium and in Firefox, on the small book of :mod:`bench`.

Each test is a scenario of ``scenarios/*.mjs``; a test here says how long it may take.
"""

from __future__ import annotations

import pytest

from tests.livecells.page.bench import PROGRAMS, run_in_kernel
from tests.site.live.driver import Driver

#: Seconds until a scenario has failed: many times what it takes on a quiet machine.
LIMITS = {
    "a_run": 150,
    "packages": 200,
    "strict_policy": 150,
    "the_size_is_said": 60,
    "read_before_the_click": 200,
    "edit_fetches_no_python": 60,
    "stop_while_loading": 150,
    "run_all_starts_anew": 200,
    "restart": 200,
    "bar_stays_in_view": 60,
    "without_private_parts": 250,
    "printed": 60,
    "outputs_stay_in_their_box": 200,
    "python_reaches_nothing": 1000,
    "floods": 700,
    "too_much_is_shown_as_text": 150,
    "poison": 200,
    "link_of_a_stranger": 150,
    "help_without_python": 100,
    "help_from_python": 200,
    "rich_outputs": 200,
    "edits_are_kept": 100,
    "shared_link": 200,
    "notebook_with_edits": 100,
}


@pytest.mark.parametrize("name", LIMITS)
def test_page(driver: Driver, name: str) -> None:
    driver.tell(name, LIMITS[name])


@pytest.fixture(scope="module")
def in_kernel() -> dict[str, str]:
    return run_in_kernel(PROGRAMS)


def test_programs_print_what_they_print_in_a_notebook(
    driver: Driver, in_kernel: dict[str, str]
) -> None:
    assert len(PROGRAMS) >= 20 and all(in_kernel.values())
    printed = driver.tell("programs", 240)["notes"]["printed"]
    in_page = {name: text.strip() for name, text in printed.items()}
    assert in_page == {name: text.strip() for name, text in in_kernel.items()}
