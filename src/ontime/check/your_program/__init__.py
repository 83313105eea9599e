"""The exercises of chapter 8, *Diagnose your own program*."""

from .judge import PROGRAMS
from .parsons import PARSONS_LINES

__all__ = ["PARSONS_LINES", "PROGRAMS"]
