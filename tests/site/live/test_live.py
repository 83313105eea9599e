"""The live cells and the explorables of the built book, in Chromium and in Firefox.

Each test is a scenario of ``scenarios/*.mjs``; a test here says how long it may take.
``ON_TIME_SITE`` names a built site, as in the other tests of the site.
"""

from __future__ import annotations

import pytest

from tests.site.live.driver import Driver

#: Seconds until a scenario has failed: many times what it takes on a busy machine.
PATIENCE = 600
#: Those that run every page.
LONG = {"every_cell": 1200, "cells_alone": 1200}
NAMES = (
    "every_cell",
    "cells_alone",
    "changed_digit",
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
SCENARIOS = [
    name if name in SMOKE else pytest.param(name, marks=pytest.mark.full)
    for name in NAMES
]


@pytest.mark.parametrize("name", SCENARIOS)
def test_live(driver: Driver, name: str) -> None:
    if name == "cells_alone" and driver.kind != "chrome":
        pytest.skip("what a cell needs is the book's matter, not a browser's")
    answer = driver.tell(name, LONG.get(name, PATIENCE))
    if "skipped" in answer["notes"]:
        pytest.skip(answer["notes"]["skipped"])
