"""Writes a recording into a file, as a traced process does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from looplab.diagnose import Callback, Recording
from looplab.diagnose.fileformat import FORMAT
from looplab.diagnose.recording import CAUSES
from looplab.diagnose.tags import Tag
from looplab.diagnose.writer import Encoder


def _why(one: Callback) -> tuple[Any, ...]:
    why = one.ready_ns, CAUSES.index(one.cause), -1 if one.by is None else one.by
    if one.cause == "timer":
        return *why, one.due_ns, one.set_ns
    if one.cause == "io":
        return *why, one.arrived_ns, one.accepted
    return why


def save(recording: Recording, path: Path) -> Path:
    """Write *recording* to *path* through the encoder of the tools."""
    encoder = Encoder(0)
    notes = [
        (
            _why(one),
            one.run_ns,
            one.ended_ns,
            one.cpu_ns or 0,
            one.task,
            one.code.name,
            one.tag,
        )
        for one in recording
    ]
    named = []
    for number, name in recording.tags.items():
        tag = Tag(name)
        tag.number = number
        named.append(tag)
    about = {"format": FORMAT, "clock": recording.clock}
    threads = [(t.at_ns, t.name, t.cpu_ns, t.waited_ns) for t in recording.threads]
    lines = [
        json.dumps(about) + "\n",
        encoder.encode(1, {"rows": (0, notes)}),
        encoder.encode(1, {"tags": named, "threads": threads, "end": recording.end_ns}),
    ]
    path.write_text("".join(lines), encoding="utf-8")
    return path
