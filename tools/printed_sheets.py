"""Sheets of paper for a class, made from the built site: four for each chapter.

``04-predictions`` has every question with lines to write on; ``04-exercises`` has those
of the lab and *More exercises*; ``04-solutions`` has the hints, and on pages of their
own the solutions; ``04-cards`` is to be cut: the lines to put in order, and what else
``teaching/handouts`` has for the chapter. None has both question and answer.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path

from bs4 import Tag
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from ontime.check.registry import CHAPTERS
from ontime.grade.labs import LabError, read_solutions
from tools.common import ToolError
from tools.printed import (
    UNWANTED,
    Page,
    article_of,
    contents,
    demote,
    open_cells,
    paper,
    rename,
    styles,
)
from tools.printed_answers import Answers, fragment, take_answers, words

__all__ = ["sheets"]

LINE = '<div class="line"></div>'
KINDS = ("predictions", "exercises", "solutions", "cards")
# What only a computer needs: imports, and a loop that prints lines which are shown.
GLUE = re.compile(r"(?:(?:import|from) .*\n*|for .*\n +print\(.*\)\n*)+")
EXTRA = re.compile(r"\d\d-x\w+")
CHECK = re.compile(r"\s*^check\(.*\)$", re.M)
ROW = re.compile(r"^\| *(\d+) *\| (.+?) \| (.+?) \|$", re.M)


def sheets(html: Path, teaching: Path) -> Iterator[tuple[str, str]]:
    """The name of each sheet, and the sheet as one page.

    Args:
        html: the built site.
        teaching: the folder with ``answers`` and ``handouts``.

    Raises:
        ToolError: There is no site, a lab has no exercises, or a file cannot be read.
    """
    pages = contents(html)
    for number in CHAPTERS:
        start = re.compile(rf"\w+/{number}_")
        chapter = [page for page in pages if start.match(page.address)]
        if not chapter:
            continue
        links = styles(html, chapter)
        answers = Answers()
        answers.begin("")
        bodies = (
            predictions(html, chapter),
            exercises(html, chapter, answers),
            solutions(answers, teaching, number),
            cards(teaching, number),
        )
        for kind, body in zip(KINDS, bodies, strict=True):
            title = f"{chapter[0].title}: {kind}"
            heading = f'<h1 class="as-h1">{escape(title)}</h1>'
            sheet = f'<div class="sheet">{heading}{body}</div>'
            yield f"{number}-{kind}", paper(title, links, sheet)


def predictions(html: Path, pages: list[Page]) -> str:
    """The questions of the page and of its labs, each once, with lines to write on."""
    parts: list[str] = []
    asked: set[str] = set()
    for page in pages:
        heads = [f'<h2 class="as-h2">{escape(page.title)}</h2>']
        for tag in article_of(html, page).find_all(["h2", "summary", "p"]):
            text = words(tag).removesuffix("#")
            question = re.match(r"Predict ?[.:] *(?! *decide before)(.+)", text)
            if tag.name == "h2":
                heads = [head for head in heads if "as-h2" in head]
                heads.append(f"<h3>{escape(text)}</h3>")
            elif question and question[1].lower() not in asked:
                asked.add(question[1].lower())
                shown = escape(question[1][:1].upper() + question[1][1:])
                asking = f'{"".join(heads)}<p class="asked">{shown}</p>{LINE * 2}'
                parts.append(f"<section>{asking}</section>")
                heads = []
    return f'<p class="name">Name:</p>{"".join(parts)}'


def exercises(html: Path, pages: list[Page], answers: Answers) -> str:
    """The exercises of a chapter; hints and solutions are taken into *answers*."""
    parts: list[str] = []
    for page in pages:
        article = article_of(html, page)
        more = page.address.endswith("_more_exercises.html")
        section = article.select_one("section" if more else "section#exercises")
        if section is None:
            continue
        for tag in section.select(".tag_check"):
            heading, name = tag.find_previous(["h2", "h3"]), EXTRA.search(words(tag))
            if name and isinstance(heading, Tag):
                heading.append(f" ({name[0]})")  # its solution has no other name
        for tag in section.select(UNWANTED):
            if not tag.decomposed:
                tag.decompose()
        for heading in section.find_all(["h1", "h2"], recursive=False):
            # What it says of running cells is of no use on paper.
            following = heading.find_next_sibling()
            if isinstance(following, Tag) and following.name == "p":
                following.decompose()
            heading.decompose()
        rename(section, page, {})
        take_answers(section, answers)
        for link in section.select("a.to-answer"):
            (link.find_parent("p") or link).decompose()
        for cell in section.select(".cell:not(.tag_exercise)"):
            for shown in cell.select(".cell_input"):
                if GLUE.fullmatch(shown.get_text().strip()):
                    shown.decompose()
        for cell in section.select(".tag_exercise"):
            cell.insert_after(*map(fragment, [LINE] * 4))
        open_cells(section)
        demote(section, 0 if more else -1)
        title = "More exercises" if more else "Exercises of the lab"
        parts.append(f"<h2>{title}</h2>{section.decode_contents()}")
    if not parts:
        raise ToolError(f"{pages[0].address}: no lab has a section of exercises")
    return "".join(parts)


def solutions(answers: Answers, teaching: Path, number: str) -> str:
    """Hints, then on pages of their own the solutions."""
    for name, parts in _of_more_exercises(teaching, number).items():
        answers.take("Solution", name, parts)
    taken = [fragment(text) for _, texts in answers.pages for text in texts]
    for tag in taken:
        for link in tag.select(".answer-number a"):
            link.string = words(link).split()[0]  # no sheet refers to it by its number
        for shown in tag.select(".cell_input"):
            code = CHECK.sub("", shown.get_text().strip())
            shown.replace_with(fragment(python(code)))
    hints = [str(each) for each in taken if words(each).startswith("Hint")]
    solved = [str(each) for each in taken if not words(each).startswith("Hint")]
    return (
        f"<h2>Hints</h2>{''.join(hints)}"
        f'<section class="page"><h2>Solutions</h2>{"".join(solved)}</section>'
    )


def _of_more_exercises(teaching: Path, number: str) -> dict[str, list[str]]:
    """The solutions that no page has, each with why it works, by name."""
    try:
        texts = read_solutions(teaching / "answers", number)
    except LabError as error:
        raise ToolError(str(error)) from None
    return {
        name: [python(code), f"<p>{_marked(why)}</p>"]
        for name, (code, why) in texts.items()
    }


def python(text: str) -> str:
    """Python as the pages show it."""
    inner: str = highlight(text.strip("\n"), PythonLexer(), HtmlFormatter())
    return f'<div class="cell"><div class="cell_input">{inner}</div></div>'


def cards(teaching: Path, number: str) -> str:
    """What a group lays in order on a table: cut along the lines."""
    module = importlib.import_module(f"ontime.check.{CHAPTERS[number]}")
    lines = "".join(
        f"<li><span>{place}</span><pre>{escape(line)}</pre></li>"
        for place, line in enumerate(module.PARSONS_LINES, start=1)
    )
    parts = [f'<h2>Put the lines in order</h2><ol class="cards">{lines}</ol>']
    for path in sorted((teaching / "handouts").glob(f"{number}_*.md")):
        text = path.read_text(encoding="utf-8")
        rows = ROW.findall(text)
        if not rows:
            continue
        title = re.findall(r"^# (?:To print: )?(.+)$", text, re.M)[0]
        task = text.partition("\n\n")[2].partition("\n\n")[2].partition("\n\n| ")[0]
        laid = "".join(
            f"<li><span>{place}</span>{_marked(name)}: {_marked(about)}</li>"
            for place, name, about in rows
        )
        parts.append(
            f'<section class="page"><h2>{escape(title.capitalize())}</h2>'
            f'<p>{_marked(task)}</p><ol class="cards">{laid}</ol></section>'
        )
    return "".join(parts)


def _marked(text: str) -> str:
    text = re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", escape(text))
    text = re.sub(r"\*([^*\s][^*]*)\*", r"<em>\1</em>", text)
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", text)
