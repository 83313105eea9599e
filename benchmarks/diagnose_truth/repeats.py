"""How far the recordings of one unchanged program differ.

A range of ``looplab what-if`` counts what chance does to a percentile.  Two recordings
differ by more than that: the machine is a little faster or slower in each, and so is
the process.  How much more is measured here, on programs in which nothing changes, and
stands in :mod:`looplab.diagnose.prediction`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

from looplab._numbers import percentile
from looplab.diagnose.prediction import SHARES, by_chance

__all__ = ["SHORT", "needed", "row"]

SHORT = 0.005  # seconds


def row(
    framework: str, fault: str, recorded: Sequence[Mapping[str, Sequence[float]]]
) -> dict[str, Any]:
    """What is kept of the recordings of one program.

    Args:
        framework: what it serves with.
        fault: what is planted in it.
        recorded: for each recording, seconds by endpoint.

    Returns:
        By endpoint and percentile, of each recording the range in which another one is
        likely, and the value.
    """
    found: dict[str, Any] = {"framework": framework, "fault": fault, "times": {}}
    for endpoint in recorded[0]:
        of = [one[endpoint] for one in recorded]
        found["times"][endpoint] = {
            what: [[*by_chance(one, share), percentile(one, 100 * share)] for one in of]
            for what, share in SHARES
        }
    return found


def needed(rows: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
    """What the ranges lack to hold 19 of 20 pairs of recordings.

    Returns:
        As a share of the time, of times from :data:`SHORT` on; and in seconds, of
        shorter ones, of which a share would be large and say little.
    """
    shares, seconds = [], []
    for low, high, value in _pairs(rows):
        lacking = max(0.0, low - value, value - high)
        if value >= SHORT:
            shares.append(lacking / (low if value < low else high))
        else:
            seconds.append(lacking)
    return percentile(shares or [0.0], 95), percentile(seconds or [0.0], 95)


def _pairs(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[float, float, float]]:
    """The range of each recording, and the value of each other one of the program."""
    for one in rows:
        for by_share in one["times"].values():
            for recordings in by_share.values():
                for (low, high, _), (_, _, value) in permutations(recordings, 2):
                    yield low, high, value
