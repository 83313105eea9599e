"""The scoreboard as one picture: a dot a figure, ours divided by the published one."""

from __future__ import annotations

import math
from html import escape

from scoreboard_verdicts import (
    BUSY,
    DIFFERS,
    MODEL,
    NOTHING,
    REPRODUCED,
    Judgement,
    Scoreboard,
)

from looplab.draw.chart import as_wide_as_room, sign, words
from looplab.draw.palette import COLOURS, halo, themed

__all__ = ["picture"]

LOW, HIGH = 1 / 16, 16  # ends of the axis; what lies beyond stands there as an arrow
ROW, HEAD, GAP, LEFT = 24, 48, 14, 30  # pixels
#: The colour of a verdict, and the sign that tells it apart without one.
LOOKS = {
    REPRODUCED: ("green", "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z"),
    MODEL: ("blue", "M-5-5h10v10h-10z"),
    DIFFERS: ("orange", "M0-7L7 0L0 7L-7 0z"),
    BUSY: ("grey", "M-5 4L0-5L5 4z"),
    NOTHING: ("grey", ""),
}
NAME = "scoreboard-picture"
STYLE = (
    themed(NAME, "overflow:visible;display:block", ground=True, letters=True)
    + halo(NAME, "var(--paper)")
    + f".{NAME} text{{fill:var(--ink);font-variant-numeric:tabular-nums}}"
    f".{NAME} .k{{fill:var(--muted);font-size:var(--small)}}"
    f".{NAME} .n{{font-weight:600}}.{NAME} line{{stroke:var(--rule)}}"
    f".{NAME} line.same{{stroke:var(--ink);stroke-width:1.5}}"
    f".{NAME} rect{{fill:transparent}}.{NAME} a:is(:hover,:focus) rect"
    "{fill:color-mix(in srgb,var(--blue) 10%,transparent)}"
    + "".join(
        f".{NAME} path.{name}{{fill:var(--{name});opacity:.8}}"
        f".{NAME} text.{name}{{fill:var(--{name})}}"
        for name in COLOURS
    )
)


def across(ratio: float) -> float:
    """Per cent of the width at which a ratio stands."""
    inside = min(max(ratio, LOW), HIGH)
    return 100 * math.log(inside / LOW) / math.log(HIGH / LOW)


def picture(board: Scoreboard) -> str:
    """All rows of the scoreboard as SVG; each is a link to its row of the table."""
    shown: list[str] = []
    y = HEAD
    for source in board.sources:
        y += GAP
        title = f"{source.letter}. {source.title}"
        shown.append(words(0, y, title, "n", f'dx="{-LEFT}"'))
        y += 8
        for judgement in board.judgements:
            if judgement.row.source == source.key:
                shown.append(row(board, judgement, y))
                y += ROW
    ticks = {0.1: "÷ 10", 0.5: "÷ 2", 1: "equal", 2: "× 2", 10: "× 10"}
    axis = [
        f'<line x1="{across(n):.2f}%" x2="{across(n):.2f}%" y1="{HEAD}" y2="{y}"'
        f' class="{"same" if n == 1 else "other"}"/>'
        + words(across(n), HEAD - 8, text, "k", 'text-anchor="middle"')
        for n, text in ticks.items()
    ]
    key = [
        sign(x, 12, LOOKS[status][1], LOOKS[status][0])
        + words(x, 16, text, LOOKS[status][0], 'dx="11"')
        for x, status, text in (
            (1, REPRODUCED, "reproduced"),
            (36, MODEL, "in the model"),
            (74, DIFFERS, "differs"),
        )
    ]
    return as_wide_as_room(
        NAME,
        STYLE,
        "".join([*key, *axis, *shown]),
        f"Each figure of ours divided by the published one. {board.summary}",
        height=y + 8,
        left=LEFT,
        below="1.5rem",
        role="group",
    ).svg


def row(board: Scoreboard, judgement: Judgement, top: float) -> str:
    """The dots of a row, and its name, as a link."""
    id_, middle = judgement.row.id, top + ROW / 2
    colour, path = LOOKS.get(judgement.status, LOOKS[BUSY])
    ratios = board.ratios(judgement.row)
    dots = [sign(across(ratio), middle, path, colour) for ratio in ratios if path]
    beyond = [ratio for ratio in ratios if not LOW <= ratio <= HIGH]
    instead = ""
    if not ratios or not path:
        text = judgement.status if not path else f"no figure: {judgement.status}"
        instead = words(across(1), middle + 4, text, f"k {colour}", 'dx="10"')
    elif beyond:
        far = max(beyond) > HIGH
        where = 'text-anchor="end" dx="-12"' if far else 'dx="12"'
        text = f"{beyond[0]:,.2g} times, beyond the axis"
        instead = words(100 if far else 0, middle + 4, text, colour, where)
    label = f"{id_}: {judgement.status}. {judgement.row.run}"
    return (
        f'<a href="#scoreboard-{id_.lower()}" class="v-{colour}">'
        f"<title>{escape(label)}</title>"
        f'<rect x="-{LEFT}" y="{top:g}" width="100%" height="{ROW}" rx="4"/>'
        + words(0, middle + 4, id_, "n", f'dx="{-LEFT}"')
        + f"{''.join(dots)}{instead}</a>"
    )
