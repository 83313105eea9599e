"""Take the picture of the site that the README shows: book/figures/site.png.

``python -m tools.screenshot [page] [file] [width] [light|dark]`` takes any other.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path

from tools.browser import chromium
from tools.common import ROOT, say
from tools.site import Server

__all__ = ["main", "take"]


def take(
    page: str, target: Path, *, width: int = 1280, height: int = 800, mode: str
) -> None:
    """Save a picture of one page of the built site.

    Args:
        page: Its path below the site's root.
        target: The PNG to write.
        width: Of the window, in CSS pixels.
        height: Of the window, in CSS pixels.
        mode: ``"light"`` or ``"dark"``.
    """
    server = Server(0)
    folder = ROOT / "_build" / "html"
    thread = threading.Thread(target=server.serve_folder, args=(folder,), daemon=True)
    thread.start()
    with chromium() as browser:
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=mode
        )
        tab = context.new_page()
        tab.goto(server.address + page, wait_until="networkidle")
        tab.screenshot(path=str(target))
    server.shutdown()
    server.server_close()


def main(words: list[str]) -> int:
    """Take the README's picture, or the one that the words describe."""
    page = words[0] if words else "book/index.html"
    target = Path(words[1]) if len(words) > 1 else ROOT / "book/figures/site.png"
    width = int(words[2]) if len(words) > 2 else 1280
    mode = words[3] if len(words) > 3 else "light"
    take(page, target, width=width, mode=mode)
    say(f"Saved {target}.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
