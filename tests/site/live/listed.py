"""The scenarios for the built book, of ``scenarios/*.mjs``, and how long each may take.

``ON_TIME_SITE`` names a built site, as in the other tests of the site.  A browser has a
module of its own, so that the two can run beside each other.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.site.live.driver import Driver

#: Seconds until a scenario has failed: many times what it takes on a busy machine.
PATIENCE = 600
#: Those that run every page.
LONG = {"every_cell": 1200, "cells_alone": 1200}
#: What a cell needs is the book's matter, not a browser's.
OF_THE_BOOK = {"cells_alone"}
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
#: What a plain `make test` runs: a cell that runs, one that is stopped, and no request
#: before a click.  The others are long.
SMOKE = {"errors", "endless_loop", "nothing_before_a_click"}


def scenarios(kind: str) -> list[Any]:
    """What a browser runs, as parameters of a test."""
    return [
        pytest.param(name, marks=() if name in SMOKE else pytest.mark.full)
        for name in NAMES
        if kind == "chrome" or name not in OF_THE_BOOK
    ]


def play(driver: Driver, name: str) -> None:
    """Run a scenario in a browser."""
    answer = driver.tell(name, LONG.get(name, PATIENCE))
    if "skipped" in answer["notes"]:
        pytest.skip(answer["notes"]["skipped"])
