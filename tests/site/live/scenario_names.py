"""The scenarios of the built book (``scenarios/*.mjs``), and how long each may take.

``ON_TIME_SITE`` names a built site, as in the other tests of the site.
"""

from __future__ import annotations

import pytest

from tests.site.live.driver import Driver

__all__ = ["CELLS", "READER", "SMOKE", "tell"]

#: Seconds until a scenario has failed: many times what it takes on a busy machine.
#: A page that does not get on fails much earlier, in one of the scenario's waits.
PATIENCE = 1200
#: Those that run every page.
LONG = {"every_cell": 10_800, "cells_alone": 10_800}
#: What the cells of all pages show.
CELLS = ("every_cell", "cells_alone", "changed_digit")
#: What a reader may do and meet.
READER = (
    "second_visit",
    "endless_loop",
    "errors",
    "much_output",
    "no_memory",
    "fatal",
    "offline",
    "sub_path",
    "content_policy",
    "from_history",
    "nothing_before_a_click",
    "scripts_off",
    "python_missing",
    "link_opens",
    "link_malformed",
    "link_hostile",
    "keyboard",
    "all_screens",
    "explorables",
    "explorables_broken",
    "slides",
)
#: What a plain `make test` runs: a cell that runs, and one that is stopped.  The others
#: are long.
SMOKE = {"errors", "endless_loop"}


def tell(driver: Driver, name: str) -> None:
    """Run a scenario; a failure shows its whole report."""
    answer = driver.tell(name, LONG.get(name, PATIENCE))
    if "skipped" in answer["notes"]:
        pytest.skip(answer["notes"]["skipped"])
