"""Make the player of ``looplab show``: ``python -m tools.show_player``.

The page that ``looplab show`` writes asks nobody for anything, and looplab knows
nothing of livecells; so the script and the style of the loop player are bundled into a
fragment that belongs to looplab.  A test compares the two.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from livecells.sphinx.scripts import PAGE, find_esbuild
from tools.common import ROOT

FRAGMENT = ROOT / "src" / "looplab" / "diagnose" / "player.html"
_START = 'import { upgrade } from "./player.js"; upgrade(document);'


def fragment() -> str:
    """The style and the script, as they stand in a page."""
    modules = ROOT / "node_modules"
    esbuild = find_esbuild(modules, str(modules))
    style = _made(esbuild, "css", (PAGE / "player" / "player.css").read_text("utf-8"))
    script = _made(esbuild, "js", _START)
    return f'<style>{style}</style><script type="module">{script}</script>\n'


def _made(esbuild: Path, kind: str, source: str) -> str:
    options = ["--minify", "--target=es2022", "--charset=utf8", "--log-level=warning"]
    if kind == "js":
        options += ["--bundle", "--format=iife"]
    command = [str(esbuild), f"--loader={kind}", *options]
    done = subprocess.run(
        command,
        cwd=PAGE / "player",
        input=source,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


if __name__ == "__main__":
    FRAGMENT.write_text(fragment(), encoding="utf-8")
