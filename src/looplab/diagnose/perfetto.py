"""A recording for Perfetto and other viewers of Chrome's trace format.

Callbacks never overlap, so the loop is one track of slices, named by tag or code.  Each
request is a span on a track of its endpoint.  A counter shows how many callbacks wait.
Open the file at a Perfetto page, or offline with ``vizviewer`` from the index.

The module uses the standard library only and runs in a browser.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TextIO

from .latencies import requests
from .naming import name_of

if TYPE_CHECKING:
    from .recording import Callback, Recording

__all__ = ["chrome_events", "write_chrome_trace"]

_PROCESS, _LOOP = 1, 1


def write_chrome_trace(recording: Recording, file: TextIO) -> None:
    """Write *recording* to *file* in Chrome's trace format, one event a line."""
    file.write('{"displayTimeUnit":"ms","traceEvents":[\n')
    between = ""
    for event in chrome_events(recording):
        file.write(between + json.dumps(event, separators=(",", ":")))
        between = ",\n"
    file.write("\n]}\n")


def chrome_events(recording: Recording) -> Iterator[dict[str, Any]]:
    """The events of *recording*; times are microseconds from its start."""
    argv = recording.about.get("argv", ())
    words = " ".join(map(str, argv[1:4])) or "recording"
    yield _name("process_name", words, 0)
    yield _name("thread_name", "event loop", _LOOP)
    zero = recording.start_ns
    waits: list[tuple[int, int]] = []
    for one in recording.callbacks:
        yield {
            "ph": "X",
            "pid": _PROCESS,
            "tid": _LOOP,
            "ts": (one.run_ns - zero) / 1000,
            "dur": one.held_ns / 1000,
            "name": name_of(recording, one),
            "cat": one.cause,
            "args": _about(one),
        }
        waits.append((min(one.waits_from_ns, one.ready_ns), 1))
        waits.append((one.run_ns, -1))
    waits.sort()
    count = 0
    for number, (at, step) in enumerate(waits):
        count += step
        if number + 1 < len(waits) and waits[number + 1][0] == at:
            continue
        yield {
            "ph": "C",
            "pid": _PROCESS,
            "ts": max(0, at - zero) / 1000,
            "name": "callbacks that wait",
            "args": {"n": count},
        }
    for number, request in enumerate(requests(recording), 1):
        shared = {
            "pid": _PROCESS,
            "tid": _LOOP,
            "cat": "request",
            "name": request.endpoint,
            "id": number,
        }
        start = max(0, request.arrived_ns - zero)
        about = {
            "kernel_ms": request.kernel_ns / 1e6,
            "queue_ms": request.queue_ns / 1e6,
            "ran_ms": request.ran_ns / 1e6,
        }
        yield {"ph": "b", "ts": start / 1000, "args": about, **shared}
        yield {"ph": "e", "ts": (request.ended_ns - zero) / 1000, **shared}


def _name(what: str, name: str, track: int) -> dict[str, Any]:
    return {
        "ph": "M",
        "pid": _PROCESS,
        "tid": track,
        "ts": 0,
        "name": what,
        "args": {"name": name},
    }


def _about(one: Callback) -> dict[str, Any]:
    about: dict[str, Any] = {"code": one.code.name}
    if one.code.place:
        about["place"] = one.code.place
    if one.task is not None:
        about["task"] = one.task
    about["waited_ms"] = max(0, one.run_ns - one.waits_from_ns) / 1e6
    if one.cpu_ns is not None:
        about["computed_ms"] = one.cpu_ns / 1e6
    return about
