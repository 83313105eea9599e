"""Timelines of the labs are drawn as they are committed, to the byte."""

from __future__ import annotations

import pytest

from tests.fast.cells import as_committed, run_again


@pytest.mark.parametrize(
    ("notebook", "cell"),
    [
        ("04_late_heartbeat", "storm-zoom"),
        ("04_late_heartbeat", "storm-spread"),
        ("04_late_heartbeat", "queue-picture"),
        ("04_going_deeper", "queue-overview"),
        ("07_priority", "one-picture"),
        ("07_priority", "loop-picture"),
    ],
)
def test_a_timeline_of_a_lab(notebook: str, cell: str) -> None:
    assert run_again(notebook, cell) == as_committed(notebook, cell)
