"""The short form of a measured cell is for quick tests only."""

from __future__ import annotations

import pytest

from ontime.measuring import sized


@pytest.mark.parametrize(("value", "runs"), [(None, 20), ("", 20), ("0", 20), ("1", 3)])
def test_a_reader_sees_the_full_form(
    value: str | None, runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ON_TIME_SHORT", raising=False)
    if value is not None:
        monkeypatch.setenv("ON_TIME_SHORT", value)
    assert sized(20, 3) == runs
