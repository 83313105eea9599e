"""A recording as one page: no other file, no other host, and no script is needed.

The page begins as ``looplab who`` does, with a sentence and the list of what was waited
for; then it draws the worst moment, which moves where there are scripts, and says what
some changes would bring, calculated when the page is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

from looplab._numbers import NS
from looplab._words import seconds
from looplab.draw.palette import themed
from looplab.player import Player
from looplab.timeline import Timeline
from looplab.trace import Trace

from .changes import Change, chunk, faster, move, yields
from .events import Callback, Code
from .ledger import Ledger
from .prediction import DisagreementError, predict, span
from .recording import Recording
from .report import (
    cause_name,
    described,
    details,
    endpoint_rows,
    head,
    notes,
    sentence,
    spins,
)

_ROWS = 8
_GUILTY = 0.05  # of all waiting: less is not worth a change
_TRIED = 2  # callbacks for which changes are tried
_MOST = 150_000  # callbacks that are replayed for one page, over all changes
_MOST_DRAWN = 20_000  # and that are drawn
_AROUND_NS = (250_000_000, 25_000_000, 0)  # drawn beside the worst wait, or less
_GAP = Code("(nothing ran)")
_GAP_NS = 1_000_000  # nothing ran for so long while somebody waited: it is drawn

_COLOURS = themed("page", "", ground=True)
_STYLE = """
:root{color-scheme:light dark}
body{margin:0 auto;max-width:60rem;padding:1rem;background:var(--paper);
color:var(--ink);font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}
h1{font-size:1rem;font-weight:400;color:var(--muted)}h2{font-size:1.15rem;
margin-top:2rem}h3{font-size:1rem}.first{font-size:1.3rem;line-height:1.35}
.wide{overflow-x:auto}.wide:focus-visible{outline:2px solid var(--blue)}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{text-align:right;padding:.3rem .5rem;border-bottom:1px solid var(--rule);
white-space:nowrap}
thead th{white-space:normal;vertical-align:bottom}
th:first-child,td:first-child{text-align:left;white-space:normal;min-width:10rem}
@media(max-width:32rem){td{white-space:normal}th,td{padding:.3rem .25rem}
th:first-child,td:first-child{min-width:6rem}}
small,.muted{color:var(--muted)}p,li,code{overflow-wrap:anywhere}
ol{padding-left:1.6rem}li{margin:.7rem 0}li small{display:block}
.bar{display:block;height:.4rem;background:var(--orange);border-radius:.2rem;
min-width:2px}
"""


def page(recording: Recording, *, file: str = "FILE") -> str:
    """Return *recording* as a page of HTML.

    Args:
        recording: what ran.
        file: where the recording is, for the next command to type.

    Introduced in the chapter *Diagnose your own program*.
    """
    ledger = recording.ledger
    title = head(recording).partition(":")[0] if recording.about.get("argv") else ""
    title = f"What was waited for: {title}" if title else "What was waited for"
    first = sentence(recording, file=file)
    parts = [
        "<!doctype html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<style>{_COLOURS}{_STYLE}</style></head>",
        f'<body class="page"><main><h1>{escape(title)}</h1>',
        f'<p class="first">{escape(first)}</p><p>{escape(head(recording))}</p>',
        *_listed(ledger),
        *_moment(ledger),
        *_endpoints(recording),
        *_changes(recording),
    ]
    doubts = notes(recording)
    if doubts:
        parts.append(f"<h2>Mind</h2><p>{escape(doubts)}</p>")
    parts.append("</main></body></html>")
    return "\n".join(parts) + "\n"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], what: str) -> str:
    """A table in a box that scrolls."""
    top = "".join(f'<th scope="col">{escape(text)}</th>' for text in heads)
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in rows
    )
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(what)}">'
        f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _listed(ledger: Ledger) -> Iterator[str]:
    total = sum(row.ns for row in ledger.rows)
    if total:
        yield f"<h2>All waiting, {seconds(total / NS)} in sum</h2><ol>"
    for row in ledger.rows[:_ROWS]:
        share, lines = row.ns / total, map(escape, details(row, ledger.plumbing))
        yield (
            f'<li><span class="bar" style="width:{share:.1%}"></span>'
            f"{seconds(row.waited)}, {share:.0%}: <strong>{escape(described(row))}"
            f"</strong>{''.join(f'<small>{line}</small>' for line in lines)}</li>"
        )
    yield "</ol>" if total else ""
    yield from [f"<p>{escape(line)}.</p>" for line in spins(ledger)]


def _endpoints(recording: Recording) -> Iterator[str]:
    for heads, *rows in filter(None, [endpoint_rows(recording, ", mean")]):
        yield "<h2>Endpoints</h2>"
        yield _table(heads, rows, "endpoints")


def _moment(ledger: Ledger) -> Iterator[str]:
    """The worst moment: who held the thread, and who waited, in the kernel too."""
    spans = [(b - a, a, b) for waits in ledger.waiting.values() for a, b in waits]
    if not spans:
        return
    _, begin, done = max(spans)
    for around in _AROUND_NS:
        trace, how = _around(ledger, begin - around, done + around)
        try:
            picture = Player(trace, at=(begin + done) / 2 / NS, **how)._repr_html_()
        except ValueError:  # too much to play
            continue
        script = Path(__file__).with_name("player.html").read_text(encoding="utf-8")
        break
    else:
        wide = _AROUND_NS[0]
        trace, how = _around(ledger, begin - wide, done + wide)
        picture, script = Timeline(trace, **how).svg, ""
    yield "<h2>The worst moment</h2>"
    yield '<div class="wide" tabindex="0" role="region" aria-label="the worst moment">'
    yield f"{picture}</div>"
    yield (
        '<p class="muted">Data that lay in the kernel are drawn as a timer that was '
        "due when they came; what kept the loop between callbacks, as a callback.</p>"
    )
    yield script


def _around(ledger: Ledger, start: int, end: int) -> tuple[Trace, dict[str, Any]]:
    """What is drawn from *start* to *end*, and how."""
    recording = ledger.recording
    start, end = max(recording.start_ns, start), min(recording.end_ns, end)
    drawn = [
        _drawn(ledger, callback)
        for callback in recording.callbacks
        if callback.ended_ns > start and callback.run_ns < end
    ][:_MOST_DRAWN]
    for a, b in ledger.gaps:
        if b > start and a < end and b - a > _GAP_NS:
            name = cause_name(ledger.cause_of(a, b))
            drawn.append(Callback(-1, a, a, b, None, "before", None, _GAP, name))
    drawn.sort(key=lambda callback: callback.run_ns)
    numbers: dict[int | None, int] = {c.index: at for at, c in enumerate(drawn)}
    for at, callback in enumerate(drawn):
        callback.index, callback.by = at, numbers.get(callback.by)
    end = max([end, *(callback.ended_ns for callback in drawn)])
    present = {callback.task for callback in drawn}
    guilty = [name for name in map(cause_name, ledger.rows) if name in present]
    colours = dict.fromkeys(guilty[:1], "orange")
    how = {"start": start / NS, "end": end / NS, "colours": colours, "lanes": 8}
    return Recording(drawn, clock=recording.clock, end_ns=end).trace, how


def _drawn(ledger: Ledger, callback: Callback) -> Callback:
    """*callback* in the lane of whom it works for, due when its data came."""
    name = ledger.victim_of(callback).removeprefix("timers of ")
    shown = replace(callback, task=name, tag=0)
    if callback.cause == "io" and callback.arrived_ns is not None:
        shown.cause, shown.due_ns, shown.by = "timer", callback.waits_from_ns, None
    return shown


def _changes(recording: Recording) -> Iterator[str]:
    rows = recording.ledger.rows
    least = _GUILTY * sum(row.ns for row in rows)
    guilty = [row for row in rows if row.kind == "callback" and row.ns > least]
    if not guilty:
        return
    budget = _MOST // max(1, len(recording))
    yield "<h2>What if</h2>"
    if budget < 6:
        yield (
            "<p>The recording is long: ask <code>looplab what-if</code> for one change "
            "at a time.</p>"
        )
        return
    yield (
        "<p>Ranges: where the figure of another recording of the same program lies, "
        "unchanged and with the change.</p>"
    )
    for row in guilty[:_TRIED]:
        victim, what = row.whom.most_common(1)[0][0], ""
        lines = []
        for change in _tried(row.name, row.longest)[: max(2, budget // 6)]:
            try:
                figure = predict(recording, change).harmed(victim)
            except (DisagreementError, KeyError) as exc:
                yield f"<p>{escape(str(exc))}</p>"
                break
            now, then = span(figure.least, figure.most), span(figure.low, figure.high)
            lines.append([str(replace(change, pattern="it")), now, then])
            what = figure.what
        if lines:
            yield f"<h3>{escape(row.name)}</h3>"
            heads = ["Change", f"{victim}, {what}, now", "then"]
            yield _table(heads, lines, f"changes to {row.name}")


def _tried(name: str, longest: float) -> list[Change]:
    # A pattern that matches this name alone.
    pattern = "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)
    pieces = chunk(pattern, 0.005) if longest > 0.01 else yields(pattern)
    return [move(pattern), pieces, faster(pattern, 2)]
