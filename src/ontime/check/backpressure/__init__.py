"""The exercises of chapter 5, *Bound every channel*."""

from .judge import FINDINGS, VERDICTS
from .parsons import PARSONS_LINES, parsons_program

__all__ = ["FINDINGS", "PARSONS_LINES", "VERDICTS", "parsons_program"]
