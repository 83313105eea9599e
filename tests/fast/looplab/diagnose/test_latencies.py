"""A request taken apart, from a recording of two callbacks made by hand."""

from __future__ import annotations

from looplab.diagnose import Callback, Code, Recording, requests
from looplab.diagnose.events import RequestNote

MS = 1_000_000


def test_later_data_of_a_request_lay_in_the_kernel_too():
    first = Callback(0, 10 * MS, 12 * MS, 13 * MS, MS, "io", None, Code("read"), "t")
    later = Callback(1, 100 * MS, 105 * MS, 107 * MS, MS, "io", None, Code("read"), "t")
    first.tag = later.tag = 1
    first.arrived_ns, later.arrived_ns = 4 * MS, 60 * MS
    note = RequestNote(1, 0, 1, 12 * MS, 107 * MS)
    [request] = requests(Recording([first, later], tags={1: "GET /"}, notes=[note]))
    assert request.arrived_ns == 4 * MS
    assert request.kernel_ns == (6 + 40) * MS
    assert request.queue_ns == (2 + 5) * MS
    assert request.ran_ns == (1 + 2) * MS
    assert request.elsewhere_ns == request.total_ns - 56 * MS


def test_a_request_that_a_late_timer_set_off_came_when_that_was_due():
    timer = Callback(0, 10 * MS, 12 * MS, 13 * MS, MS, "timer", None, Code("tick"), "t")
    timer.due_ns, timer.tag = 4 * MS, 1
    note = RequestNote(1, 0, 0, 12 * MS, 13 * MS)
    [request] = requests(Recording([timer], tags={1: "job"}, notes=[note]))
    parts = request.kernel_ns, request.queue_ns, request.ran_ns
    assert (request.arrived_ns, *parts) == (4 * MS, 6 * MS, 2 * MS, MS)
