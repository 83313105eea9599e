"""The slides: what goes on them, and whether it fits and works in a browser.

That cells run on slides is shown by the scenario ``slides`` of ``live/``.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import slide_labs
import slide_room
import slide_rules
import slides
from bs4 import BeautifulSoup, Tag

DROPDOWN = (
    '<details class="sd-dropdown"><summary><span class="sd-summary-text">{}</span>'
    "</summary><p>{}</p></details>"
)
CELL = (
    '<div class="cell tag_live livecell {tags}" id="cell-{name}">'
    '<div class="cell_input"><div class="highlight"><pre>{code}\n</pre></div></div>'
    '<div class="cell_output">{output}</div></div>'
)
PICTURE = '<svg viewBox="0 0 10 5"><title id="{0}">{0}</title></svg>'
PAGE = f"""
<section id="top"><h1>Be on time<a class="headerlink" href="#top">#</a></h1>
<p>Late is late.</p>
<div class="looplab-timeline">{PICTURE.format("first")}</div>
<div class="tip admonition"><p class="admonition-title">What you get</p>
<p>You can</p><ol><li>see</li></ol><dl><dt>Time</dt><dd>5 minutes</dd></dl></div>
<section id="heart"><h2>Hear it<a class="headerlink" href="#heart">#</a></h2>
<p>A claim, and <a href="#top">a link</a>, <a href="glossary.html#x">another</a>.</p>
<p>What the speaker says.</p>
{DROPDOWN.format("Predict: how late?", "2 s")}
{CELL.format(name="heart", tags="", code="print(2)", output="<pre>2</pre>")}
<p><strong>Change</strong> it: print 3.</p>
<p class="no-slide">For readers only.</p>
<table class="no-slide"><tr><td>never</td></tr></table>
<div class="slide"><p>By hand.</p></div>
</section>
<section id="quiz"><h2>Quiz</h2><p>Decide first.</p>
<p>1. Which?</p>{DROPDOWN.format("this", "No.")}{DROPDOWN.format("that", "Right.")}
</section>
<section id="references"><h2>References</h2><p>Somebody.</p></section></section>
"""
LAB = f"""
<section id="lab"><h1>Lab: be on time</h1>
{CELL.format(name="import", tags="", code="x = 1", output="")}
<section id="one"><h2>1. Hear it</h2>
<p>Predict. What is drawn?</p><details><summary>Answer</summary>A line.</details>
{CELL.format(name="heart", tags="", code="draw(x)", output=PICTURE.format("second"))}
{CELL.format(name="again", tags="", code="draw()", output=PICTURE.format("first"))}
{CELL.format(name="asked", tags="tag_slide", code="y = 2", output="")}
{CELL.format(name="not", tags="tag_no-slide", code="n", output=PICTURE.format("n"))}
</section>
<section id="exercises"><h2>Exercises</h2>
<section id="e"><h3>1. Predict it</h3><p>How many?</p>
<details><summary>Hint</summary>Few.</details>
{CELL.format(name="stub", tags="tag_exercise", code="a = ...", output="")}
</section></section>
<section id="take-it-with-you"><h2>Take it with you</h2><ul><li>Be quick.</li></ul>
</section></section>
"""


def article(text: str) -> Tag:
    page = BeautifulSoup(f"<article>{text}</article>", "html.parser")
    assert page.article is not None
    return page.article


def kinds(found: list[slide_rules.Slide]) -> list[tuple[str, str]]:
    return [(slide.kind, slide.title) for slide in found]


def test_a_page_becomes_slides_by_the_rule() -> None:
    found = slide_rules.page_slides(article(PAGE), "../book/p.html")
    assert kinds(found) == [
        ("title", "Be on time"),
        ("picture", "Be on time"),
        ("text", "What you get"),
        ("question", "Hear it"),
        ("cell", "Hear it"),
        ("text", "Hear it"),
        ("question", "Quiz"),
    ]
    title, _, gives, claim, cell, _, choice = found
    assert [slide_room.words(part) for part in title.parts] == ["Late is late."]
    assert [part.name for part in gives.parts] == ["p", "ol"]
    assert [part.name for part in gives.notes] == ["dl"]
    # The paragraph right above a question goes with it.
    assert [part.name for part in claim.parts] == ["p", "p", "details"]
    assert slide_room.words(claim.parts[1]) == "What the speaker says."
    assert slide_room.words(cell.parts[1]) == "Change it: print 3."
    assert [slide_room.words(part) for part in cell.notes] == [
        "For readers only.",
        "never",
    ]
    # "Decide first" is not alone on a slide.
    assert [part.name for part in choice.parts] == ["p", "p", "details", "details"]
    assert claim.link == "../book/p.html#heart"


def test_what_a_paragraph_announces_stays_with_it() -> None:
    many = "word " * (slide_rules.WORDS + 1)
    found = slide_rules.page_slides(
        article(
            "<section id='t'><h1>Top</h1><p>Claim.</p>"
            "<section id='a'><h2>Refused</h2><p>It says:</p><blockquote>no</blockquote>"
            "<p>More.</p></section>"
            "<section id='b'><h2>Two lines</h2><p>One.</p><p>It changes more:</p>"
            "<ul><li>this</li></ul></section>"
            f"<section id='c'><h2>Alone</h2><ol><li>{many}</li></ol></section>"
            f"<section id='d'><h2>Long</h2><p>It is long:</p><ol><li>{many}</li></ol>"
            "</section></section>"
        ),
        "p.html",
    )
    shown = {
        slide.title: [words[:9] for words in map(slide_room.words, slide.parts)]
        for slide in found
    }
    assert shown["Refused"] == ["It says:", "no"]
    assert shown["Two lines"] == ["One.", "It change", "this"]
    assert shown["Alone"] == ["word word"]
    assert shown["Long"] == ["It is lon"]


TABLE = "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"
CODE = '<div class="highlight-python"><pre>{}</pre></div>'


def section(name: str, *blocks: str) -> str:
    return f"<section id='{name}'><h2>{name}</h2>{''.join(blocks)}</section>"


def shown(*sections: str) -> list[tuple[str, list[str]]]:
    """The titles of the slides of some sections, and what is on each."""
    page = f"<section id='top'><h1>Top</h1><p>Claim.</p>{''.join(sections)}</section>"
    found = slide_rules.page_slides(article(page), "p.html")[1:]
    return [(slide.title, [part.name for part in slide.parts]) for slide in found]


def test_a_table_and_code_stand_below_what_leads_to_them() -> None:
    lead = "<p>There are two:</p>"
    said = "<p>Nobody shows this.</p>"
    long = f"<p>{'word ' * 250}</p>"
    assert shown(section("a", lead, TABLE)) == [("a", ["p", "table"])]
    assert shown(section("b", "<p>A claim.</p>", said, lead, TABLE)) == [
        ("b", ["p", "p", "table"])
    ]
    # What does not fit the slide of its claim has one of its own, with its lead.
    assert shown(section("c", long, lead, TABLE)) == [
        ("c", ["p"]),
        ("c", ["p", "table"]),
    ]
    # Below a table a paragraph explains that, unless it announces.
    assert shown(section("d", "<p>A claim.</p>", TABLE, said, TABLE)) == [
        ("d", ["p", "table"]),
        ("d", ["table"]),
    ]
    assert shown(section("e", "<p>A claim.</p>", TABLE, "<p>(In ms.)</p>")) == [
        ("e", ["p", "table", "p"])
    ]
    # Code that begins a section has the words below it.
    code = CODE.format("run it")
    assert shown(section("f", code, "<p>The 4 is a number.</p>", said)) == [
        ("f", ["div", "p"])
    ]


def test_a_short_lead_stands_above_a_picture_and_a_cell() -> None:
    cell = CELL.format(name="a", tags="", code="print(2)", output="<pre>2</pre>")
    many = CELL.format(name="b", tags="", code="x = 1\n" * 20, output="<pre>2</pre>")
    lead, long = "<p>Ask it:</p>", f"<p>{'word ' * 60}</p>"
    picture = f"<div>{PICTURE.format('p')}</div>"
    assert shown(section("a", lead, cell)) == [("a", ["p", "div"])]
    assert shown(section("b", lead, picture)) == [("b", ["p", "div"])]
    assert shown(section("c", long, cell)) == [("c", ["p"]), ("c", ["div"])]
    # The letters of a long cell would get too small.
    assert shown(section("d", lead, many)) == [("d", ["p"]), ("d", ["div"])]
    change = "<p><strong>Change</strong> it: print 3.</p>"
    asked = DROPDOWN.format("How many?", "3")
    # The speaker asks what the change has brought.
    assert shown(section("e", cell, change, asked)) == [("e", ["div", "p"])]


def test_a_lab_gives_new_pictures_exercises_and_what_to_take_along() -> None:
    seen = {str(article(PAGE).svg)}
    found = slide_labs.lab_slides(article(LAB), "../notebooks/p.html", seen)
    assert kinds(found) == [
        ("agenda", "The lab"),
        ("question", "Lab: 1. Hear it"),
        ("cell", "Lab: 1. Hear it"),
        ("cell", "Lab: 1. Hear it"),
        ("text", "Exercise 1. Predict it"),
        ("text", "Take it with you"),
    ]
    assert [slide.parts[0].get("id") for slide in found if slide.kind == "cell"] == [
        "cell-heart",
        "cell-asked",
    ]
    assert len(found[0].parts) == 3


def write(html: Path, name: str, body: str) -> None:
    settings = json.dumps({"assets": "../a/", "notebook": {"name": name}})
    path = html / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f'<head><link rel="stylesheet" href="../_static/{path.parent.name}.css"></head>'
        f'<script id="livecells-config" type="application/json">{settings}</script>'
        f'<article class="bd-article">{body}</article>',
        encoding="utf-8",
    )


@pytest.fixture
def html(tmp_path: Path) -> Path:
    write(tmp_path, "book/p.html", PAGE)
    write(tmp_path, "notebooks/p.html", LAB)
    return tmp_path


def test_a_deck_holds_every_live_cell_once(html: Path) -> None:
    text = slides.deck(html, "book/p.html", "notebooks/p.html", "1")
    page = BeautifulSoup(text, "html.parser")
    assert page.title is not None
    assert page.title.string == "Slides: Be on time — On Time"
    on_slides = [cell["id"] for cell in page.select(".slide-body .livecell")]
    # The page and the lab both call a cell heart.
    assert on_slides == ["cell-heart", "cell-heart-lab", "cell-asked"]
    hidden = page.select("[hidden] .livecell")
    assert [cell["id"] for cell in hidden] == ["cell-import", "cell-again"]
    assert not page.select("[hidden] .cell_output")
    # A cell needs those above it: all keep the order of the page and the lab.
    order = [cell["id"] for cell in page.select(".livecell")]
    assert order.index("cell-import") < order.index("cell-heart-lab")
    assert order.index("cell-again") < order.index("cell-asked")
    links = [link["href"] for link in page.select("section .slide-body a[href]")]
    assert links == ["../book/p.html#top", "../book/glossary.html#x"]
    assert {link["href"].partition("?")[0] for link in page.select("link")} >= {
        "../_static/book.css",
        "../_static/notebooks.css",
        "../_static/slides/slides.css",
        "../_static/slides/cells.css",
    }
    config = page.select_one("script#livecells-config")
    assert config is not None and json.loads(config.get_text()) == {"assets": "../a/"}
    names = [tag["id"] for tag in page.select("[id]")]
    assert len(names) == len(set(names))


def test_a_page_without_an_article_is_named(html: Path) -> None:
    (html / "book/p.html").write_text("<p>nothing</p>", encoding="utf-8")
    with pytest.raises(slides.DeckError, match=r"book/p\.html has no article"):
        slides.deck(html, "book/p.html", "notebooks/p.html", "1")


@pytest.mark.parametrize(
    ("text", "size"),
    [("x", slide_room.LARGEST), ("x" * 100, 9.84), ("x\n" * 100, 4.23)],
)
def test_code_is_as_large_as_its_box_lets_it_be(text: str, size: float) -> None:
    assert slide_room.code_size(text, 600, 600) == pytest.approx(size, abs=0.01)


def laid(code: str, output: str) -> slide_room.CellRoom:
    cell = CELL.format(name="a", tags="", code=code, output=f"<pre>{output}</pre>")
    found = article(cell).select_one(".cell")
    assert found is not None
    return slide_room.cell_room(found, [])


def test_code_and_output_share_a_slide_by_what_they_need() -> None:
    narrow = laid("x" * 60 + "\nx" * 19, "2")
    assert narrow.names == ("side-by-side",) and narrow.share == 0.8
    wide = laid("x" * 60 + "\nx" * 19, "y" * 40)
    assert wide.names == ("side-by-side",) and 0.59 < wide.share < 0.61
    assert laid("x" * 70, "y" * 70).names == ()
    # Code that would be cut goes on in a second column.
    assert laid("x\n" * 45, "2").names == ("two-columns",)


def test_a_picture_that_is_zoomed_has_its_height_as_a_style() -> None:
    part = article('<svg height="30"><svg height="2"></svg></svg><svg height="9%">')
    slides.heights_as_style(part)
    assert [svg.get("style") for svg in part.select("svg")] == [
        "height: 30px",
        None,
        None,
    ]
