"""Words: what a timeline says, below its lanes and in its text alternative."""

from __future__ import annotations

from looplab._words import duration, many, moment
from looplab.timeline.lanes import Lane, lateness
from looplab.timeline.scene import Scene

__all__ = ["alternative", "facts", "notes"]


def facts(scene: Scene, lane: Lane) -> list[str]:
    """Return what stands beside the name of *lane*, one fact a text."""
    latest = lane.latest
    parts: list[str] = []
    if len(lane.tasks) > 1:
        parts.append(many(len(lane.tasks), "task"))
    elif lane.is_probe and lane.timed:
        parts.append(many(len(lane.timed), "beat"))
    else:
        parts.append(many(len(lane.records), "callback"))
    if not lane.is_probe and lane.busy:
        parts.append(f"ran {duration(lane.busy)}")
    if latest is not None and lateness(latest) > 0:
        if len(lane.tasks) > 1 or not scene.scale.late_marks(lane):
            parts.append(f"up to {duration(lateness(latest))} late")
    elif latest is not None and lane.is_probe:
        parts.append("never late")
    if lane.longest_queue > 0 and not lane.is_probe:
        parts.append(f"waited up to {duration(lane.longest_queue)}")
    return parts


def alternative(scene: Scene) -> str:
    """What the picture shows, in words and numbers."""
    busy, idle = scene.busy_and_idle()
    how = "virtual clock, exact" if scene.exact else "real clock, measured"
    sentences = [
        f"Timeline of {many(len(scene.shown), 'callback')} from "
        f"{moment(scene.scale.start)} to {moment(scene.scale.end)} ({how})",
        f"The thread is busy for {duration(busy)} and idle for {duration(idle)}",
    ]
    for lane in scene.lanes:
        latest = lane.latest
        if lane.is_probe and lane.timed and len(lane.tasks) == 1:
            parts = [many(len(lane.timed), "beat")]
        else:
            parts = [many(len(lane.records), "callback")]
            if len(lane.tasks) > 1:
                parts.insert(0, many(len(lane.tasks), "task"))
            if lane.busy:
                parts.append(f"ran for {duration(lane.busy)} in all")
        if latest is not None and lateness(latest) > 0:
            assert latest.due_ns is not None
            worst, due = lateness(latest), latest.due_ns
            parts.append(f"the worst {duration(worst)} late at {moment(due)}")
        elif latest is not None:
            parts.append("never late")
        if lane.longest_queue > 0:
            parts.append(
                f"waited up to {duration(lane.longest_queue)} in the ready queue"
            )
        elif latest is None:
            parts.append("no wait")
        sentences.append(f"{lane.name}: {', '.join(parts)}")
    if scene.marks:
        words = (f"{text} at {moment(at)}" for at, text in scene.marks)
        sentences.append(f"Marked: {', '.join(words)}")
    if scene.helpers:
        sentences.append(
            f"{many(len(scene.helpers), 'callback')} of the loop itself, such as "
            "timers, in the thread's lane only"
        )
    return ". ".join(sentences) + "."


def notes(scene: Scene) -> list[str]:
    """Return what stands below the axis."""
    how = "exact, on the virtual clock" if scene.exact else "measured, in real time"
    notes = [f"Times are {how}."]
    if scene.helpers:
        notes.append(
            f"The thread also ran {many(len(scene.helpers), 'callback')} of the "
            "loop's own."
        )
    return notes
