"""A page visited by a browser, and what it asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin, urlsplit

from tests.site.checks.settings import WIDE

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
        self.page.wait_for_timeout(30)  # what runs on load and reports afterwards
        return self.current

    def close(self) -> None:
        self.context.close()
