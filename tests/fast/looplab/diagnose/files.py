"""Writes a recording into a file, as a traced process does."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from looplab._numbers import NS
from looplab.diagnose import Callback, Recording
from looplab.diagnose.fileformat import FORMAT
from looplab.diagnose.recorder import BEFORE, DATA, THREAD, TIMER, WATCHED
from looplab.diagnose.writer import Encoder

_BY = {"before": BEFORE, "thread": THREAD, "timer": TIMER, "io": DATA}


def _by(each: Callback) -> int:
    if each.cause == "timer" or each.by is None:
        return _BY[each.cause]
    return WATCHED - each.by if each.cause == "io" else each.by


def save(recording: Recording, path: Path) -> Path:
    """Write *recording* to *path* through the encoder of the tools."""
    notes: list[Any] = []
    due, came = [], []
    for each in recording:
        cpu = (each.cpu_ns or 0) / NS
        notes += each.ready_ns, _by(each), each.run_ns, each.ended_ns, cpu
        notes += each.task, each.code.name, each.tag
        if each.cause == "timer":
            by = -1 if each.by is None else each.by
            due.append((each.index, by, each.due_ns, each.set_ns))
        elif each.cause == "io" and (each.arrived_ns is not None or not each.accepted):
            arrived = each.ready_ns if each.arrived_ns is None else each.arrived_ns
            came.append((each.index, arrived, each.accepted))
    tags = [SimpleNamespace(number=n, name=name) for n, name in recording.tags.items()]
    threads = [(t.at_ns, t.name, t.cpu_ns, t.waited_ns) for t in recording.threads]
    encoder, head = Encoder(0), {"format": FORMAT, "clock": recording.clock}
    rest = {"tags": tags, "threads": threads, "end": recording.end_ns}
    lines = [
        encoder.encode(1, part) for part in ({"rows": (0, notes, due, came)}, rest)
    ]
    path.write_bytes(b"".join([json.dumps(head).encode(), b"\n", *lines]))
    return path
