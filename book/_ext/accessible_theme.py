"""Fix what the theme and docutils write that a screen reader stumbles over.

axe-core finds these faults on the built pages, and neither settings nor templates
reach them. Each is fixed in the finished HTML:

* the search button's label hides its visible text, which names the shortcut;
* the triangles that fold the table of contents have no name;
* the label of a hidden cell hides its visible text, "Show code cell source";
* a page says up to three times how wide a screen is;
* docutils gives a bibliography the role of a list whose children are no list items.
"""

from __future__ import annotations

import re
from html import escape, unescape
from pathlib import Path
from typing import Any

SEARCH = re.compile(
    r'(<button\b[^>]*\bsearch-button-field\b[^>]*?)\s+aria-label="[^"]*"'
)
FOLD = re.compile(
    r"(<a\b[^>]*>(?P<title>[^<]*)</a>\s*<details[^>]*>\s*)<summary>"
    r'(?=\s*<span class="toctree-toggle")'
)
HIDDEN = re.compile(r'<summary aria-label="Toggle hidden content">')
LIST = re.compile(r'<div role="list" class="citation-list">')
WIDTH = re.compile(r'(<meta name="viewport".*?)<meta name="viewport"[^>]*>', re.DOTALL)
ENTRY = re.compile(r'(<div class="citation"[^>]*?) role="doc-biblioentry"')


def fix(html: str) -> str:
    """Return a page with these faults fixed; a fixed page stays as it is."""
    html = SEARCH.sub(r"\1", html)
    html = FOLD.sub(_named, html)
    html = HIDDEN.sub("<summary>", html)
    html = LIST.sub('<div class="citation-list">', html)
    html = ENTRY.sub(r"\1", html)
    while WIDTH.search(html):
        html = WIDTH.sub(r"\1", html)
    return html


def _named(match: re.Match[str]) -> str:
    title = escape(" ".join(unescape(match["title"]).replace('"', "").split()))
    return f'{match[1]}<summary aria-label="Pages below {title}">'


def mend_pages(app: Any, error: Exception | None) -> None:
    """Fix every page once all of them are written."""
    if error or app.builder.format != "html":
        return
    for path in Path(app.outdir).rglob("*.html"):
        if "_static" in path.parts:
            continue
        html = path.read_text(encoding="utf-8")
        fixed = fix(html)
        if fixed != html:
            path.write_text(fixed, encoding="utf-8")


def setup(app: Any) -> dict[str, Any]:
    """Run after the pages are written."""
    app.connect("build-finished", mend_pages)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
