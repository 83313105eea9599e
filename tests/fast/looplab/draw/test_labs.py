"""A step chart of a lab is drawn as it is committed, to the byte."""

from __future__ import annotations

from tests.fast.cells import as_committed, run_again


def test_a_step_chart_of_a_lab() -> None:
    lab = ("05_backpressure", "grow-picture")
    assert run_again(*lab) == as_committed(*lab)
