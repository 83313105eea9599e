"""The example of chapter 6, as its tests see it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.contract.left import SLOW

EXAMPLE = Path(__file__).resolve().parents[4] / "book" / "examples" / "spinning_loop"
LAB = EXAMPLE.parents[2] / "notebooks" / "06_going_deeper.ipynb"
CAPTURES = EXAMPLE / "captures"

sys.path.insert(0, str(EXAMPLE.parent))
from spinning_loop import (  # type: ignore[import-not-found]  # noqa: E402
    capture,
    distilled,
    environments,
    free,
    fresh,
    guard,
    idle_guard,
    programs,
    realcase,
    watching,
)

__all__ = [
    "CAPTURES", "EXAMPLE", "LAB", "capture", "capture_py", "committed", "distilled",
    "environments", "fake", "free", "fresh", "guard", "idle_guard", "only_on_path",
    "processes_with", "programs", "realcase", "watching",
]  # fmt: skip


def only_on_path(name: str, fix: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise programs.SkippedError(f"{name} is not installed ({fix})")
    return path


def fake(folder: Path, name: str, script: str) -> None:
    """A program of that name."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    path.chmod(0o755)


def capture_py(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-B", str(EXAMPLE / "capture.py"), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=options.pop("timeout", SLOW),
        check=False,
        **options,
    )


def processes_with(text: str) -> list[str]:
    """The command lines of running programs that contain a text."""
    lines = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if text in line:
            lines.append(line)
    return lines


def committed() -> list[Path]:
    return sorted(CAPTURES.iterdir())
