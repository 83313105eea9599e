"""Make the captures of chapter 6 again: ``python capture.py [part ...]``."""

from __future__ import annotations

import sys
from pathlib import Path

if sys.version_info < (3, 11):  # noqa: UP036 - the message is for those who have it
    raise SystemExit("capture.py: error: this needs Python 3.11 or newer")

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from spinning_loop.commands import main

if __name__ == "__main__":
    sys.exit(main())
