"""Servers of the built site for the live cells' tests, and a control for scenarios.

A scenario asks the control for a server of its own: its own port is its own origin,
with its own storage in the browser. The files are Python's ``http.server``'s work, as
they are for a reader who types ``python -m http.server``; a server may also send a
content policy, alter some answers, and go down.
"""

from __future__ import annotations

import base64
import hashlib
import http.server
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from typing import IO, Any
from urllib.parse import unquote, urlsplit

from tests.site import visits
from tools.serving import Server, answering

SUB_PATH = visits.SUB_PATH


class Site:
    """One server of the built site, on a port of its own.

    Args:
        folder: what it serves.
        policy: the Content-Security-Policy header of every answer, or None. For a page
            ``{inline}`` in it becomes the hashes of the inline scripts of the page and
            of the worker's frame.
        alter: what to answer instead, by the path below the folder:
            ``{"status": 404}``, ``{"text": ...}`` (the whole answer), ``{"keep": n}``
            (only the first bytes), ``{"stall": true}`` (nothing, for ever).
        no_store: whether browsers may keep nothing, which also means that a page in the
            history is loaded again.
    """

    def __init__(
        self,
        folder: Path,
        policy: str | None = None,
        alter: dict[str, dict[str, Any]] | None = None,
        no_store: bool = False,
    ) -> None:
        self.folder = folder
        self.policy = policy
        self.alter = alter or {}
        self.no_store = no_store
        self.requests: list[str] = []
        self.inline = cache(self._inline)
        self.ended = threading.Event()
        site = self

        class Handler(SiteHandler):
            owner = site

        self.server = Server(("127.0.0.1", 0), Handler)
        serve = self.server.serve_forever
        threading.Thread(target=serve, args=(0.05,), daemon=True).start()

    @property
    def port(self) -> int:
        """Its port."""
        return int(self.server.server_address[1])

    def _inline(self, name: str) -> str:
        """The hashes of a page's inline scripts, as a content policy names them."""
        path = self.folder / name
        if path.suffix != ".html" or not path.is_file():
            return ""
        hashes = []
        for script in visits.read_page(path).find_all("script", src=False):
            digest = hashlib.sha256((script.string or "").encode()).digest()
            hashes.append(f"'sha256-{base64.b64encode(digest).decode()}'")
        manifest = self.folder / "_static" / "livecells" / "manifest.json"
        if manifest.is_file():
            frame = json.loads(manifest.read_text(encoding="utf-8"))["frame"]
            hashes.append(f"'{frame}'")
        return " ".join(sorted(set(hashes)))

    def down(self) -> None:
        """Refuse every connection from now on."""
        self.server.shutdown()
        self.server.server_close()


class SiteHandler(http.server.SimpleHTTPRequestHandler):
    """Python's own file server, with a log, a policy and altered answers."""

    owner: Site

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, directory=str(self.owner.folder), **kwargs)

    def relative(self) -> str:
        """The path below the folder; the sub-path leads to the same files."""
        path = unquote(urlsplit(self.path).path)
        return path.removeprefix(SUB_PATH).lstrip("/")

    def translate_path(self, path: str) -> str:
        if path.startswith(SUB_PATH):
            path = "/" + path.removeprefix(SUB_PATH)
        return super().translate_path(path)

    def send_head(self) -> BytesIO | IO[bytes] | None:  # type: ignore[override]
        name = self.relative()
        self.owner.requests.append(self.path)
        change = self.owner.alter.get(name)
        if not change:
            return super().send_head()
        if "stall" in change:
            self.owner.ended.wait()
            return None
        if "status" in change:
            self.send_error(HTTPStatus(change["status"]))
            return None
        if "text" in change:
            body = str(change["text"]).encode()
        else:
            body = Path(self.translate_path(self.path)).read_bytes()[: change["keep"]]
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", self.guess_type(name))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        return BytesIO(body)

    def end_headers(self) -> None:
        if self.owner.policy:
            inline = self.owner.inline(self.relative())
            policy = self.owner.policy.replace("{inline}", inline)
            self.send_header("Content-Security-Policy", policy)
        if self.owner.no_store:
            self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def handle(self) -> None:
        # A browser that leaves a page drops what it was loading.
        with suppress(ConnectionError):
            super().handle()

    def log_message(self, *_: object) -> None:
        """Stay quiet."""


def live_pages(folder: Path) -> list[dict[str, Any]]:
    """The pages with live cells or explorables, with what the scenarios choose by."""
    found = []
    for name in visits.pages(folder):
        if name.startswith("slides/"):
            continue  # they have a scenario of their own
        page = visits.read_page(folder / name)
        cells = page.select(".livecell")
        explorables = len(page.select(".explorable"))
        plain = [
            cell["id"]
            for cell in cells
            if cell.select_one(".cell_output pre")
            and not cell.select_one(".cell_output svg")
            and not cell.find_parent("details")
            and not {"tag_hide-cell", "tag_hide-input"} & set(cell["class"])
        ]
        if cells or explorables:
            found.append(
                {
                    "path": name,
                    "cells": len(cells),
                    "plain": plain,
                    "explorables": explorables,
                }
            )
    return found


class Control(http.server.BaseHTTPRequestHandler):
    """Answers scenarios: make a server, take it down, tell what was asked of it."""

    folder: Path
    sites: list[Site]
    pages: Callable[[], list[dict[str, Any]]]  # reads them once: all scenarios ask

    def do_POST(self) -> None:
        words = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            answer = self.answer(**words)
        except Exception as error:
            self.reply(500, {"error": repr(error)})
        else:
            self.reply(200, answer)

    def answer(self, do: str, site: int = -1, **options: Any) -> Any:
        if do == "pages":
            return self.pages()
        if do == "serve":
            self.sites.append(Site(self.folder, **options))
            return {"site": len(self.sites) - 1, "port": self.sites[-1].port}
        one = self.sites[site]
        if do == "requests":
            return one.requests
        if do == "alter":
            one.alter.update(options["alter"])
        elif do == "down":
            one.down()
        else:
            raise ValueError(f"the control cannot {do!r}")
        return None

    def reply(self, status: int, answer: Any) -> None:
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Stay quiet."""


@contextmanager
def control(folder: Path) -> Iterator[str]:
    """Run the control for the scenarios; yields its address."""
    made: list[Site] = []

    class Handler(Control):
        pass

    Handler.folder, Handler.sites = folder, made
    Handler.pages = staticmethod(cache(partial(live_pages, folder)))
    try:
        with answering(Handler) as origin:
            yield f"{origin}/"
    finally:
        for one in made:
            one.ended.set()
            one.down()
