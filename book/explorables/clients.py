"""CPU time of a request: how many clients a core can serve, and what tasks take away.

Experiment B4 as a calculator.  The tasks are taken to cost ten microseconds, a round
figure near to what chapter 3 measures for a ``gather`` of two parts.
"""

from __future__ import annotations

from math import log10

from charts import STYLE, Axes, figure
from model import model

from livecells import Explorable, Frame

EXTRA = 0.010  # ms of CPU time that the tasks of a request add
VALUES = (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)

LIVE = f"""
cpu = 1
from ontime.cost import clients_per_core

extra = {EXTRA:.3f}  # ms that the tasks of a request add
plain = clients_per_core(cpu / 1000)
dearer = clients_per_core((cpu + extra) / 1000)
print(f"{{cpu}} ms: {{plain:,.1f}} clients for each core")
print(f"with tasks: {{dearer:,.1f}}, {{1 - dearer / plain:.1%}} fewer")
"""


def rounded(number: float) -> str:
    """Three digits, which is more than such a forecast is worth."""
    digits = 0 if number >= 99.5 else 1 if number >= 9.95 else 2
    text = f"{number:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def in_words(number: float) -> str:
    text = rounded(number)
    return "1 client" if text == "1" else f"{text} clients"


def frame(ms: float) -> Frame:
    names = model(LIVE, ms)
    plain, dearer = names["plain"], names["dearer"]
    fewer = 1 - dearer / plain

    low, high = log10(VALUES[0]), log10(VALUES[-1])
    many = Axes(24, 180, (low, high), (0, 4.9))
    many.head("Clients for each core")
    many.grid([(0, "1"), (1, "10"), (2, "100"), (3, "1,000"), (4, "10,000")])
    many.line([(log10(v), log10(model(LIVE, v)["plain"])) for v in VALUES], "blue")
    place = log10(ms)
    many.upright(place, log10(plain), "rule")
    many.ring(place, log10(plain), "blue")
    many.name([(place, log10(plain))], rounded(plain), "blue")
    many.below([(-1, "0.1 ms"), (1, "10 ms"), (3, "1 s")])

    share = Axes(262, 26, (0, 1), (0, 1))
    share.head(f"Clients left, if its tasks take {EXTRA * 1000:g} µs more")
    share.line([(0, 0.5), (1, 0.5)], "orange area")
    share.line([(0, 0.5), (1 - fewer, 0.5)], "orange bar")
    share.text(0.01, 0.34, f"{1 - fewer:.1%}", "paper", anchor="start")
    share.below([(0, "none"), (0.5, "half"), (1, "all")])
    summary = (
        f"{ms:g} ms of CPU time for a request: {in_words(plain)} for each core, "
        f"at one request a second. With {EXTRA * 1000:g} µs more for tasks, "
        f"{in_words(dearer)}, {fewer:.2%} fewer."
    )
    return Frame(figure(316, many, share), summary)


def explorable() -> Explorable:
    return Explorable(
        title="A request's CPU time decides how many clients a core can serve",
        parameter="CPU time of a request",
        unit="ms",
        values=VALUES,
        frames=[frame(ms) for ms in VALUES],
        default=1,
        live=LIVE,
        style=STYLE,
    )
