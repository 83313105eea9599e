"""A folder served, and the pages in it."""

from __future__ import annotations

import functools
import re
from contextlib import AbstractContextManager
from pathlib import Path
from urllib.parse import urlsplit

from bs4 import BeautifulSoup

from tests.site.checks.settings import SUB_PATH
from tools import serving


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
