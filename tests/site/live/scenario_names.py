"""The scenarios of the built book (``scenarios/*.mjs``), by where they are run.

A scenario awaits a state of the page and never a time; one limit ends those that hang.
``ON_TIME_SITE`` names a built site, as in the other tests of the site.
"""

from __future__ import annotations

import pytest

from tests.site.live.driver import Driver

__all__ = ["LIMIT", "MORE", "READER", "tell"]

#: Seconds after which a scenario is said to hang.
LIMIT = 1800
#: What each change is tried with: every live cell, and what a reader does.
READER = (
    "every_cell",
    "content_policy",
    "endless_loop",
    "errors",
    "explorables",
    "from_history",
    "keyboard",
    "link_hostile",
    "link_opens",
    "nothing_before_a_click",
    "offline",
    "outlives",
    "player",
    "predictions",
    "second_visit",
    "sub_path",
)
#: What is rare, or takes long.
MORE = (
    "all_screens",
    "cells_alone",
    "explorables_broken",
    "fatal",
    "link_malformed",
    "much_output",
    "no_memory",
    "python_missing",
    "scripts_off",
    "slides",
)


def tell(driver: Driver, name: str, limit: float = LIMIT) -> None:
    """Run a scenario; a failure shows its whole report."""
    answer = driver.tell(name, limit)
    if "skipped" in answer["notes"]:
        pytest.skip(answer["notes"]["skipped"])
