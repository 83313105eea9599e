"""Charts as SVG, written by the package itself, the same in a build and in a page.

* :mod:`.palette`: the colours of all charts;
* :mod:`.chart`: what every chart is;
* :mod:`.steps`: lines that change in steps.
"""

from looplab.draw.chart import Chart
from looplab.draw.palette import COLOURS, COLOURS_DARK
from looplab.draw.steps import Line, steps

__all__ = ["COLOURS", "COLOURS_DARK", "Chart", "Line", "steps"]
