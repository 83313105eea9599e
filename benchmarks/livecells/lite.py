"""A JupyterLite that serves itself, with its console only: the baseline.

Its files come from the same server as ours do: see :mod:`tools.lite`.
"""

from __future__ import annotations

from pathlib import Path

from tools import lite
from tools.common import ROOT, say

__all__ = ["ensure"]


def ensure(root: Path = ROOT) -> Path:
    """Return the folder with the built JupyterLite; build it unless it is there.

    Raises:
        ToolError: Something could not be downloaded or built.
    """
    folder = lite.ensure_kit(root)
    site, part = folder / "repl", folder / "repl-part"
    if not site.exists():
        say("Building JupyterLite's console.")
        lite.build(part, ["repl"], root=root)
        part.rename(site)
    return site
