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
    "cells_alone": 300,
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
}


@pytest.mark.parametrize("name", LIMITS)
def test_live(driver: Driver, name: str) -> None:
    answer = driver.run(name, LIMITS[name])
    for key, value in answer["notes"].items():
        print(f"{key}: {value}")
    if answer["ok"]:
        if "skipped" in answer["notes"]:
            pytest.skip(answer["notes"]["skipped"])
        return
    lines = [answer["message"]]
    if answer.get("step"):
        lines.append(f"It was {answer['step']}.")
    if answer.get("picture"):
        lines.append(f"The page then: {answer['picture']}")
    lines += ["The console:", *(f"  {line}" for line in answer["console"])]
    pytest.fail("\n".join(lines), pytrace=False)
