"""Charts of results, in the colours of the book.

Each function returns a :class:`Chart`, which shows itself in a notebook as inline SVG.
Its text is text, its colours follow the light or dark theme of the page, and the same
data give the same SVG, byte for byte.

They are the only parts of the course that need matplotlib.
"""

from looplab.draw import Chart
from ontime.figures.curves import Curve, curves
from ontime.figures.ranking import pairs, ranking

__all__ = ["Chart", "Curve", "curves", "pairs", "ranking"]
