"""What the captures say of the guard with each set of libraries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.fast.book.spinning_loop.example import guard, programs


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (True, True, "the guard passed with the old libraries"),
        (False, False, r"the guard failed \(turned\) with the new libraries"),
    ],
)
def test_a_guard_that_is_wrong(
    old: bool, new: bool, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = {"old": old, "new": new}

    def check(side: str, *rest: object) -> dict[str, Any]:
        words = "" if results[side] else "turned"
        figures = {"passed": results[side], "words": words, "versions": {"x": "1"}}
        return figures | {"short_passed": results[side], "short_words": words}

    monkeypatch.setattr(guard, "check", check)
    with pytest.raises(programs.CaptureError, match=message):
        guard.capture(tmp_path, tmp_path, lambda line: None)
    assert not list(tmp_path.iterdir())


def test_the_words_of_a_guard_keep_their_lines() -> None:
    words = "two loops turned:\n  " + "a task " * 12 + "\nSomething polls."
    rows = guard.wrapped(words).splitlines()
    assert rows[0] == "two loops turned:"
    assert rows[1].startswith("  a task")
    assert rows[2].startswith("    a task")
    assert rows[-1] == "Something polls."
    assert max(map(len, rows)) <= 79
