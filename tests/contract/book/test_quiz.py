"""Questions of the quizzes that no lab answers as they are asked: each is run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.fast.book.test_quiz import right
from tools.common import ROOT


class Waits:
    """A selector that notes how long it may wait."""

    def __init__(self) -> None:
        self.asked: list[float | None] = []

    def select(self, timeout: float | None) -> list[Any]:
        self.asked.append(timeout)
        return []


def selector_loop() -> Any:
    """The loop with a selector, as it stands in the lab."""
    file = ROOT / "notebooks" / "01_going_deeper.ipynb"
    cells = {cell["id"]: cell for cell in json.loads(file.read_text("utf-8"))["cells"]}
    scope: dict[str, Any] = {}
    for cell in "setup", "io-loop":
        exec("".join(cells[cell]["source"]), scope)
    return scope["SelectorLoop"]()


def test_how_long_the_selector_may_wait() -> None:
    answer = right("01_callbacks", "For how long may `select` wait?")
    loop = selector_loop()
    loop.selector.close()
    loop.selector = waits = Waits()
    loop.call_soon(int)
    loop.call_soon(int)
    loop.call_later(200, int)
    loop.run_once()
    assert waits.asked == [0] and answer == "Not at all"
    loop.run_once()  # only the timer is left
    assert waits.asked[1] == pytest.approx(200, abs=100)
    loop.timers.clear()
    loop.run_once()
    assert waits.asked[2] is None
