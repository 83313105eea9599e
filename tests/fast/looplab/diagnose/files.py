"""Writes a recording into a file, as a traced process does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from looplab._numbers import NS
from looplab.diagnose import Callback, Recording
from looplab.diagnose.fileformat import FORMAT
from looplab.diagnose.recorder import BEFORE, DATA, THREAD, TIMER, WATCHED
from looplab.diagnose.tags import Tag
from looplab.diagnose.writer import Encoder

_BY = {"before": BEFORE, "thread": THREAD, "timer": TIMER, "io": DATA}


def _by(one: Callback) -> int:
    if one.cause == "timer" or one.by is None:
        return _BY[one.cause]
    return WATCHED - one.by if one.cause == "io" else one.by


def save(recording: Recording, path: Path) -> Path:
    """Write *recording* to *path* through the encoder of the tools."""
    encoder = Encoder(0)
    notes: list[Any] = []
    due, came = [], []
    for one in recording:
        notes += (
            one.ready_ns,
            _by(one),
            one.run_ns,
            one.ended_ns,
            (one.cpu_ns or 0) / NS,
        )
        notes += one.task, one.code.name, one.tag
        if one.cause == "timer":
            by = -1 if one.by is None else one.by
            due.append((one.index, by, one.due_ns, one.set_ns))
        elif one.cause == "io" and (one.arrived_ns is not None or not one.accepted):
            arrived = one.ready_ns if one.arrived_ns is None else one.arrived_ns
            came.append((one.index, arrived, one.accepted))
    named = []
    for number, name in recording.tags.items():
        tag = Tag(name)
        tag.number = number
        named.append(tag)
    about = {"format": FORMAT, "clock": recording.clock}
    threads = [(t.at_ns, t.name, t.cpu_ns, t.waited_ns) for t in recording.threads]
    lines = [
        json.dumps(about).encode() + b"\n",
        encoder.encode(1, {"rows": (0, notes, due, came)}),
        encoder.encode(1, {"tags": named, "threads": threads, "end": recording.end_ns}),
    ]
    path.write_bytes(b"".join(lines))
    return path
