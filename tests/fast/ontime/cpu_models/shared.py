"""What the tests of the models share: which run here, and scripts of their own."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import looplab
from ontime.cpu_models import KINDS, Model

__all__ = ["HERE", "PROCESSES", "QUICK", "SOURCE", "run_script"]

SOURCE = str(Path(looplab.__file__).parents[1])

HERE = [kind for kind in KINDS if not Model(kind).unavailable()]

QUICK = [kind for kind in HERE if kind != "dask"]

PROCESSES = ["pool", "process pool"]


def run_script(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the text of a script that can import the packages of this project."""
    path = folder / "my_script.py"
    head = f"import sys\nsys.path.insert(0, {SOURCE!r})\n"
    path.write_text(head + textwrap.dedent(text), encoding="utf-8")
    return subprocess.run(
        [sys.executable, str(path)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
