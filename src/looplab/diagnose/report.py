"""The report of ``looplab who`` as plain text.

The module uses the standard library only and runs in a browser.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from looplab._words import seconds

from .culprits import Culprit, blame, unexplained
from .latencies import Endpoint, endpoints, requests
from .ledger import Ledger

if TYPE_CHECKING:
    from .recording import Recording

__all__ = ["head", "notes", "report", "table", "waited_for_core"]

_WIDTH = 96


def report(
    recording: Recording,
    *,
    victim: str = "*",
    top: int = 8,
) -> str:
    """Return what ``looplab who`` prints about *recording*.

    Args:
        recording: what ran.
        victim: count only those who waited and match this pattern.
        top: how many culprits.

    Introduced in the chapter *Diagnose your own program*.
    """
    ledger = Ledger(recording)
    parts = [ledger.sentence(), head(recording)]
    if ledger.total and victim == "*":
        parts.append(ledger.text(top))
    culprits = blame(recording, victim, ledger)
    parts.append(_culprits(recording, culprits, top, victim))
    found = endpoints(requests(recording))
    if found:
        parts.append(_endpoints(found))
    warnings = notes(recording)
    if warnings:
        parts.append(warnings)
    return "\n\n".join(parts)


def head(recording: Recording) -> str:
    """What was recorded, in a line."""
    about = recording.about
    words = " ".join(_program(about.get("argv", ())))
    share = recording.busy / recording.duration if recording.duration else 0.0
    first = f"{words}: " if words else ""
    text = (
        f"{first}{len(recording):,} callbacks in {seconds(recording.duration)}, the "
        f"loop was held for {share:.0%} of that"
    )
    if recording.dropped:
        text += f" ({recording.dropped:,} older callbacks were dropped)"
    if not recording.complete:
        text += "\nThe recording has no end: the program was killed, or still runs."
    return text


def _program(argv: Sequence[str]) -> list[str]:
    """The command without the interpreter and its folder."""
    words = list(argv)
    if words and "python" in words[0].rpartition("/")[2]:
        words = words[1:]
    if words[:1] == ["-m"]:
        words = words[1:]
    if words:
        words[0] = words[0].rpartition("/")[2]
    return words[:6]


def _culprits(
    recording: Recording, culprits: Sequence[Culprit], top: int, victim: str
) -> str:
    shown = [one for one in culprits if one.score > 0][:top]
    if not shown:
        return "Nobody waited for anybody."
    whom = "others" if victim == "*" else victim
    rows = [("", f"who made {whom} wait", "waited", "held", "computed", "off CPU", "n")]
    details: list[list[str]] = [[]]
    for number, one in enumerate(shown, 1):
        rows.append(
            (
                f"{number}.",
                one.name,
                seconds(one.score),
                seconds(one.held),
                seconds(one.computed),
                seconds(one.off_cpu),
                f"{one.callbacks:,}",
            )
        )
        details.append(_details(one))
    lines = []
    for text, more in zip(table(rows, names=1), details, strict=True):
        lines.append(text)
        lines += more
    return "\n".join(lines)


def _details(one: Culprit) -> list[str]:
    lines = []
    if one.place:
        where = f" in {one.function}" if one.function else ""
        lines.append(
            f"held at {_short(one.place)}{where}, at most {seconds(one.longest)}"
        )
    else:
        lines.append(f"held at most {seconds(one.longest)} at a time")
    if one.spun > 0:
        lines.append(f"spun for {seconds(one.spun)}: it woke itself and did nothing")
    if one.delayed:
        whom = ", ".join(
            f"{who} {seconds(time)} ({'once' if count == 1 else f'{count:,} times'})"
            for who, count, time in one.delayed[:3]
        )
        lines.append(f"delayed {whom}")
    if one.collected > 0.05 * one.held:
        lines.append(f"the garbage collector ran for {seconds(one.collected)} of it")
    for thread, place, share in one.meanwhile[:2]:
        if share >= 0.1:
            lines.append(
                f"meanwhile {thread} was at {_short(place)} for {share:.0%} of it"
            )
    return [f"      {line}" for line in lines]


def _short(place: str) -> str:
    """A place with the last two parts of its path."""
    return "/".join(place.replace("\\", "/").split("/")[-2:])


def _endpoints(found: Sequence[Endpoint]) -> str:
    head = ["endpoint", "n", "p50", "p90", "p99"]
    head += ["kernel", "queue", "ran", "elsewhere"]
    rows = [tuple(head)]
    for one in found:
        row = [one.name, f"{one.count:,}"]
        row += map(seconds, (one.p50, one.p90, one.p99))
        row += map(seconds, (one.kernel, one.queue, one.ran, one.elsewhere))
        rows.append(tuple(row))
    means = "p50, p90 and p99 are of latency; kernel to elsewhere are means"
    return "\n".join([*table(rows), means])


def notes(recording: Recording) -> str:
    """What makes the figures doubtful; empty if nothing does."""
    lines = []
    lost = unexplained(recording)
    if recording.clock == "real" and lost > 0.05 * recording.duration:
        lines.append(
            f"For {seconds(lost)} of their waiting no callback held the loop: its "
            "thread waited for the interpreter or for a core."
        )
    short = waited_for_core(recording)
    if short is not None and short > 0.1:
        lines.append(
            f"Cores were short: the loop's thread waited for one for {short:.0%} of "
            "the time."
        )
    return "\n".join(lines)


def waited_for_core(recording: Recording) -> float | None:
    """The share of the time in which the loop's thread wanted a core and had none."""
    uses = [one for one in recording.threads if one.name == "loop"]
    if len(uses) < 2 or uses[-1].at_ns <= uses[0].at_ns:
        return None
    waited = uses[-1].waited_ns - uses[0].waited_ns
    return waited / (uses[-1].at_ns - uses[0].at_ns)


def table(rows: Sequence[Sequence[str]], names: int = 0) -> list[str]:
    """Columns of equal width: words to the left, figures to the right.

    Args:
        rows: the first of them is the head.
        names: the column that has names, the last of those with words.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    spare = _WIDTH - sum(widths) - 2 * len(widths) + widths[names]
    widths[names] = min(widths[names], max(20, spare))
    lines = []
    for row in rows:
        cells = []
        for column, (text, width) in enumerate(zip(row, widths, strict=True)):
            if len(text) > width:
                text = text[: width - 1] + "…"
            cells.append(text.ljust(width) if column <= names else text.rjust(width))
        lines.append("  ".join(cells).rstrip())
    return lines
