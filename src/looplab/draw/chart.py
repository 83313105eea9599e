"""What every chart is: SVG that shows itself, with what it shows in words."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Chart"]


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart as inline SVG; it shows itself in a notebook.

    Attributes:
        svg: the SVG element.
        alt: what the chart shows, in words; it is inside the SVG too.
    """

    svg: str
    alt: str

    def _repr_html_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"Chart: {self.alt}"
