"""What fails in the extra exercises of chapter 3."""

from __future__ import annotations

__all__ = ["PartError"]


class PartError(Exception):
    """A part of a request, or a source, has failed."""
