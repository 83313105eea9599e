"""A fresh interpreter that has the packages of this tree."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

from tools.common import ROOT

__all__ = ["ENVIRON", "python"]

ENVIRON = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}


def python(*words: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run ``python WORDS``; the options are those of ``subprocess.run()``."""
    return subprocess.run(
        [sys.executable, *map(str, words)],
        **{"env": ENVIRON, "capture_output": True, "text": True} | options,
        check=False,
    )
