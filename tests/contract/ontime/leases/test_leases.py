"""The message-lease consumer: what it counts, exactness, schedulers and bad input."""

from __future__ import annotations

from ontime.leases import LeaseSettings, consume


def test_a_real_clock_measures_the_same_consumer() -> None:
    what = LeaseSettings(messages=3, rounds=2, cpu=0.05).scaled(1 / 50)
    run = consume(what, clock="real")
    assert run.clock == "real" and "measured" in run._repr_html_()
    assert run.processed + run.lost == 3
