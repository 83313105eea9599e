"""The scenarios for the small book of :mod:`bench`, and how long each may take.

They stand in ``scenarios/*.mjs``.  A browser has a module of its own, so that the two
can run beside each other.
"""

from __future__ import annotations

from typing import Any

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
#: What a plain `make test` runs, in Chromium alone.
SMOKE = {"a_run", "edits_are_kept", "outputs_stay_in_their_box", "restart"}


def scenarios() -> list[Any]:
    """The names, as parameters of a test; what is no smoke test is long."""
    return [
        pytest.param(name, marks=() if name in SMOKE else pytest.mark.full)
        for name in NAMES
    ]


def play(driver: Driver, name: str) -> None:
    """Run a scenario in a browser."""
    driver.tell(name, LONG.get(name, PATIENCE))


def same_as_in_a_notebook(driver: Driver) -> None:
    """Compare what programs print in the page and in a kernel."""
    in_kernel = run_in_kernel(PROGRAMS)
    assert len(PROGRAMS) >= 20 and all(in_kernel.values())
    printed = driver.tell("programs", PATIENCE)["notes"]["printed"]
    in_page = {name: text.strip() for name, text in printed.items()}
    assert in_page == {name: text.strip() for name, text in in_kernel.items()}
