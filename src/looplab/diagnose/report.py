"""The report of ``looplab who`` as plain text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import pairwise
from shlex import quote
from typing import TYPE_CHECKING

from looplab._numbers import NS
from looplab._words import seconds

from .latencies import endpoints
from .ledger import IMPORT, NO_HARM, Row
from .naming import plain, short

if TYPE_CHECKING:
    from .ledger import Ledger
    from .recording import Recording

_WIDTH = 96
SHORT_NS = 10_000_000  # what is shorter is a piece of a batch
_BRIEF_NS = 5_000_000  # nobody complains of so little
_OWN = 0.05  # of what waits most: enough to speak of what the program itself waits
_SPUN = 0.25  # of the time: a core that is kept busy for so much is a matter of its own
_AWAITED = frozenset(["await", "pool"])
_INNOCENT = frozenset(["await", "pool", "core", "stopped", "thread"])
_ADVICE = {
    "thread kept": "A process helps; another thread does not.",
    "thread": "Fewer threads that compute, or a process for them, help.",
    "core": "Give it a core, or stop what else computes here.",
    "gc": "gc.freeze() after the start, or fewer objects that live long, help.",
    "pool": "A larger pool, or a pool of its own for the slow jobs, helps.",
    "callback kept": "A process helps; a thread does not.",
}


def report(
    recording: Recording, *, victim: str = "*", top: int = 8, file: str = "FILE"
) -> str:
    """Return what ``looplab who`` prints about *recording*.

    A sentence, what was recorded, what was waited for with the most first, what spun,
    the endpoints, and what makes the figures doubtful.

    Args:
        recording: what ran.
        victim: count only those who waited and whose name this pattern matches.
        top: how many rows.
        file: where it is, for the next command to type.

    Introduced in the chapter *Diagnose your own program*.
    """
    ledger = recording.ledger
    parts = [sentence(recording, victim, file), head(recording)]
    rows = ledger.rows_of(victim)
    if rows:
        total = sum(row.ns for row in rows)
        lines = [f"all waiting, {seconds(total / NS)} in sum:"]
        for number, row in enumerate(rows[:top], 1):
            size = f"{seconds(row.waited):>9} {row.ns / total:4.0%}"
            lines.append(f"{number:2}. {size}  {described(row)}")
            lines += [f"{'':21}{line}" for line in details(row, ledger.plumbing)]
        rest = sum(row.ns for row in rows[top:])
        if rest:
            size = f"{seconds(rest / NS):>9} {rest / total:4.0%}"
            lines.append(f"    {size}  {len(rows) - top} more")
        parts.append("\n".join(lines))
    parts += spins(ledger)
    cells = endpoint_rows(recording)
    if cells:
        means = "p50, p90 and p99 are of latency; kernel to elsewhere are means"
        parts.append("\n".join([*table(cells), means]))
    return "\n\n".join(filter(None, [*parts, notes(recording)]))


def sentence(recording: Recording, victim: str = "*", file: str = "FILE") -> str:
    """Who waits most for what could be changed, for what, and what to do next.

    *victim* and *file* are those of :func:`report`.
    """
    ledger, rows = recording.ledger, recording.ledger.rows_of(victim)
    longest = ledger.longest()
    of: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, row in enumerate(rows):
        for name, ns in row.whom.items():
            briefly = row.kind not in _AWAITED and longest[name] < _BRIEF_NS
            if row.kind not in NO_HARM and not briefly:
                of[name].append((ns, -number))
    waited = {name: sum(ns for ns, _ in parts) for name, parts in of.items()}
    most = max(waited.values(), default=0)
    for spinner in spinners(ledger)[:1]:
        if spinner.spun_ns > max(most, _SPUN * recording.duration * NS):
            share = spinner.spun / recording.duration
            return (
                f"{spinner.name}{_where(spinner)} spun for {share:.0%} of the time: "
                "it woke itself and did nothing. Let it wait for an event."
            )
    if most < _BRIEF_NS:
        most = max(longest.values(), default=0)
        many = f" (the longest time: {seconds(most / NS)})" if most else ""
        return f"Nothing on this loop is to blame: nobody waited to speak of{many}."
    own = [
        name
        for name, ns in waited.items()
        if name not in ledger.plumbing and ns > _OWN * most
    ]
    name = max(own or waited, key=lambda name: (waited[name], name))
    ns, number = max(of[name])
    row, usual = rows[-number], ""
    for endpoint in endpoints(recording.requests()):
        if endpoint.name == name:
            usual = f"p99 {seconds(endpoint.p99)} (p50 {seconds(endpoint.p50)}). "
    parts = [
        f"{name}: {usual}{ns / waited[name]:.0%} of its waiting "
        f"({seconds(waited[name] / NS)}) is for {described(row)}."
    ]
    if row.kind in _INNOCENT:
        parts.append("Nothing on this loop is to blame.")
    parts.append(_ADVICE.get(f"{row.kind} kept" if row.kept else row.kind, ""))
    if row.leaf == IMPORT:
        parts.append("Import it before the loop runs.")
    elif row.kind == "callback" and not row.kept:
        parts.append(f"Next: looplab what-if {file} {_next(ledger, row)}")
    return " ".join(filter(None, parts))


def _next(ledger: Ledger, row: Row) -> str:
    """The change to try: a batch of short tasks lets others go between them; what is
    long by itself goes to a thread, and so does a storm inside one request, which a
    replay takes for one piece of work."""
    recording = ledger.recording
    pieces = [s for s in ledger.segments if s.name == row.name]
    inside = sum(a.key == b.key and b.place <= a.place + 1 for a, b in pairwise(pieces))
    tagged = row.name in recording.tags.values()
    tasks = tagged or any(recording[s.place].task for s in pieces)
    # One that had no core may be long, and is no less a piece of a batch.
    brief = sum(s.end - s.start for s in pieces if s.end - s.start <= SHORT_NS)
    is_batch = tasks and 2 * brief >= sum(s.end - s.start for s in pieces)
    if is_batch and not (tagged and 2 * inside > len(pieces)):
        return f"--yield {quote(row.name)}"
    function = plain(row.function)
    return f"--move {quote(row.name if tagged or not function else function)}"


def details(row: Row, plumbing: Collection[str] = ()) -> list[str]:
    """How a callback held the loop, and who waited."""
    waited = f"waited: {whom(row, plumbing)}"
    return [held(row), waited] if row.kind == "callback" else [waited]


def spinners(ledger: Ledger) -> list[Row]:
    """What kept a core busy and did nothing, the most first."""
    rows = map(ledger.callback, ledger.spinning)
    return sorted(rows, key=lambda row: -row.spun_ns)


def spins(ledger: Ledger) -> list[str]:
    """The same in words."""
    return [
        f"spun: {row.name}{_where(row)}, for {seconds(row.spun)}: it woke itself and "
        "did nothing"
        for row in spinners(ledger)
    ]


def whom(row: Row, plumbing: Collection[str] = ()) -> str:
    """Who waited for it, the most first; *plumbing* where others hardly did."""
    shown = [delayed for delayed in row.delayed if delayed.name not in plumbing]
    if sum(delayed.seconds for delayed in shown) < _OWN * row.waited:
        shown = row.delayed
    return ", ".join(
        f"{name} {seconds(time)} ({'once' if count == 1 else f'{count:,} times'})"
        for name, count, time in shown[:3]
    )


def cause_name(row: Row) -> str:
    """What was waited for, in few words."""
    if row.kind == "thread":
        return f"thread {min(row.threads, default=row.name)}"
    return row.name


def held(row: Row) -> str:
    """How a callback held the loop."""
    if row.callbacks == 1:
        text = f"held the loop once, for {seconds(row.held)}"
    else:
        text = (
            f"held the loop {row.callbacks:,} times, the longest "
            f"{seconds(row.longest)}, {seconds(row.held)} in sum"
        )
    if row.computed is not None and row.computed < 0.9 * row.held:
        text += f", and computed {seconds(row.computed)} of it"
    return text


def described(row: Row) -> str:
    """What was waited for, and where."""
    place = _where(row)
    if row.kind == "callback":
        inner, _, inside = row.leaf.partition(" at ")
        leaf = f" (in {inner} at {short(inside)})" if inside else ""
        leaf = f" ({IMPORT})" if row.leaf == IMPORT else leaf
        kept = ", which keeps the interpreter" if row.kept else ""
        return f"callback {row.name}{place}{leaf}{kept}"
    if row.kind == "thread":
        did = "kept the interpreter" if row.kept else "took turns at the interpreter"
        first, *more = sorted(row.threads)
        many = f"{1 + len(more)} threads ({', '.join([first, *more[:1]])})"
        return f"{many if more else f'thread {first}'}{place}, which {did}"
    if row.kind == "await":
        return f"{row.name}, awaited{place}"
    if row.kind == "pool" and place:
        return f"{row.name}, which {plain(row.function)} at {short(row.place)} fills"
    return f"{row.name}{place if row.kind == 'executor' else ''}"


def _where(row: Row) -> str:
    if not row.place:
        return ""
    function = plain(row.function)
    return f" at {short(row.place)}" + (f" in {function}" if function else "")


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
    if recording.damaged > (not recording.complete):  # a killed one cuts its last line
        many = "A line" if recording.damaged == 1 else f"{recording.damaged:,} lines"
        text += f"\n{many} of the file could not be read and is left out."
    if not recording.complete:
        text += "\nThe recording has no end: the program was killed, or still runs."
    return text


def _program(argv: Sequence[str]) -> list[str]:
    """The command without the interpreter and its folder."""
    words = list(argv)
    if words and "python" in words[0].rpartition("/")[2]:
        words = words[2 if words[1:2] == ["-m"] else 1 :]
    return [words[0].rpartition("/")[2], *words[1:6]] if words else []


def endpoint_rows(recording: Recording, suffix: str = "") -> list[list[str]]:
    """The table of endpoints, with its head, where *suffix* stands behind means; empty
    if there are none."""
    parts = [f"{part}{suffix}" for part in ("kernel", "queue", "ran", "elsewhere")]
    rows = [["endpoint", "n", "p50", "p90", "p99", *parts]]
    for each in endpoints(recording.requests()):
        known = seconds(each.kernel) if knows_arrivals(recording) else "unknown"
        shares = map(seconds, (each.p50, each.p90, each.p99))
        means = map(seconds, (each.queue, each.ran, each.elsewhere))
        rows.append([each.name, f"{each.count:,}", *shares, known, *means])
    return rows if len(rows) > 1 else []


def notes(recording: Recording) -> str:
    """What makes the figures doubtful; empty if nothing does."""
    lines = []
    if short := shortage(recording, 0.1):
        lines.append(f"{short}.")
    if not knows_arrivals(recording):
        lines.append(
            "This system does not tell how long data lay in the kernel, nor who had "
            "the cores: what was waited for these is not in the figures."
        )
    return "\n".join(lines)


def knows_arrivals(recording: Recording) -> bool:
    """Whether the system that was recorded told when data came."""
    return bool(recording.about.get("system", "Linux") == "Linux")


def shortage(recording: Recording, least: float) -> str:
    """That the loop's thread had no core, if for more than this share of the time."""
    uses = [use for use in recording.threads if use.name == "loop"]
    if len(uses) < 2 or uses[-1].at_ns <= uses[0].at_ns:
        return ""
    waited = uses[-1].waited_ns - uses[0].waited_ns
    share = waited / (uses[-1].at_ns - uses[0].at_ns)
    text = "Cores were short: the loop's thread waited for one for"
    return f"{text} {share:.0%} of the time" if share > least else ""


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns of equal width: names to the left, figures to the right; the first row is
    the head."""
    first, *widths = (max(map(len, column)) for column in zip(*rows, strict=True))
    spare = _WIDTH - sum(widths) - 2 * len(widths) - 2
    first = min(first, max(20, spare))
    lines = []
    for name, *figures in rows:
        if len(name) > first:
            name = name[: first - 1] + "…"
        cells = map(str.rjust, figures, widths)
        lines.append("  ".join([name.ljust(first), *cells]).rstrip())
    return lines
