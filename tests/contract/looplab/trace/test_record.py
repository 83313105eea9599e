"""What a trace can be asked."""

from __future__ import annotations

from looplab.trace import record
from tests.fast.looplab.trace.helpers import (
    small_program,
    small_storm,
)


def test_how_a_trace_shows_itself() -> None:
    trace = record(small_storm())
    assert repr(trace) == (
        "<Trace callbacks: 11, time: 2.75 s (virtual clock, exact), busy: 1.5 s, "
        "idle: 1.25 s, worst lateness: 1.25 s>"
    )
    html = trace._repr_html_()
    assert '<th scope="row">worst lateness</th><td>1.25 s</td>' in html
    assert "measured" in repr(record(small_program(), clock="real"))
