"""A JupyterLite that serves itself, with its console only: the baseline.

Its files come from the same server as ours do: see :mod:`tools.lite`.
"""

from __future__ import annotations

from pathlib import Path

from tools import lite
from tools.common import ROOT, digest, say

__all__ = ["ensure"]


def ensure(root: Path = ROOT) -> Path:
    """Return the folder with the built JupyterLite; build it unless it is there.

    Raises:
        ToolError: Something could not be downloaded or built.
    """
    folder = lite.ensure_kit(root)
    site = folder / "repl"
    stamp = folder / "repl.stamp"
    wanted = digest([folder / lite.STAMP, Path(__file__)])
    if stamp.is_file() and stamp.read_text(encoding="utf-8").strip() == wanted:
        return site
    say("Building JupyterLite's console.")
    lite.build(site, ["repl"], root=root)
    stamp.write_text(wanted + "\n", encoding="utf-8")
    return site
