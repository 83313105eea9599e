"""Figures of a running program, and their way to Prometheus and OpenTelemetry."""

from __future__ import annotations

import math
import sys

import pytest

from looplab.metrics import (
    BOUNDS,
    Histogram,
    Metric,
    MissingClientError,
    to_opentelemetry,
    to_prometheus,
)


def test_a_histogram_counts_in_buckets() -> None:
    histogram = Histogram([0.1, 1])
    for seconds in (0, 0.1, 0.2, 1, 5):
        histogram.observe(seconds)
    assert histogram.counts == [2, 2, 1]
    assert histogram.count == 5
    assert histogram.total == pytest.approx(6.3)
    assert histogram.largest == 5
    assert list(histogram.cumulative()) == [(0.1, 2), (1, 4), (math.inf, 5)]


def test_a_quantile_is_never_too_small() -> None:
    histogram = Histogram()
    values = [0.00001 * number**2 for number in range(1, 1_001)]
    for value in values:
        histogram.observe(value)
    for share in (0, 0.01, 0.5, 0.9, 0.99, 1):
        true = values[max(0, math.ceil(share * len(values)) - 1)]
        assert true <= histogram.quantile(share) <= max(BOUNDS[0], 2.5 * true)
    assert histogram.quantile(1) == histogram.largest
    few = Histogram([1, 10])
    few.observe(3)
    assert few.quantile(0.5) == 3, "none was larger, whatever the bucket holds"
    assert math.isnan(Histogram().quantile(0.5))


def test_a_copy_stands_still() -> None:
    histogram = Histogram()
    histogram.observe(1)
    copy = histogram.copy()
    histogram.observe(2)
    assert (copy.count, histogram.count) == (1, 2)
    assert "of 2" in repr(histogram)
    assert "without" in repr(Histogram())


@pytest.mark.parametrize("bounds", [[], [1, 1], [2, 1], [1, math.inf], [math.nan, 1]])
def test_bad_bounds_are_named(bounds: list[float]) -> None:
    with pytest.raises(ValueError, match="bounds is"):
        Histogram(bounds)


@pytest.mark.parametrize("share", [-0.1, 1.1, math.nan])
def test_a_bad_share_is_named(share: float) -> None:
    with pytest.raises(ValueError, match="share is"):
        Histogram().quantile(share)


def source() -> list[Metric]:
    histogram = Histogram([0.5])
    histogram.observe(0.25)
    histogram.observe(4)
    return [
        Metric(
            "late_seconds", "How late.", "histogram", ("level",), {("9",): histogram}
        ),
        Metric("busy_seconds", "Held.", "counter", ("level",), {("9",): 2.5}),
        Metric("length", "Wait.", "gauge", (), {(): 3}),
        Metric("nothing", "None so far.", "gauge", ("level",)),
    ]


def test_prometheus_reads_a_source() -> None:
    client = pytest.importorskip("prometheus_client")
    registry = client.CollectorRegistry()
    remove = to_prometheus(source, registry)
    text = client.generate_latest(registry).decode()
    for line in (
        'late_seconds_bucket{le="0.5",level="9"} 1.0',
        'late_seconds_bucket{le="+Inf",level="9"} 2.0',
        'late_seconds_sum{level="9"} 4.25',
        'busy_seconds_total{level="9"} 2.5',
        "length 3.0",
    ):
        assert line in text.splitlines()
    remove()
    assert not client.generate_latest(registry).decode().strip()


@pytest.mark.parametrize(
    ("export", "module", "package"),
    [
        (to_prometheus, "prometheus_client", "prometheus-client"),
        (to_opentelemetry, "opentelemetry", "opentelemetry-api"),
    ],
)
def test_a_missing_client_is_named(
    monkeypatch: pytest.MonkeyPatch, export: object, module: str, package: str
) -> None:
    for name in list(sys.modules):
        if name.split(".")[0] == module:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingClientError, match=f"pip install {package}"):
        export(source)  # type: ignore[operator]
