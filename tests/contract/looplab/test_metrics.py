"""Figures of a running program, and their way to Prometheus and OpenTelemetry."""

from __future__ import annotations

import pytest

from looplab.metrics import (
    to_opentelemetry,
)
from tests.fast.looplab.test_metrics import source


def test_opentelemetry_reads_a_source() -> None:
    sdk = pytest.importorskip("opentelemetry.sdk.metrics")
    export = pytest.importorskip("opentelemetry.sdk.metrics.export")
    reader = export.InMemoryMetricReader()
    to_opentelemetry(source, sdk.MeterProvider(metric_readers=[reader]))
    seen = {
        (metric.name, tuple(sorted(point.attributes.items()))): point.value
        for resource in reader.get_metrics_data().resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
        for point in metric.data.data_points
    }
    assert seen == {
        ("late_seconds_bucket", (("le", "0.5"), ("level", "9"))): 1,
        ("late_seconds_bucket", (("le", "+Inf"), ("level", "9"))): 2,
        ("late_seconds_count", (("level", "9"),)): 2,
        ("late_seconds_sum", (("level", "9"),)): 4.25,
        ("busy_seconds", (("level", "9"),)): 2.5,
        ("length", ()): 3,
    }
