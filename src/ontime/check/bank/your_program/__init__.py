"""The extra exercises of chapter 8, *Diagnose your own program*."""

from .who import REMEDIES, who_tables

__all__ = ["REMEDIES", "who_tables"]
