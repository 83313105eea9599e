"""The exercises of chapter 7, *Put the lease first*."""

from .parsons import PARSONS_LINES, parsons_program

__all__ = ["PARSONS_LINES", "parsons_program"]
