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


def text(x: float, y: float, words: str, style: str, more: str = "") -> str:
    """Words at a share of the width."""
    return f'<text class="{style}" x="{x:.2f}%" y="{y:g}" {more}>{escape(words)}</text>'


def picture(board: Scoreboard) -> str:
    """All rows of the scoreboard as SVG; each is a link to its row of the table."""
    shown: list[str] = []
    y = HEAD
    for source in board.sources:
        y += GAP
        shown.append(
            text(0, y, f"{source.letter}. {source.title}", "n", f'dx="{-LEFT}"')
        )
        y += 8
        for judgement in board.judgements:
            if judgement.row.source == source.key:
                shown.append(row(board, judgement, y))
                y += ROW
    axis = [
        f'<line x1="{across(n):.2f}%" x2="{across(n):.2f}%" y1="{HEAD}" y2="{y}"'
        f' class="{"same" if n == 1 else "other"}"/>'
        + text(across(n), HEAD - 8, words, "k", 'text-anchor="middle"')
        for n, words in (
            (0.1, "÷ 10"),
            (0.5, "÷ 2"),
            (1, "equal"),
            (2, "× 2"),
            (10, "× 10"),
        )
    ]
    key = "".join(
        f'<svg x="{x}%" y="12" overflow="visible"><path class="{LOOKS[status][0]}" '
        f'd="{LOOKS[status][1]}"/></svg>'
        + text(x, 16, words, LOOKS[status][0], 'dx="11"')
        for x, status, words in (
            (1, REPRODUCED, "reproduced"),
            (36, MODEL, "in the model"),
            (74, DIFFERS, "differs"),
        )
    )
    alt = f"Each figure of ours divided by the published one. {board.summary}"
    return (
        f'<svg class="{NAME}" role="group" aria-label="{escape(alt, quote=True)}" '
        f'style="height:{y + 8}px;margin:1rem 0 1.5rem {LEFT}px;'
        f'width:calc(100% - {LEFT + 10}px)" xmlns="http://www.w3.org/2000/svg">'
        f"<style>{STYLE}</style>{key}{''.join(axis)}{''.join(shown)}</svg>"
    )


def row(board: Scoreboard, judgement: Judgement, top: float) -> str:
    """The dots of a row, and its name, as a link."""
    id_, middle = judgement.row.id, top + ROW / 2
    colour, sign = LOOKS.get(judgement.status, LOOKS[BUSY])
    ratios = board.ratios(judgement.row)
    dots = "".join(
        f'<svg x="{across(ratio):.2f}%" y="{middle:g}" overflow="visible">'
        f'<path class="{colour}" d="{sign}"/></svg>'
        for ratio in ratios
        if sign
    )
    beyond = [ratio for ratio in ratios if not LOW <= ratio <= HIGH]
    instead = ""
    if not ratios or not sign:
        words = judgement.status if not sign else f"no figure: {judgement.status}"
        instead = text(across(1), middle + 4, words, f"k {colour}", 'dx="10"')
    elif beyond:
        far = max(beyond) > HIGH
        where = 'text-anchor="end" dx="-12"' if far else 'dx="12"'
        words = f"{beyond[0]:,.2g} times, beyond the axis"
        instead = text(100 if far else 0, middle + 4, words, colour, where)
    label = f"{id_}: {judgement.status}. {judgement.row.run}"
    return (
        f'<a href="#scoreboard-{id_.lower()}" class="v-{colour}">'
        f"<title>{escape(label)}</title>"
        f'<rect x="-{LEFT}" y="{top:g}" width="100%" height="{ROW}" rx="4"/>'
        + text(0, middle + 4, id_, "n", f'dx="{-LEFT}"')
        + f"{dots}{instead}</a>"
    )
