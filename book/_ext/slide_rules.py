"""What of a page and its lab goes on a slide; the rest becomes the speaker's notes.

The rule, from top to bottom of a page:

* A heading starts a slide, with the paragraph below it: the one-sentence claim. A
  quotation that follows goes there, and so does the first list, with the paragraph
  that leads to it.
* A short table, short code, a formula and a question (a dropdown, or several with the
  paragraph above them) go to the slide of that claim if there is room, with the
  paragraph right above them. Otherwise they have a slide of their own, with that
  paragraph. Code or a table without a word has the paragraph below it.
* A picture, a slider and a live cell have a slide each, with the claim or the paragraph
  right above if that is short. "**Change** it" stays with its cell. An admonition has
  a slide too.

What of a lab goes there is said in :mod:`slide_labs`.

An author steers with the class ``no-slide`` on a block (``{.no-slide}`` above it) or
the tag ``no-slide`` on a cell, which makes a note of it, and with ``slide``, which puts
a block of a page on a slide of its own, and gives one to a cell of a lab.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from bs4 import Tag
from slide_room import HEIGHT, cell_room, heights_of, tags, words

__all__ = [
    "WORDS",
    "Builder",
    "Slide",
    "cell_of",
    "classes",
    "heading",
    "kind_of",
    "page_slides",
    "runs",
]

SKIPPED = {"references", "what-is-next"}
NOTHING = {"livecells-absent", "toctree-wrapper", "livecell-reason"}
ROWS = 9  # of a table on a slide
LINES = 20  # of code that is no cell
WORDS = 130  # of a list or of an exercise
ALONE = 190  # of a list that is all that its slide has
ANSWERS_WORDS = 190  # of questions with their answers
FULL = 1.1 * HEIGHT  # what a slide is filled with; its script makes that smaller
ANNOUNCED = 1.35 * HEIGHT  # rather than that a colon points to the next slide
LITTLE = 90  # the height of one or two lines
SHORT, COLON = 175, 260  # letters above a picture or a cell; of what ends with a colon
LARGE = 17.0  # letters of code, which a paragraph above may not make smaller


@dataclass
class Slide:
    """One slide.

    Attributes:
        kind: "title", "text", "question", "picture", "table", "code" or "cell".
        title: its heading, as text.
        parts: what it shows.
        notes: what the speaker may say.
        link: the section of the page or lab that it comes from.
        open: whether what follows may join it.
    """

    kind: str
    title: str
    parts: list[Tag]
    notes: list[Tag] = field(default_factory=list)
    link: str = ""
    open: bool = False


def classes(tag: Tag) -> set[str]:
    found = tag.get("class")
    return set(found) if isinstance(found, list) else set()


def heading(tag: Tag) -> str:
    """The text of a heading without the sign of its link."""
    return words(tag).removesuffix("#").strip()


def cell_of(slide: Slide) -> Tag | None:
    """The cell that a slide shows."""
    cells = [part for part in slide.parts if "cell" in classes(part)]
    return cells[0] if slide.kind == "cell" and cells else None


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
    simple |= {"ul": "list", "ol": "list", "blockquote": "quotation"}
    if tag.name in simple:
        return simple[tag.name]
    if tag.name in ("h1", "h2", "h3", "h4"):
        return "heading"
    if "cell" in names:
        return "cell"
    if "admonition" in names:
        return "admonition"
    if "math" in names:
        return "formula"
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

    def lead(self, above: Tag | None) -> list[Tag]:
        """The paragraph right above a block, taken from the notes; none if shown.

        Below a picture, a table or a cell a paragraph explains that, or announces.
        """
        last = self.slides[-1]
        if above is None or above.name != "p" or last.notes[-1:] != [above]:
            return []
        if not last.open and not _announces([above]):
            return []
        return [last.notes.pop()] if kind_of(above) == "text" else []

    def join(self, kind: str, room: float, *parts: Tag) -> bool:
        """Put parts on the slide that stands last, if it is open and has the room."""
        last = self.slides[-1] if self.slides else None
        if last is None or not last.open or heights_of([*last.parts, *parts]) > room:
            return False
        last.parts += parts
        last.kind, last.open = kind, False
        return True


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
    above: Tag | None = None
    for run in runs(tags(section)):
        block, what = run[0], kind_of(run[0])
        if what == "heading":
            builder.title = heading(block)
            opening = builder.add(kind)
            opening.open = kind == "text"
        elif what == "section":
            _page_section(block, builder, "text")
        elif len(run) > 1 or what == "question":
            _questions(run, builder, above)
        elif what == "text" and opening and not opening.parts:
            opening.parts.append(block)
        elif what == "text" and _stays(block, above, builder):
            builder.slides[-1].parts.append(block)
        elif what == "quotation" and opening and _is_fresh(opening, builder):
            (opening.notes or opening.parts).append(block)
        elif what == "list":
            if not (opening and _is_fresh(opening, builder) and _adds(block, opening)):
                builder.note(block)
        elif what in ("cell", "picture"):
            # The code of a slider's cell follows its figure, which has a slide above.
            _sight(block, what, builder, above)
        elif what == "admonition":
            _admonition(block, builder)
        elif what in ("table", "code", "formula"):
            _thing(block, what, builder, above)
        elif what == "whole":
            inside = tags(block) if block.name == "section" else []
            title = heading(inside[0]) if inside else ""
            builder.add("text", *(inside[1:] or [block]), title=title)
        elif what != "nothing":
            builder.note(block)
        above = run[-1]


def _announces(texts: list[Tag]) -> bool:
    return bool(texts) and words(texts[-1]).endswith((":", "?"))


def _thing(block: Tag, what: str, builder: Builder, above: Tag | None) -> None:
    """A table, code or a formula stands below what leads to it."""
    last = builder.slides[-1]
    if what == "code" and above in last.parts and kind_of(above) == "code":
        last.open = True
    lead = builder.lead(above)
    room = ANNOUNCED if _announces(lead or last.parts) else FULL
    if builder.join("text", FULL if lead else room, *lead, block):
        return
    if lead and heights_of([*lead, block]) > room:
        last.notes += lead
        lead = []
    builder.add(what if not lead else "text", *lead, block)


def _sight(block: Tag, what: str, builder: Builder, above: Tag | None) -> None:
    """A picture or a cell stands below what leads to it, if that is short."""
    last = builder.slides[-1]
    lead = builder.lead(above)
    claim = last.parts if last.open else []
    if last.open and _has_room(block, what, [*claim, *lead]):
        last.parts += [*lead, block]
        last.kind, last.open = what, False
        return
    if lead and not (_announces(lead) and _has_room(block, what, lead)):
        last.notes += lead
        lead = []
    builder.add(what, *lead, block)


def _has_room(block: Tag, what: str, texts: list[Tag]) -> bool:
    """Whether a picture or a cell stays large below some paragraphs."""
    length = sum(len(words(one)) for one in texts)
    if any(one.name != "p" for one in texts):
        return False
    if length > (COLON if _announces(texts) else SHORT):
        return False
    if what == "picture":
        return True
    alone, below = cell_room(block, []), cell_room(block, texts)
    return below.size >= min(LARGE, alone.size)


def _stays(block: Tag, above: Tag | None, builder: Builder) -> bool:
    """Whether a paragraph goes to the slide of the cell, code or table right above."""
    if _is_change(block, builder):
        return True
    last = builder.slides[-1]
    if above is None or above not in last.parts or last.notes:
        return False
    if kind_of(above) == "table" and words(block).startswith("("):
        return heights_of([*last.parts, block]) <= ANNOUNCED  # it explains the columns
    things = {kind_of(part) for part in last.parts}
    return things <= {"table", "code"} and heights_of([*last.parts, block]) <= FULL


def _is_fresh(opening: Slide, builder: Builder) -> bool:
    """Whether the slide of a heading is the last one, and has a paragraph at most."""
    return builder.slides[-1] is opening and len(opening.parts) < 2


def _adds(block: Tag, opening: Slide) -> bool:
    """Put a list on the slide of its heading, with its lead, if there is room."""
    lead = opening.notes[-1:]
    if lead and (lead[0].name != "p" or not words(lead[0])):
        return False
    room = WORDS if opening.parts else ALONE
    if sum(len(words(one).split()) for one in (*lead, block)) > room:
        return False
    opening.parts += [*lead, block]
    del opening.notes[-1:]
    return True


def _questions(run: list[Tag], builder: Builder, above: Tag | None) -> None:
    """A slide of questions; other folds, and what is too much, is for the notes."""
    summary = run[0].find("summary")
    asked = words(summary) if isinstance(summary, Tag) else ""
    asks = len(run) > 1 or asked.endswith("?") or asked.startswith("Predict")
    if asks and sum(len(words(one).split()) for one in run) <= ANSWERS_WORDS:
        last = builder.slides[-1]
        if _is_of_change(run, above, last):
            last.notes += run
            return
        lead = builder.lead(above)
        # "Decide first" would be alone on its slide.
        room = ANNOUNCED if heights_of(last.parts) < LITTLE else FULL
        if builder.join("question", room, *lead, *run):
            return
        if lead and heights_of([*lead, *run]) > FULL:
            last.notes += lead
            if builder.join("question", room, *run):
                return
            lead = []
        builder.add("question", *lead, *run)
        return
    lead = run[0]
    if lead.name == "p" and builder.slides and not builder.slides[-1].parts:
        builder.slides[-1].parts.append(lead)
        run = run[1:]
    for one in run:
        builder.note(one)


def _is_of_change(run: list[Tag], above: Tag | None, last: Slide) -> bool:
    """Whether a question asks of the change right above, and the slide has that."""
    if last.kind != "cell" or len(run) > 1 or len(words(run[0]).split()) > 12:
        return False
    return last.parts[-1] is above and cell_of(last) is not above


def _is_change(block: Tag, builder: Builder) -> bool:
    strong = block.find("strong")
    last = builder.slides[-1] if builder.slides else None
    return bool(
        strong
        and words(block).startswith("Change")
        and last
        and last.kind == "cell"
        and kind_of(last.parts[-1]) == "cell"
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
