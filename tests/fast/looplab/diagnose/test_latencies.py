"""A request taken apart, from a recording of two callbacks made by hand."""

from __future__ import annotations

from looplab.diagnose import Callback, Code, Recording, requests
from looplab.diagnose.recording import RequestNote

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
