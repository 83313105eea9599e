"""Find a Chromium and start it: for the site's tests, the PDF, the README's picture.

``python -m tools.browser`` takes that picture, book/figures/site.png.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from typing import Any

from tools.common import ROOT, say
from tools.serving import serving

__all__ = ["QUIET", "chromium", "find_chromium", "required"]

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
)
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
QUIET = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-sync",
    # Nothing leaves this machine; a page that asks elsewhere finds nobody there.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    "--no-first-run",
)


def required() -> bool:
    """Whether a test that finds no browser must fail instead of skip."""
    return os.environ.get("ON_TIME_REQUIRE", "") not in ("", "0")


def find_chromium() -> str | None:
    """The path of a Chromium, or None; the variable CHROMIUM names one."""
    named = os.environ.get("CHROMIUM")
    if named:
        return shutil.which(named)
    paths = [*map(shutil.which, NAMES), *filter(os.path.exists, PLACES)]
    return next(filter(None, paths), None)


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """A headless Chromium, as Playwright's Browser.

    Raises:
        FileNotFoundError: None is installed.
    """
    from playwright.sync_api import sync_playwright

    path = find_chromium()
    if path is None:
        raise FileNotFoundError(
            "no Chromium was found: install one, or name it with CHROMIUM="
        )
    arguments = list(QUIET)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        arguments.append("--no-sandbox")  # Chromium refuses its sandbox to root
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        try:
            yield browser
        finally:
            browser.close()


def main() -> None:
    """Take the picture of the site that the README shows."""
    target = ROOT / "book/figures/site.png"
    with serving(ROOT / "_build/html") as origin, chromium() as browser:
        window = {"width": 1280, "height": 800}
        tab = browser.new_page(viewport=window, color_scheme="light")
        tab.goto(f"{origin}/book/index.html", wait_until="networkidle")
        tab.screenshot(path=str(target))
    say(f"Saved {target}.")


if __name__ == "__main__":
    main()
