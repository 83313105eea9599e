"""Where things lie, and the screens that pages are tried on."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
SUB_PATH = "/some/sub/path/"
NARROW = 390
ZOOMED = 640  # what a window of 1280 has at twice the size of letters
WIDE = 1280
SCHEMES = ("light", "dark")
