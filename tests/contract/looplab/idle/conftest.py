"""Fixtures of the tests of the guard."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from looplab.idle import guard
from tests.contract.looplab.idle.opened import wait_until


@pytest.fixture(autouse=True)
def every_loop_is_found(unfrozen: None) -> None:
    """The guard looks through all objects."""


@pytest.fixture
def lasts_until(
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[Callable[[], object]], None]:
    """Have the counts of the guard last until a condition holds, not for a time."""

    def change(condition: Callable[[], object]) -> None:
        def sleep(seconds: float) -> None:
            if seconds:  # not the wait before the count
                wait_until(condition)

        clock = SimpleNamespace(sleep=sleep)
        monkeypatch.setattr(guard, "time", clock)
        monkeypatch.setattr(guard, "_COUNTS", 1)  # none of these counts is late

    return change
