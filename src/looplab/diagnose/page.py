"""A recording as one page: no other file, no other host, and no script is needed.

The page has the culprits, the endpoints, the worst moment as a timeline, and what some
changes would bring, calculated when the page is made.  With scripts, a slider shows one
change at a time; without, a table shows all.

The module uses the standard library only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

from looplab._numbers import NS
from looplab._words import seconds
from looplab.timeline import Timeline
from looplab.trace import Record, Trace

from .changes import Change, chunk, faster, move, workers
from .culprits import Culprit
from .latencies import endpoints, requests
from .naming import name_of, waits_from
from .prediction import DisagreementError, Prediction, predict, span
from .report import head, notes

if TYPE_CHECKING:
    from .recording import Callback, Recording

__all__ = ["page"]

_CULPRITS = 8
_TRIED = 2  # culprits for which changes are tried
_MOST = 400_000  # callbacks that are replayed for one page, over all changes
_MOST_DRAWN = 20_000  # and that are drawn
_AROUND_NS = 250_000_000  # drawn before and after the worst wait

_STYLE = """
:root{color-scheme:light dark;--ink:#1f2429;--muted:#59636e;--paper:#fff;--rule:#d9dee4;
--accent:#0b62a4}
@media (prefers-color-scheme:dark){:root{--ink:#e8edf2;--muted:#a3adb8;--paper:#14181e;
--rule:#343c46;--accent:#6db7f2}}
body{margin:0 auto;max-width:60rem;padding:1rem;background:var(--paper);
color:var(--ink);font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}
h1{font-size:1.4rem}h2{font-size:1.15rem;margin-top:2rem}h3{font-size:1rem}
.wide{overflow-x:auto}.wide:focus-visible{outline:2px solid var(--accent)}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{text-align:right;padding:.3rem .6rem;border-bottom:1px solid var(--rule);
white-space:nowrap}
th:first-child,td:first-child{text-align:left;white-space:normal;min-width:10rem}
small,.muted{color:var(--muted)}code{overflow-wrap:anywhere}
label{display:block;margin-top:.6rem}input[type=range]{width:min(20rem,100%)}
output{font-weight:650}
"""
# A slider for each table of changes: it leaves one row.
_SCRIPT = """
for(const table of document.querySelectorAll('table[data-slider]')){
const rows=[...table.tBodies[0].rows],label=document.createElement('label'),
range=document.createElement('input'),out=document.createElement('output');
range.type='range';range.min=0;range.max=rows.length-1;range.value=0;
const show=()=>{rows.forEach((r,i)=>r.hidden=i!=range.value);
out.value=rows[range.value].cells[0].textContent;
range.setAttribute('aria-valuetext',out.value)};
label.append(table.dataset.slider+' ',range,' ',out);range.oninput=show;
table.parentElement.before(label);show()}
"""


def page(recording: Recording, *, changes: bool = True) -> str:
    """Return *recording* as a page of HTML.

    Args:
        recording: what ran.
        changes: calculate what changes would bring, which takes as long as some dozen
            replays.

    Introduced in the chapter *Diagnose your own program*.
    """
    culprits = [one for one in recording.blame() if one.score > 0]
    title = head(recording).partition(":")[0] if recording.about.get("argv") else ""
    title = f"Who made others wait: {title}" if title else "Who made others wait"
    parts = [
        "<!doctype html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<style>{_STYLE}</style></head><body><main>",
        f"<h1>{escape(title)}</h1><p>{escape(head(recording))}</p>",
        *_culprits(culprits[:_CULPRITS]),
        *_endpoints(recording),
        *_timeline(recording),
    ]
    if changes:
        parts += _changes(recording, culprits)
    said = notes(recording)
    if said:
        parts.append(f"<h2>Mind</h2><p>{escape(said)}</p>")
    parts.append(f"</main><script>{_SCRIPT}</script></body></html>")
    return "\n".join(parts) + "\n"


def _table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], what: str, more: str = ""
) -> str:
    """A table in a box that scrolls; the first cell of a row may be HTML."""
    top = "".join(f'<th scope="col">{escape(one)}</th>' for one in heads)
    body = "".join(
        f'<tr><th scope="row">{row[0]}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in rows
    )
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(what)}">'
        f"<table{more}><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _culprits(culprits: Sequence[Culprit]) -> Iterator[str]:
    yield "<h2>Culprits</h2>"
    if not culprits:
        yield "<p>Nobody waited for anybody.</p>"
        return
    rows = []
    for one in culprits:
        first = escape(one.name)
        if one.place:
            first += f"<br><small><code>{escape(one.place)}</code></small>"
        if one.delayed:
            who = ", ".join(d.name for d in one.delayed[:3])
            first += f"<br><small>delayed {escape(who)}</small>"
        times = (one.score, one.held, one.computed, one.off_cpu, one.longest)
        rows.append([first, *map(seconds, times), f"{one.callbacks:,}"])
    heads = ["Who", "Waited", "Held", "Computed", "Off CPU", "Longest", "Callbacks"]
    yield "<p>Ranked by <em>waited</em>, the seconds that others waited for it.</p>"
    yield _table(heads, rows, "culprits")


def _endpoints(recording: Recording) -> Iterator[str]:
    found = endpoints(requests(recording))
    if not found:
        return
    yield "<h2>Endpoints</h2>"
    rows = [
        [
            escape(one.name),
            f"{one.count:,}",
            *map(seconds, (one.p50, one.p90, one.p99)),
            *map(seconds, (one.kernel, one.queue, one.ran, one.elsewhere)),
        ]
        for one in found
    ]
    heads = ["Endpoint", "n", "p50", "p90", "p99"]
    yield _table([*heads, "Kernel", "Queue", "Ran", "Elsewhere"], rows, "endpoints")


def _timeline(recording: Recording) -> Iterator[str]:
    worst = max(recording.callbacks, key=lambda one: one.run_ns - waits_from(one))
    start = max(recording.start_ns, waits_from(worst) - _AROUND_NS)
    end = min(recording.end_ns, worst.ended_ns + _AROUND_NS)
    shown = [
        one for one in recording.callbacks if one.ended_ns > start and one.run_ns < end
    ][:_MOST_DRAWN]
    if not shown or end <= start:
        return
    yield "<h2>The worst moment</h2>"
    trace = Trace(
        (_grouped(recording, one) for one in shown),
        end_ns=max(end, shown[-1].ended_ns),
        clock=recording.clock,
    )
    drawn = Timeline(trace, start=start / NS, end=end / NS, lanes=8)
    yield '<div class="wide" tabindex="0" role="region" aria-label="timeline">'
    yield f"{drawn.svg}</div>"


def _grouped(recording: Recording, one: Callback) -> Record:
    """*one* in the lane of its group: a lane for each task would be of no use."""
    name = name_of(recording, one)
    due = one.due_ns
    return Record(one.ready_ns, due, one.run_ns, one.ended_ns, name, name)


def _changes(recording: Recording, culprits: Sequence[Culprit]) -> Iterator[str]:
    yield "<h2>What if</h2>"
    budget = _MOST // max(1, len(recording))
    if budget < 3:
        yield (
            "<p>The recording is long: ask <code>looplab what-if</code> for one change "
            "at a time.</p>"
        )
        return
    for culprit in culprits[:_TRIED]:
        pattern = _literally(culprit.name)
        yield f"<h3>{escape(culprit.name)}</h3>"
        for title, changes in _tried(pattern, culprit):
            rows = []
            for change in changes[: max(1, budget // 10)]:
                try:
                    prediction = predict(recording, change)
                except DisagreementError as exc:
                    yield f"<p>{escape(str(exc))}</p>"
                    return
                said = str(replace(change, pattern="it"))
                rows.append([escape(said), *_told(prediction)])
            heads = ["Change", *_heads(prediction)]
            more = f' data-slider="{escape(title)}"' if len(rows) > 1 else ""
            yield _table(heads, rows, f"{title}: {culprit.name}", more)


def _tried(pattern: str, culprit: Culprit) -> Iterator[tuple[str, list[Change]]]:
    yield "Threads", [move(pattern, n) for n in (1, 2, 4)]
    if culprit.longest > 0.002:
        yield "Pieces", [chunk(pattern, ms / 1000) for ms in (1, 5, 20)]
    yield "Faster", [faster(pattern, n) for n in (2, 5, 10)]
    yield "Workers", [workers(pattern, n) for n in (1, 2, 4)]


def _literally(name: str) -> str:
    """A pattern that matches *name* alone."""
    return "".join(f"[{one}]" if one in "*?[" else one for one in name)


def _heads(prediction: Prediction) -> list[str]:
    names = dict.fromkeys(one.name for one in prediction.figures)
    return [f"{name}, p90" for name in list(names)[:5]]


def _told(prediction: Prediction) -> list[str]:
    cells = []
    for name in list(dict.fromkeys(one.name for one in prediction.figures))[:5]:
        one = prediction.figure(name)
        cells.append(f"{seconds(one.recorded)} → {span(one.low, one.high)}")
    return cells
