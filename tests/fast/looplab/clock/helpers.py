"""Helpers of the tests of the clock."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[4] / "src"


async def nothing() -> None:
    pass


def python(code: str, *flags: str) -> subprocess.CompletedProcess[str]:
    """Run *code* in a fresh interpreter."""
    path = f"import sys; sys.path.insert(0, {str(SOURCE)!r})"
    return subprocess.run(
        [sys.executable, *flags, "-c", f"{path}\n{code}"],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
