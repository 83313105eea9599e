"""The exercises of chapter 3, *Count what a task costs*."""

from .parsons import PARSONS_LINES, parsons_program

__all__ = ["PARSONS_LINES", "parsons_program"]
