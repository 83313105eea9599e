"""Export: a trace for Perfetto and ``chrome://tracing``."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from looplab.timeline.lanes import bare, wait_from
from looplab.trace.record import Trace

__all__ = ["to_chrome_trace"]


def to_chrome_trace(trace: Trace) -> str:
    """Return *trace* as JSON for Perfetto or ``chrome://tracing``.

    The first track is the thread.  Below it each task has a track with what it ran
    and, before it, how long it was late or in the ready queue.
    """
    tracks: dict[str | None, int] = {}
    events: list[dict[str, Any]] = []

    def add(name: str, kind: str, track: int, start: int, end: int) -> None:
        events.append(
            {
                "name": name,
                "cat": kind,
                "ph": "X",
                "pid": 1,
                "tid": track,
                "ts": start / 1000,
                "dur": (end - start) / 1000,
            }
        )

    for one in trace:
        track = tracks.setdefault(one.task, len(tracks) + 2)
        name = f"{bare(one.label)} ({one.task})" if one.task else bare(one.label)
        add(name, "callback", 1, one.run_ns, one.ended_ns)
        if one.task is None:
            continue
        since = wait_from(one)
        if since < one.run_ns:
            kind = "in the ready queue" if one.due_ns is None else "late"
            add(kind, "wait", track, since, one.run_ns)
        add(bare(one.label), "callback", track, one.run_ns, one.ended_ns)
    names: Iterable[tuple[int, str]] = [
        (1, "the one thread"),
        *((track, task) for task, track in tracks.items() if task is not None),
    ]
    for track, task in names:
        for what, value in (
            ("thread_name", {"name": task}),
            ("thread_sort_index", {"sort_index": track}),
        ):
            events.append(
                {"name": what, "ph": "M", "pid": 1, "tid": track, "args": value}
            )
    return json.dumps(
        {"displayTimeUnit": "ms", "traceEvents": events}, separators=(",", ":")
    )
