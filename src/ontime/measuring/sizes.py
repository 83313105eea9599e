"""How much a measured cell measures: all of it for a reader, less for a quick test."""

from __future__ import annotations

import os
from typing import TypeVar

__all__ = ["sized"]

T = TypeVar("T")


def sized(full: T, short: T) -> T:
    """*full*, or *short* where ``ON_TIME_SHORT=1`` is in the environment.

    A lab asserts the same of both: the short form takes fewer runs or smaller work, so
    that its test is quick.  What a reader sees, and what is committed, is the full one.
    """
    return short if os.environ.get("ON_TIME_SHORT") == "1" else full
