"""The exercises of chapter 4, *Keep the heartbeat on time*."""

from .parsons import PARSONS_LINES, parsons_program

__all__ = ["PARSONS_LINES", "parsons_program"]
