"""The built site: served, and visited page by page, with what a page asked for."""

from __future__ import annotations

import functools
import re
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from bs4 import BeautifulSoup

from tools import serving
from tools.common import ROOT

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
SUB_PATH = "/some/sub/path/"
NARROW = 390
ZOOMED = 640  # what a window of 1280 has at twice the size of letters
WIDE = 1280


class Handler(serving.Handler):
    """Serves a folder at the root and, the same, below a sub-path."""

    def translate_path(self, path: str) -> str:
        if path.startswith(SUB_PATH):
            path = "/" + path.removeprefix(SUB_PATH)
        return super().translate_path(path)

    def end_headers(self) -> None:
        if urlsplit(self.path).path.endswith((".html", "/")):
            self.send_header("Cache-Control", "no-store")  # tests change pages
        super().end_headers()


def serve(folder: Path) -> AbstractContextManager[str]:
    """Serve a folder; the context gives the origin."""
    return serving.answering(functools.partial(Handler, directory=str(folder)))


def pages(folder: Path) -> list[str]:
    """The addresses of all pages, relative to the folder.

    JupyterLite, which ``make lite`` adds, is no page of the book.
    """
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.html")
        if not {"_static", "_sources", "lite"} & set(path.relative_to(folder).parts)
    )


def is_redirect(path: Path) -> bool:
    """Whether a page only sends the reader on to another one."""
    pattern = re.compile("refresh", re.IGNORECASE)
    return read_page(path).find("meta", attrs={"http-equiv": pattern}) is not None


def read_page(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


#: What a page with live cells or explorables may fetch before the first click.
FIRST_PARTS = re.compile(r"/(livecells|explorable|player-\w+)\.(js|css)$")


@dataclass
class Visit:
    """What a page did while it was loaded."""

    page: Any
    address: str
    origin: str
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    @property
    def foreign(self) -> list[str]:
        """Requests that did not go to where the page came from."""
        return [
            f"{self.address}: asked {address}"
            for address in self.requests
            if not address.startswith((self.origin, "data:", "blob:", "about:"))
        ]

    @property
    def fetched_early(self) -> list[str]:
        """Requests for parts of live cells but the script and the style of a page."""
        asked = {urlsplit(address).path for address in self.requests}
        return [
            f"{self.address}: asked {path}"
            for path in sorted(asked)
            if "/_static/livecells/" in path and not FIRST_PARTS.search(path)
        ]


def is_icon(address: str) -> bool:
    return address.endswith("/favicon.ico")


class Visitor:
    """One page of a browser that goes from address to address.

    Args:
        browser: Playwright's browser.
        origin: what every request must start with.
        context: settings of the browser context (``color_scheme`` and so on).
    """

    def __init__(self, browser: Any, origin: str, **context: Any) -> None:
        self.origin = origin
        self.has_scripts = context.get("java_script_enabled", True)
        context.setdefault("viewport", {"width": WIDE, "height": 900})
        context.setdefault("reduced_motion", "reduce")
        self.context = browser.new_context(**context)
        self.context.set_default_timeout(600_000)
        self.page = self.context.new_page()
        self.current: Visit | None = None
        self.page.on("pageerror", lambda error: self._note(f"script error: {error}"))
        self.page.on("console", self._console)
        self.page.on("request", self._request)
        self.page.on("response", self._response)

    def _note(self, text: str) -> None:
        if self.current is not None:
            self.current.errors.append(f"{self.current.address}: {text}")

    def _console(self, message: Any) -> None:
        # The browser asks for this by itself where a page names no icon.
        if message.type == "error" and not is_icon(message.location["url"]):
            self._note(f"console error: {message.text}")

    def _request(self, request: Any) -> None:
        if self.current is not None:
            self.current.requests.append(request.url)

    def _response(self, response: Any) -> None:
        if response.status >= 400 and not is_icon(response.url):
            self._note(f"{response.status} for {response.url}")

    def visit(self, address: str, width: int = WIDE) -> Visit:
        """Go to an address below the origin and wait until all is loaded."""
        url = urljoin(self.origin, address)
        self.current = Visit(self.page, address, self.origin)
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.goto(url, wait_until="load")
        if self.has_scripts:  # what runs on load and reports afterwards
            self.page.evaluate("new Promise(done => requestIdleCallback(done))")
        return self.current

    def close(self) -> None:
        self.context.close()
