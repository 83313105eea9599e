"""The exercises on paper: those of the labs, then those of ``teaching/exercises``.

They come without solutions; these stand at the end, as do the hints.
"""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any

from ontime.grade.labs import LabError, read_solutions
from tools.common import ToolError
from tools.printed import (
    UNWANTED,
    Page,
    article_of,
    contents,
    demote,
    document,
    open_cells,
    rename,
    styles,
)
from tools.printed_answers import Answers, fragment, take_answers

__all__ = ["exercises", "read_bank"]


def of_lab(html: Path, page: Page, answers: Answers) -> str:
    """The section with the exercises of a lab; empty where it has none."""
    article = article_of(html, page)
    section = article.select_one("section#exercises")
    if section is None:
        return ""
    for tag in section.select(UNWANTED):
        if not tag.decomposed:
            tag.decompose()
    for heading in section.find_all("h2", recursive=False):
        heading.decompose()
    rename(section, page, {})
    take_answers(section, answers)
    open_cells(section)
    demote(section, -1)
    return section.decode_contents()


# --------------------------------------------------------------------- the bank


def read_bank(path: Path) -> list[dict[str, Any]]:
    """The cells of a notebook.

    Raises:
        ToolError: It is no notebook.
    """
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return [{**cell, "source": "".join(cell["source"])} for cell in cells]
    except (ValueError, KeyError, TypeError) as error:
        raise ToolError(f"{path} is no notebook: {error!r}") from None


def code(text: str) -> str:
    """Python as the pages show it."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    inner: str = highlight(text.strip("\n"), PythonLexer(), HtmlFormatter())
    return f'<div class="cell"><div class="cell_input">{inner}</div></div>'


def prose(text: str) -> str:
    """Markdown as HTML, its headings one step lower, its code in colours."""
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": True}).enable("table")
    body = fragment(f"<div>{reader.render(text)}</div>")
    for link in body.select("a[href]"):
        if "://" not in str(link["href"]):
            del link["href"]
    for block in body.select("pre > code.language-python"):
        assert block.parent is not None
        block.parent.replace_with(fragment(code(block.get_text())))
    demote(body, 0)
    return body.decode_contents()


def of_bank(notebook: Path, solutions: dict[str, str], answers: Answers) -> str:
    """The extra exercises of a chapter, without the title of their notebook."""
    out = []
    for cell in read_bank(notebook):
        tags = cell["metadata"].get("tags", [])
        if cell["cell_type"] == "markdown":
            text = cell["source"]
            if text.startswith("# "):
                text = text.partition("\n")[2]
                out.append("<h2>More exercises</h2>")
            held = fragment(f"<div>{prose(text)}</div>")
            take_answers(held, answers)
            out.append(held.decode_contents())
        elif cell["cell_type"] == "code" and "solution" not in tags:
            out.append(code(cell["source"]))
            name = cell["metadata"].get("exercise")
            if "check" in tags and name in solutions:
                link = answers.take("Solution", "", [code(solutions[name])])
                out.append(f"<p>{link}</p>")
    return "".join(out)


def exercises(
    html: Path,
    title: str,
    lead: str,
    teaching: Path,
) -> str:
    """All exercises as one page.

    Args:
        html: the built site.
        title: of the document.
        lead: a line below the title.
        teaching: the folder with ``exercises`` and ``answers``; it may be missing.

    Raises:
        ToolError: There is no site, no lab has exercises, or a file cannot be read.
    """
    pages = contents(html)
    answers = Answers()
    parts: list[str] = []
    shown: list[Page] = []
    chapter = Page("", "", 1)
    for page in pages:
        if page.depth == 1:
            chapter = page
            continue
        answers.begin(chapter.title)
        text = of_lab(html, page, answers)
        stem = page.address.rpartition("/")[2].removesuffix(".html")
        notebook = teaching / "exercises" / f"{stem}.ipynb"
        if notebook.is_file():
            try:
                solutions = read_solutions(teaching / "answers", stem[:2])
            except LabError as error:
                raise ToolError(str(error)) from None
            text += of_bank(notebook, solutions, answers)
        if text:
            one = Page(page.address, chapter.title, 1)
            shown.append(one)
            heading = f'<h1 class="as-h1">{escape(one.title)}</h1>'
            parts.append(
                f'<section class="page" id="{one.name}">{heading}{text}</section>'
            )
    if not parts:
        raise ToolError(f"{html}: no lab below a chapter has a section of exercises")
    links = styles(html, shown)
    return document(title, lead, links, shown, parts, answers.html())
