"""Make the player of ``looplab show``: ``python -m tools.show_player``.

The page that ``looplab show`` writes asks nobody for anything, and looplab knows
nothing of livecells; so the script and the style of the loop player are bundled into a
fragment that belongs to looplab.  It begins with a digest of its sources, which a fast
test compares; one of the contract tests bundles them again.
"""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

from tools.common import ROOT

FRAGMENT = ROOT / "src" / "looplab" / "diagnose" / "player.html"
_START = 'import { upgrade } from "./player.js"; upgrade(document);'


def digest() -> str:
    """Of the sources of the player."""
    sources = sorted((ROOT / "src" / "livecells" / "page" / "player").iterdir())
    return hashlib.sha256(b"".join(map(Path.read_bytes, sources))).hexdigest()


def fragment() -> str:
    """The style and the script, as they stand in a page."""
    from livecells.sphinx.scripts import PAGE, find_esbuild

    modules = ROOT / "node_modules"
    esbuild = find_esbuild(modules, str(modules))
    room = PAGE / "player"
    style = _made(esbuild, room, "css", (room / "player.css").read_text("utf-8"))
    script = f'<script type="module">{_made(esbuild, room, "js", _START)}</script>'
    return f"<!-- {digest()} -->\n<style>{style}</style>{script}\n"


def _made(esbuild: Path, room: Path, kind: str, source: str) -> str:
    options = ["--minify", "--target=es2022", "--charset=utf8", "--log-level=warning"]
    if kind == "js":
        options += ["--bundle", "--format=iife"]
    command = [str(esbuild), f"--loader={kind}", *options]
    done = subprocess.run(
        command,
        cwd=room,
        input=source,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


if __name__ == "__main__":
    FRAGMENT.write_text(fragment(), encoding="utf-8")
