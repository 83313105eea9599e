"""A command under a supervisor: what it gives back, and that nothing of it is left."""

from __future__ import annotations

from ontime.measuring import processes


def test_the_last_line() -> None:
    assert processes.last_line("a\n  b \n\n") == "b"
    assert processes.last_line(" \n") == "it said nothing"
