"""The example of chapter 6, as its tests see it."""

from __future__ import annotations

import sys
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[4] / "book" / "examples" / "spinning_loop"
LAB = EXAMPLE.parents[2] / "notebooks" / "06_going_deeper.ipynb"

sys.path.insert(0, str(EXAMPLE.parent))
from spinning_loop import (  # type: ignore[import-not-found]  # noqa: E402
    distilled,
    free,
    fresh,
    idle_guard,
    programs,
    realcase,
    watching,
)

__all__ = [
    "EXAMPLE", "LAB", "distilled", "free", "fresh", "idle_guard", "programs",
    "realcase", "watching",
]  # fmt: skip
