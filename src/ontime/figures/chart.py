"""What all charts share: their style, their axes, and the way from a figure to SVG."""

from __future__ import annotations

import hashlib
import io
import math
import re
from collections.abc import Sequence
from html import escape
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from looplab.draw import Chart
from looplab.draw.palette import COLOURS, halo, themed

__all__ = [
    "INK", "MUTED", "PX", "STYLE", "WIDTH", "as_chart", "make_logarithmic", "new_axes",
]  # fmt: skip

# One unit is one pixel where the chart has its full width.  It is narrow, so that its
# text can still be read when a phone makes it smaller.
WIDTH = 380
PX = 72  # matplotlib's units are 1/72 inch

# What is drawn in these two colours takes the colour of the page's text.
INK, MUTED = "#010203", "#040506"
STYLE: Any = {
    "axes.edgecolor": MUTED,
    "axes.labelcolor": MUTED,
    "axes.labelsize": 12,
    "axes.linewidth": 1,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib: equal everywhere
    "font.size": 12,
    "svg.fonttype": "none",
    "svg.image_inline": True,
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": MUTED,
    "xtick.labelsize": 11,
    "ytick.color": MUTED,
    "ytick.labelsize": 11,
}


_CSS = themed(
    "looplab-chart",
    "width:100%;height:auto;display:block;margin:0.5rem 0 1.25rem",
) + halo("looplab-chart", "transparent")


def new_axes(height: int) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(WIDTH / PX, height / PX), layout="constrained")
    return figure, figure.subplots()


def make_logarithmic(axes: Axes, values: Sequence[float], label: str) -> None:
    """Give the horizontal axis a logarithmic scale that can be read, and say so."""
    axes.set_xscale("log")
    low, high = min(values), max(values)
    decades = math.log10(high / low)
    # There is room for about six numbers.
    few, some, many = (1.0,), (1.0, 3.0), (1.0, 2.0, 5.0)
    digits = few if decades > 2.5 else some if decades > 1.5 else many
    axes.xaxis.set_major_locator(LogLocator(subs=digits, numticks=12))
    # The default labels are mathematics, which are not parsed here.
    axes.xaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()
    axes.set_xlabel(f"{label}, logarithmic")


def as_chart(figure: Figure, alt: str) -> Chart:
    """Turn a figure into SVG that takes its colours and its font from the page."""
    # Two charts of a page must not share an id; the same chart must keep its own.
    salt = hashlib.sha256(alt.encode()).hexdigest()[:8]
    text = io.StringIO()
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    with matplotlib.rc_context({"svg.hashsalt": salt}):
        figure.savefig(text, format="svg", transparent=True, metadata=nothing)
    svg = text.getvalue()
    body = svg[svg.index(">", svg.index("<svg")) + 1 :]
    # matplotlib's style sheet would apply to the whole page.
    unwanted = r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->"
    body = re.sub(unwanted, "", body, flags=re.S)
    # A hundredth of a pixel is enough, and hides how processors round.
    body = re.sub(r"<[^>]*>", _rounded, body)
    body = _own_ids(body, salt)
    body = body.replace(INK, "currentColor").replace(MUTED, "currentColor")
    for name, colour in COLOURS.items():
        body = body.replace(colour, f"var(--{name})")
    body = re.sub(r"'DejaVu Sans'(, sans-serif)?", "system-ui, sans-serif", body)
    body = re.sub(r">\s+<", "><", body.strip())
    size = f"{WIDTH} {figure.get_figheight() * PX:.0f}"
    name = escape(alt, quote=True)
    return Chart(
        f'<svg class="looplab-chart" role="img" aria-label="{name}" '
        # In the element itself: pages have rules of their own for pictures in outputs.
        f'style="max-width:{WIDTH * 1.3:.0f}px" '
        f'viewBox="0 0 {size}" xmlns="http://www.w3.org/2000/svg" '
        f'xmlns:xlink="http://www.w3.org/1999/xlink"><style>{_CSS}</style>{body}',
        alt,
    )


def _rounded(tag: re.Match[str]) -> str:
    return re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", tag[0])


def _own_ids(body: str, salt: str) -> str:
    """Drop the ids that nothing refers to and make the others unlike any chart's.

    They are counted: matplotlib's come from digits of places that are rounded off here.
    """
    reference = r'(xlink:href="#|url\(#)([\w-]+)'
    used = dict.fromkeys(name for _, name in re.findall(reference, body))
    own = {name: f"{salt}-{count}" for count, name in enumerate(used)}

    def made_unique(match: re.Match[str]) -> str:
        return f' id="{own[match[1]]}"' if match[1] in own else ""

    body = re.sub(r' id="([^"]*)"', made_unique, body)
    return re.sub(reference, lambda use: use[1] + own[use[2]], body)
