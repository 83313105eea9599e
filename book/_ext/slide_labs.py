"""What of a lab goes on a slide, after those of its page; see :mod:`slide_rules`.

Of a lab come the cells that show a new picture, each with the "Predict" above it, the
texts of the exercises, and the section "Take it with you". A live cell of the lab that
has no slide is in the deck all the same, unseen, since others may need it.
"""

from __future__ import annotations

from bs4 import Tag
from slide_room import tags, words
from slide_rules import WORDS, Builder, Slide, classes, heading, kind_of, runs

__all__ = ["answer_cells", "lab_slides"]

ANSWERS = {"tag_exercise", "tag_check", "tag_solution"}


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
