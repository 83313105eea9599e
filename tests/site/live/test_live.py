"""The live cells and the explorables of the built book, in Chromium and in Firefox.

Each test is a scenario of ``scenarios/*.mjs``; a test here says how long it may take.
``ON_TIME_SITE`` names a built site, as in the other tests of the site.
"""

from __future__ import annotations

import pytest

from tests.site.live.driver import Driver

#: Seconds until a scenario has failed: many times what it takes on a quiet machine.
LIMITS = {
    "every_cell": 600,
    "cells_alone": 450,
    "changed_digit": 200,
    "second_visit": 200,
    "endless_loop": 150,
    "errors": 150,
    "much_output": 200,
    "no_memory": 200,
    "fatal": 200,
    "offline": 150,
    "sub_path": 120,
    "content_policy": 150,
    "from_history": 240,
    "nothing_before_a_click": 120,
    "scripts_off": 60,
    "python_missing": 240,
    "link_opens": 150,
    "link_malformed": 150,
    "link_hostile": 120,
    "keyboard": 200,
    "all_screens": 240,
    "explorables": 120,
    "explorables_broken": 90,
    "slides": 240,
}
#: What a plain `make test` runs: a cell that runs, one that is stopped, and no request
#: before a click.  The others are long.
SMOKE = {"errors", "endless_loop", "nothing_before_a_click"}
SCENARIOS = [
    name if name in SMOKE else pytest.param(name, marks=pytest.mark.full)
    for name in LIMITS
]


@pytest.mark.parametrize("name", SCENARIOS)
def test_live(driver: Driver, name: str) -> None:
    answer = driver.tell(name, LIMITS[name])
    if "skipped" in answer["notes"]:
        pytest.skip(answer["notes"]["skipped"])
