"""Figures of a running program: a histogram, and its way to a monitoring system.

A *source* is a function that returns the figures as they are, a :class:`Metric` for
each name.  Python reads them by calling it; :func:`to_prometheus` and
:func:`to_opentelemetry` hand it to those systems' own clients, where they are
installed.  Nothing here needs them otherwise.
"""

from __future__ import annotations

import importlib
import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Literal

__all__ = [
    "BOUNDS",
    "Histogram",
    "Metric",
    "MissingClientError",
    "Source",
    "to_opentelemetry",
    "to_prometheus",
]

#: Upper bounds of the buckets, in seconds: three a decade, from 10 µs to 5 s.
BOUNDS = tuple(
    float(f"{digit}e{power}") for power in range(-5, 1) for digit in (1, 2.5, 5)
)


class MissingClientError(ImportError):
    """The client of the monitoring system is not installed."""


class Histogram:
    """How often something took how long.

    Reading it from another thread is safe; a reading may be one observation apart from
    the next.

    Args:
        bounds: the upper bounds of the buckets, in seconds, each greater than the one
            before.  What is greater than the last has a bucket of its own.

    Raises:
        ValueError: *bounds* is empty or not in order.
    """

    __slots__ = ("bounds", "counts", "largest", "total")

    def __init__(self, bounds: Sequence[float] = BOUNDS) -> None:
        self.bounds = tuple(float(bound) for bound in bounds)
        rising = all(a < b for a, b in zip(self.bounds, self.bounds[1:], strict=False))
        if not self.bounds or not rising or not math.isfinite(self.bounds[-1]):
            raise ValueError(
                f"bounds is {bounds!r:.80}: give finite seconds, each greater than the "
                "one before"
            )
        #: How many observations each bucket has; the last is that of the rest.
        self.counts = [0] * (len(self.bounds) + 1)
        #: The sum of all observations, in seconds.
        self.total = 0.0
        #: The largest observation, in seconds.
        self.largest = 0.0

    def observe(self, seconds: float) -> None:
        """Count one observation."""
        self.counts[bisect_left(self.bounds, seconds)] += 1
        self.total += seconds
        if seconds > self.largest:
            self.largest = seconds

    @property
    def count(self) -> int:
        """How many observations there are."""
        return sum(self.counts)

    def quantile(self, share: float) -> float:
        """Return what a share of the observations did not exceed, in seconds.

        It is the upper bound of a bucket, so the true value is at most this; in the
        last bucket it is the largest observation.  Without any it is ``nan``.

        Args:
            share: from 0 to 1; 0.99 for the 99th percentile.

        Raises:
            ValueError: *share* is not from 0 to 1.
        """
        if not 0 <= share <= 1:
            raise ValueError(f"share is {share!r}: give a number from 0 to 1")
        counts = tuple(self.counts)
        wanted = max(1, math.ceil(share * sum(counts)))
        for reached, bound in zip(accumulate(counts), self.bounds, strict=False):
            if reached >= wanted:
                return min(bound, self.largest)
        return self.largest if sum(counts) else math.nan

    def copy(self) -> Histogram:
        """Return a histogram of the same observations that gets no more of them."""
        new = Histogram(self.bounds)
        new.counts[:] = self.counts
        new.total, new.largest = self.total, self.largest
        return new

    def cumulative(self) -> Iterator[tuple[float, int]]:
        """Walk the buckets: the upper bound, and how many did not exceed it.

        The last bound is ``math.inf``.
        """
        return zip((*self.bounds, math.inf), accumulate(self.counts), strict=True)

    def __repr__(self) -> str:
        if not self.count:
            return f"<{type(self).__name__} without observations>"
        return (
            f"<{type(self).__name__} of {self.count}, 99 % at most "
            f"{self.quantile(0.99):.6g} s, largest {self.largest:.6g} s>"
        )


@dataclass(frozen=True)
class Metric:
    """A figure with a name, for each combination of its labels.

    Args:
        name: in the way of Prometheus: small letters and underscores, and the unit,
            ``looplab_lateness_seconds``.
        about: what it is, one sentence.
        kind: a ``counter`` only grows, a ``gauge`` goes up and down, a ``histogram`` is
            a :class:`Histogram`.
        labels: the names of the labels.
        values: the figure by the labels' values, in the order of *labels*.
    """

    name: str
    about: str
    kind: Literal["counter", "gauge", "histogram"]
    labels: tuple[str, ...] = ()
    values: Mapping[tuple[str, ...], float | Histogram] = field(default_factory=dict)


#: Returns every metric each time, also those that have no values so far.
Source = Callable[[], Iterable[Metric]]


def _client(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingClientError(
            f"{module} is not installed: pip install {package}"
        ) from error


def to_prometheus(source: Source, registry: Any = None) -> Callable[[], None]:
    """Let Prometheus read a source through ``prometheus_client``.

    The source is asked at each scrape, in the thread that serves it.

    Args:
        source: see :data:`Source`.
        registry: a ``CollectorRegistry``; the client's default if not given.

    Returns:
        What takes the source out of the registry.

    Raises:
        MissingClientError: ``prometheus_client`` is not installed.
        ValueError: the registry has metrics of these names (said by the client).
    """
    core: Any = _client("prometheus_client.core", "prometheus-client")
    target = core.REGISTRY if registry is None else registry
    families = {
        "counter": core.CounterMetricFamily,
        "gauge": core.GaugeMetricFamily,
        "histogram": core.HistogramMetricFamily,
    }

    class Collector:
        def collect(self) -> Iterator[Any]:
            for metric in source():
                family = families[metric.kind](
                    metric.name, metric.about, labels=metric.labels
                )
                for labels, value in metric.values.items():
                    if isinstance(value, Histogram):
                        buckets = [
                            ("+Inf" if math.isinf(bound) else repr(bound), count)
                            for bound, count in value.cumulative()
                        ]
                        family.add_metric(labels, buckets, value.total)
                    else:
                        family.add_metric(labels, value)
                yield family

    collector = Collector()
    target.register(collector)
    return lambda: target.unregister(collector)


def to_opentelemetry(source: Source, meter_provider: Any = None) -> None:
    """Let OpenTelemetry read a source through its metrics API.

    OpenTelemetry has no histogram that is read rather than fed.  So a histogram becomes
    three counters, which end in ``_bucket``, ``_count`` and ``_sum``; the buckets have
    the attribute ``le``, as in Prometheus.

    Args:
        source: see :data:`Source`; asked at each collection.
        meter_provider: the global one if not given.

    Raises:
        MissingClientError: ``opentelemetry-api`` is not installed.
    """
    api: Any = _client("opentelemetry.metrics", "opentelemetry-api")
    meter = api.get_meter("looplab", meter_provider=meter_provider)

    def reader(wanted: str, part: Callable[[Any], Iterable[Any]]) -> Callable[..., Any]:
        def read(options: Any) -> Iterator[Any]:
            for metric in source():
                if metric.name == wanted:
                    for values, value in metric.values.items():
                        labels = dict(zip(metric.labels, values, strict=True))
                        for number, more in part(value):
                            yield api.Observation(number, labels | more)

        return read

    def add(kind: str, name: str, metric: Metric, part: Any) -> None:
        create = getattr(meter, f"create_observable_{kind}")
        create(name, [reader(metric.name, part)], description=metric.about)

    for metric in source():
        if metric.kind == "histogram":
            add("counter", f"{metric.name}_bucket", metric, _buckets)
            add("counter", f"{metric.name}_count", metric, lambda h: [(h.count, {})])
            add("counter", f"{metric.name}_sum", metric, lambda h: [(h.total, {})])
        else:
            add(metric.kind, metric.name, metric, lambda value: [(value, {})])


def _buckets(histogram: Histogram) -> Iterator[tuple[int, dict[str, str]]]:
    for bound, count in histogram.cumulative():
        yield count, {"le": "+Inf" if math.isinf(bound) else repr(bound)}
