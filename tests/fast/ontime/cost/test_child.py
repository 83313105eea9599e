"""What runs in the clean interpreter."""

from __future__ import annotations

import pytest

from ontime.cost import (
    child,
)


@pytest.mark.parametrize(
    ("number", "samples", "least", "tries"),
    [
        (7, [(0.001, 0.03), (0.001, 0.002)], (0.001, 0.002), 2),  # it had to wait
        (7, [(0.0, 0.03), (0.0, 0.04), (0.0, 0.05)], (0.0, 0.03), 3),  # it waits
        (7, [(0.02, 0.03)], (0.02, 0.03), 1),  # it computes
        (1, [(0.0, 1.0)], (0.0, 1.0), 1),  # long enough to tell
        (7, [(0.001, 1.0), (0.001, 0.002)], (0.001, 0.002), 2),  # fewer were short
    ],
)
def test_a_stop_of_the_process_is_told_from_waiting(
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    samples: list[tuple[float, float]],
    least: tuple[float, float],
    tries: int,
) -> None:
    calls: list[int] = []

    def sample(order: object, asked: int) -> tuple[float, float]:
        calls.append(asked)
        return samples[len(calls) - 1]

    monkeypatch.setattr(child, "_sample", sample)
    assert child._undisturbed({}, number) == least
    assert calls == [number] * tries
