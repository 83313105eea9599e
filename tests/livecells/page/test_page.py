"""The page in Chromium and in Firefox, on the small book of :mod:`bench`.

Each test is a scenario of ``scenarios/*.mjs``; a test here says how long it may take.
"""

from __future__ import annotations

import pytest

from tests.livecells.page.bench import PROGRAMS, run_in_kernel
from tests.site.live.driver import Driver

#: Seconds until a scenario has failed: many times what it takes on a busy machine.
PATIENCE = 400
LONG = {"python_reaches_nothing": 1000, "floods": 1500}
NAMES = (
    "a_run",
    "packages",
    "strict_policy",
    "the_size_is_said",
    "read_before_the_click",
    "edit_fetches_no_python",
    "stop_while_loading",
    "run_all_starts_anew",
    "restart",
    "bar_stays_in_view",
    "without_private_parts",
    "printed",
    "outputs_stay_in_their_box",
    "python_reaches_nothing",
    "floods",
    "too_much_is_shown_as_text",
    "poison",
    "link_of_a_stranger",
    "help_without_python",
    "help_from_python",
    "rich_outputs",
    "edits_are_kept",
    "shared_link",
    "notebook_with_edits",
)
#: What a plain `make test` runs, in Chromium alone; the others are long.
SMOKE = {"a_run", "edits_are_kept", "outputs_stay_in_their_box", "restart"}
SCENARIOS = [
    name if name in SMOKE else pytest.param(name, marks=pytest.mark.full)
    for name in NAMES
]


@pytest.mark.parametrize("name", SCENARIOS)
def test_page(driver: Driver, name: str) -> None:
    driver.tell(name, LONG.get(name, PATIENCE))


@pytest.fixture(scope="module")
def in_kernel() -> dict[str, str]:
    return run_in_kernel(PROGRAMS)


@pytest.mark.full
def test_programs_print_what_they_print_in_a_notebook(
    driver: Driver, in_kernel: dict[str, str]
) -> None:
    assert len(PROGRAMS) >= 20 and all(in_kernel.values())
    printed = driver.tell("programs", PATIENCE)["notes"]["printed"]
    in_page = {name: text.strip() for name, text in printed.items()}
    assert in_page == {name: text.strip() for name, text in in_kernel.items()}
