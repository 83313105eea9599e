"""What of a page and its lab goes on a slide; the rest becomes the speaker's notes.

The rule, from top to bottom of a page:

* A heading starts a slide, with the paragraph below it: the one-sentence claim. Its
  first list goes there too.
* A picture, a slider, a short table, short code, an admonition, a live cell and each
  question (a dropdown, or several with the paragraph above them) have a slide each.
  "**Change** it" stays with its cell.
* Of a lab come the cells that show a new picture, each with the "Predict" above it, the
  texts of the exercises, and the section "Take it with you". A live cell of the lab
  that has no slide is in the deck all the same, unseen, since others may need it.

An author steers with the class ``no-slide`` on a block (``{.no-slide}`` above it) or
the tag ``no-slide`` on a cell, which makes a note of it, and with ``slide``, which puts
a block of a page on a slide of its own, and gives one to a cell of a lab.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from bs4 import Tag

__all__ = ["SMALL", "Slide", "answer_cells", "lab_slides", "page_slides", "source"]

SKIPPED = {"references", "what-is-next"}
NOTHING = {"livecells-absent", "toctree-wrapper", "livecell-reason"}
ANSWERS = {"tag_exercise", "tag_check", "tag_solution"}
ROWS = 9  # of a table on a slide
LINES = 20  # of code that is no cell
WORDS = 130  # of a list or of an exercise
ANSWERS_WORDS = 190  # of questions with their answers
SMALL = 12.5  # CSS pixels: the smallest code; a longer cell scrolls in its box


@dataclass
class Slide:
    """One slide.

    Attributes:
        kind: "title", "text", "question", "picture", "table", "code" or "cell".
        title: its heading, as text.
        parts: what it shows.
        notes: what the speaker may say.
        link: the section of the page or lab that it comes from.
    """

    kind: str
    title: str
    parts: list[Tag]
    notes: list[Tag] = field(default_factory=list)
    link: str = ""


def tags(parent: Tag) -> list[Tag]:
    """The elements directly below another."""
    return [child for child in parent.children if isinstance(child, Tag)]


def classes(tag: Tag) -> set[str]:
    found = tag.get("class")
    return set(found) if isinstance(found, list) else set()


def words(tag: Tag) -> str:
    """The text of an element in one line."""
    return " ".join(tag.get_text().split())


def heading(tag: Tag) -> str:
    """The text of a heading without the sign of its link."""
    return words(tag).removesuffix("#").strip()


def source(cell: Tag) -> str:
    """The code of a cell; empty where the page does not show it."""
    pre = cell.select_one("div.cell_input pre")
    return pre.get_text().rstrip("\n") if pre else ""


def is_picture(tag: Tag) -> bool:
    return tag.name in ("figure", "svg", "img") or bool(tag.select_one("svg, img"))


def kind_of(tag: Tag) -> str:
    """What a block of a page is to a slide."""
    names = classes(tag)
    if tag.name in ("noscript", "script", "style") or names & NOTHING:
        return "nothing"
    if names & {"no-slide", "tag_no-slide"}:
        return "note"
    if "slide" in names:
        return "whole"
    simple = {"section": "section", "details": "question", "p": "text"}
    simple |= {"ul": "list", "ol": "list"}
    if tag.name in simple:
        return simple[tag.name]
    if tag.name in ("h1", "h2", "h3", "h4"):
        return "heading"
    if "cell" in names:
        return "cell"
    if "admonition" in names:
        return "admonition"
    if any(name.startswith("highlight-") for name in names):
        return "code" if len(tag.get_text().splitlines()) <= LINES else "note"
    if tag.name == "table" or (table := tag.select_one("table")):
        table = tag if tag.name == "table" else table
        fits = table is not None and len(table.select("tr")) <= ROWS
        return "table" if fits and len(words(tag)) < 8 * WORDS else "note"
    return "picture" if is_picture(tag) else "note"


class Builder:
    """Collects slides while the blocks of a page go by."""

    def __init__(self, title: str, link: str) -> None:
        self.title, self.link = title, link
        self.slides: list[Slide] = []

    def add(self, kind: str, *parts: Tag, title: str = "") -> Slide:
        slide = Slide(kind, title or self.title, list(parts), link=self.link)
        self.slides.append(slide)
        return slide

    def note(self, tag: Tag) -> None:
        """Let the speaker say it with the slide that stands last."""
        if self.slides:
            self.slides[-1].notes.append(tag)


def runs(blocks: list[Tag]) -> Iterator[list[Tag]]:
    """Blocks with the questions that belong together in one list.

    A paragraph goes with the questions below it if there are several, or if it begins
    with "Predict".
    """
    place = 0
    while place < len(blocks):
        start = place
        lead = kind_of(blocks[place]) == "text"
        place += lead
        while place < len(blocks) and kind_of(blocks[place]) == "question":
            place += 1
        count = place - start - lead
        if lead and (count > 1 or (count and words(blocks[start])[:7] == "Predict")):
            yield blocks[start:place]
            continue
        if lead:
            yield [blocks[start]]
            start += 1
        if count:
            # Without a paragraph each is a question of its own.
            yield from ([one] for one in blocks[start:place])
        elif not lead:
            yield [blocks[place]]
            place += 1


def page_slides(article: Tag, link: str) -> list[Slide]:
    """The slides of a chapter's page."""
    top = article.find("section", recursive=False)
    assert isinstance(top, Tag), "the article has no section"
    builder = Builder("", link)
    _page_section(top, builder, "title")
    # A heading alone says nothing that the slide below it, with the same one, does not.
    following = [*builder.slides[1:], Slide("text", "", [])]
    return [
        slide
        for slide, after in zip(builder.slides, following, strict=True)
        if slide.parts or slide.notes or slide.title != after.title
    ]


def _page_section(section: Tag, builder: Builder, kind: str) -> None:
    names = classes(section)
    identity = str(section.get("id", ""))
    if identity in SKIPPED or "no-slide" in names:
        return
    builder.link = f"{builder.link.partition('#')[0]}#{identity}"
    opening: Slide | None = None
    for run in runs(tags(section)):
        block, what = run[0], kind_of(run[0])
        if what == "heading":
            builder.title = heading(block)
            opening = builder.add(kind)
        elif what == "section":
            _page_section(block, builder, "text")
        elif len(run) > 1 or what == "question":
            _questions(run, builder)
        elif what == "text" and opening and not opening.parts:
            opening.parts.append(block)
        elif what == "text" and _is_change(block, builder):
            builder.slides[-1].parts.append(block)
        elif what == "list":
            fresh = opening and builder.slides[-1] is opening and len(opening.parts) < 2
            if opening and fresh and len(words(block).split()) <= WORDS:
                opening.parts.append(block)
            else:
                builder.note(block)
        elif what == "cell":
            # The code of a slider's cell follows its figure, which has a slide above.
            builder.add("cell", block)
        elif what == "admonition":
            _admonition(block, builder)
        elif what in ("picture", "table", "code"):
            builder.add(what, block)
        elif what == "whole":
            inside = tags(block) if block.name == "section" else []
            title = heading(inside[0]) if inside else ""
            builder.add("text", *(inside[1:] or [block]), title=title)
        elif what != "nothing":
            builder.note(block)


def _questions(run: list[Tag], builder: Builder) -> None:
    """A slide of questions; other folds, and what is too much, is for the notes."""
    summary = run[0].find("summary")
    asked = words(summary) if isinstance(summary, Tag) else ""
    asks = len(run) > 1 or asked.endswith("?") or asked.startswith("Predict")
    if asks and sum(len(words(one).split()) for one in run) <= ANSWERS_WORDS:
        builder.add("question", *run)
        return
    lead = run[0]
    if lead.name == "p" and builder.slides and not builder.slides[-1].parts:
        builder.slides[-1].parts.append(lead)
        run = run[1:]
    for one in run:
        builder.note(one)


def _is_change(block: Tag, builder: Builder) -> bool:
    strong = block.find("strong")
    last = builder.slides[-1] if builder.slides else None
    return bool(
        strong
        and words(block).startswith("Change")
        and last
        and last.kind == "cell"
        and len(last.parts) == 1
        and not last.notes
        and len(words(block)) < 260
    )


def _admonition(block: Tag, builder: Builder) -> None:
    title, parts, notes = builder.title, [], []
    for child in tags(block):
        if "admonition-title" in classes(child):
            title = words(child)
        elif child.name == "dl":
            notes.append(child)
        else:
            parts.append(child)
    slide = builder.add("text", *parts, title=title)
    slide.notes += notes


# ------------------------------------------------------------------------- labs


def answer_cells(cell: Tag) -> bool:
    """Whether a cell of a lab is an exercise, its check or its solution."""
    return bool(classes(cell) & ANSWERS)


def lab_slides(article: Tag, link: str, seen: set[str]) -> list[Slide]:
    """The slides of a lab.

    Args:
        article: the lab's article.
        link: the lab's address, as seen from the deck.
        seen: the pictures, as text, that the deck shows already; the lab's are added.
    """
    top = article.find("section", recursive=False)
    assert isinstance(top, Tag), "the lab has no section"
    builder = Builder("The lab", link)
    agenda = builder.add("agenda")
    for section in top.find_all("section", recursive=False):
        assert isinstance(section, Tag)
        if "no-slide" in classes(section):
            continue
        identity = str(section.get("id", ""))
        builder.link = f"{link}#{identity}"
        builder.title = heading(tags(section)[0])
        agenda.parts.append(section)
        if identity == "exercises":
            for exercise in section.find_all("section", recursive=False):
                assert isinstance(exercise, Tag)
                _exercise(exercise, builder, link)
        elif identity == "take-it-with-you":
            blocks = [one for one in tags(section) if kind_of(one) in ("text", "list")]
            slide = builder.add("text", *blocks[:1])
            slide.notes += blocks[1:]
        else:
            builder.title = f"Lab: {builder.title}"
            _lab_section(section, builder, seen)
    return builder.slides


def _lab_section(section: Tag, builder: Builder, seen: set[str]) -> None:
    question: list[Tag] = []
    said: list[Tag] = []
    for run in runs(tags(section)):
        block, what = run[0], kind_of(run[0])
        if len(run) > 1:
            question = run
        elif what == "cell":
            if _is_wanted(block, seen):
                if question:
                    builder.add("question", *question)
                slide = builder.add("cell", block)
                slide.notes += said
                if "livecell" not in classes(block):
                    # What draws it runs elsewhere: the speaker may want to read it.
                    code = block.select("div.cell_input, details.hide")
                    slide.notes += [one.extract() for one in code[:1]]
            question, said = [], []
        elif what == "text":
            said.append(block)


def _is_wanted(cell: Tag, seen: set[str]) -> bool:
    names = classes(cell)
    if "tag_no-slide" in names or names & ANSWERS:
        return False
    pictures = {str(one) for one in cell.select("div.cell_output svg")}
    pictures |= {str(one.get("src")) for one in cell.select("div.cell_output img")}
    new = bool(pictures - seen)
    seen |= pictures
    return "tag_slide" in names or new


def _exercise(section: Tag, builder: Builder, link: str) -> None:
    blocks = tags(section)
    builder.link = f"{link}#{section.get('id', '')}"
    slide = builder.add("text", title=f"Exercise {heading(blocks[0])}")
    left = WORDS
    for block in blocks[1:]:
        what = kind_of(block)
        if what in ("cell", "question"):
            break
        left -= len(words(block).split())
        fits = left > 0 and what in ("text", "list", "code", "table")
        (slide.parts if fits else slide.notes).append(block)
