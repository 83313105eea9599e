"""What a trace can be asked."""

from __future__ import annotations

import pytest

from looplab.trace import Origin, Record, Trace, record
from tests.fast.looplab.trace.helpers import MS, small_storm


def make(
    run_ns: int, end_ns: int, *, due: int | None = None, task: str = "t"
) -> Record:
    return Record(min(run_ns, due or run_ns), due, run_ns, end_ns, task, "job")


def test_a_record_in_seconds() -> None:
    timed = Record(1 * MS, 500_000, 3 * MS, 7 * MS, "t", "job")
    times = timed.ready_at, timed.due_at, timed.run_at, timed.ended_at
    assert times == (0.001, 0.0005, 0.003, 0.007)
    assert (timed.lateness, timed.queueing_delay, timed.duration) == (
        0.0025,
        0.002,
        0.004,
    )
    assert make(5, 6).lateness is None
    assert repr(timed) == "<Record job in t: ran 0.003 to 0.007 s, 0.0025 s late>"
    with pytest.raises(AttributeError):
        timed.task = "other"  # type: ignore[misc]


def test_a_trace_is_a_sequence() -> None:
    trace = Trace([make(0, 1), make(2, 4, due=1), make(4, 9, task="u")], end_ns=20)
    assert (len(trace), trace[1].run_ns, trace[-1].task) == (3, 2, "u")
    part = trace[1:]
    assert isinstance(part, Trace)
    assert (list(part), part.end_ns) == ([trace[1], trace[2]], 20)
    with pytest.raises(ValueError, match="runs forwards"):
        trace[::-1]
    assert list(trace.filter(task="u")) == [trace[2]]
    assert list(trace.filter(lambda r: r.duration > 1e-9, label="job")) == list(part)
    assert trace.latest == trace[1]
    assert trace.longest == trace[2]
    assert (trace.busy, trace.idle) == (8e-9, 12e-9)


def test_an_empty_trace_has_numbers() -> None:
    trace = Trace([])
    assert (trace.busy, trace.idle, trace.duration) == (0, 0, 0)
    assert (trace.worst_lateness, trace.latest, trace.longest) == (None, None, None)


def test_records_out_of_order_are_refused() -> None:
    with pytest.raises(ValueError, match="in the order in which they ran"):
        Trace([make(5, 6), make(0, 1)])
    with pytest.raises(ValueError, match="ended before it ran"):
        Trace([make(5, 4)])
    with pytest.raises(ValueError, match=r"2 origins for 1 .*give one for each"):
        Trace([make(0, 0)], origins=[Origin(0, None, None)] * 2)


def test_how_a_trace_shows_itself() -> None:
    trace = record(small_storm())
    assert repr(trace) == (
        "<Trace callbacks: 11, time: 2.75 s (virtual clock, exact), busy: 1.5 s, "
        "idle: 1.25 s, worst lateness: 1.25 s>"
    )
    html = trace._repr_html_()
    assert '<th scope="row">worst lateness</th><td>1.25 s</td>' in html
    assert "measured" in repr(Trace(trace, clock="real"))
    again = record(small_storm())
    assert (again, hash(again)) == (trace, hash(trace))
    assert hash(trace) != hash(trace[1:])
    assert Trace(trace, end_ns=trace.end_ns, clock="real") != trace
