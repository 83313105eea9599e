"""The scenarios of the small book of :mod:`bench` (``scenarios/*.mjs``)."""

from __future__ import annotations

from tests.contract.livecells.page.bench import PROGRAMS, run_in_kernel
from tests.site.live.driver import Driver

__all__ = ["NAMES", "SMOKE", "compare_programs", "tell"]

#: Seconds until a scenario has failed: many times what it takes on a busy machine.
PATIENCE = 1200
LONG = {"python_reaches_nothing": 3600, "floods": 3600}
NAMES = (
    "a_run",
    "packages",
    "strict_policy",
    "the_size_is_said",
    "read_before_the_click",
    "edit_fetches_no_python",
    "stop_while_loading",
    "restart_while_loading",
    "kept_by_a_later_run",
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
    "code_set_while_the_editor_loads",
    "help_without_python",
    "help_from_python",
    "rich_outputs",
    "edits_are_kept",
    "shared_link",
    "notebook_with_edits",
)
#: What a plain `make test` runs, in Chromium alone; the others are long.
SMOKE = {"a_run", "edits_are_kept", "outputs_stay_in_their_box", "restart"}


def tell(driver: Driver, name: str) -> None:
    """Run a scenario; a failure shows its whole report."""
    driver.tell(name, LONG.get(name, PATIENCE))


def compare_programs(driver: Driver) -> None:
    """Programs print in a page what they print in a notebook."""
    in_kernel = run_in_kernel(PROGRAMS)
    assert len(PROGRAMS) >= 40 and all(in_kernel.values())
    printed = driver.tell("programs", PATIENCE)["notes"]["printed"]
    in_page = {name: text.strip() for name, text in printed.items()}
    assert in_page == {name: text.strip() for name, text in in_kernel.items()}
