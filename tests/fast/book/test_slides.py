"""The decks: how one is written, and what each of the eight keeps to."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import slides
from lab_values import find_lab, read_lab
from scoreboard_data import published_number
from scoreboard_verdicts import Scoreboard

ROOT = Path(__file__).parents[3]
DECKS = sorted((ROOT / slides.SOURCES).glob("*.md"))
BOARD = Scoreboard(
    ROOT / "book/published.toml", ROOT / "notebooks", ROOT / "book/references.bib"
)
CELL = (
    '<div class="cell {kind}" id="cell-{name}"><div class="cell_input">'
    "<div><pre>{code}\n</pre></div></div>"
    '<div class="cell_output"><pre>{output}</pre></div></div>'
)
LAB = "".join(
    CELL.format(kind=kind, name=name, code=code, output=output)
    for kind, name, code, output in (
        ("livecell", "first", "x = 1", "one"),
        ("livecell", "second", "print(x)", "two"),
        ("livecell tag_solution", "solved", "print(x) # so", "three"),
        ("measured", "still", "time()", "four"),
    )
)
PAGE = '<p id="hero"><a href="#here">a link</a><a href="glossary.html">two</a></p>'


@pytest.fixture
def html(tmp_path: Path) -> Path:
    write(tmp_path, "book/04_late_heartbeat", PAGE)
    write(tmp_path, "notebooks/04_late_heartbeat", LAB)
    return tmp_path


def write(folder: Path, address: str, article: str) -> None:
    path = folder / f"{address}.html"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f'<article class="bd-article">{article}</article>', "utf-8")


def made(html: Path, text: str) -> str:
    source = html / "04_late_heartbeat.md"
    source.write_text(f"# A deck\n---\n{text}\n", "utf-8")
    return slides.deck(source, html, BOARD, "1")


def test_a_slide_is_a_sentence_and_one_thing() -> None:
    read = slides.read_deck(
        "# Late\n\nWhy?\n\n---\n\n## It *waits*\n\n{cell}`def f():`\n\n"
        ":::notes\nSay it.\n:::\n\n---\n## Who?\n:::vote\n* A\n:::\n"
    )
    assert [(slide.kind, slide.title) for slide in read] == [
        ("title", "Late"),
        ("cell", "It *waits*"),
        ("vote", "Who?"),
    ]
    assert read[1].shown == ("cell", "def f():")
    assert (read[0].body, read[1].notes) == ("Why?", "Say it.\n")


def test_what_precedes_a_cell_runs_unseen_and_without_its_output(html: Path) -> None:
    text = made(html, "## See\n{cell}`print(x)`")
    hidden = re.search("<div hidden>(.*?)</div>\n?<div class=.slide-body", text, re.S)
    assert hidden is not None
    assert "x = 1" in hidden[1] and "one" not in hidden[1]
    assert text.count("x = 1") == 1 and text.count("print(x)") == 1
    assert "two" in text and "# so" not in text


def test_a_cell_has_one_place_whatever_the_order_of_the_slides(html: Path) -> None:
    text = made(html, "## See\n{cell}`print(x)`\n---\n## First\n{cell}`x = 1`")
    assert text.count('id="cell-first"') == text.count('id="cell-second"') == 1
    assert "one" in text and "<div hidden>" not in text


def test_a_cell_of_another_place_does_not_run(html: Path) -> None:
    write(html, "notebooks/05_backpressure", LAB)
    text = made(html, "## See\n{cell}`05_backpressure: print(x)`")
    assert 'class="cell"' in text and "livecell" not in text.partition("</head>")[2]


def test_figures_and_links_lead_where_they_should(html: Path) -> None:
    text = made(html, "## See\n{picture}`page: #hero`\n---\n## {ours}`A2_lateness:.2f`")
    assert 'href="../book/04_late_heartbeat.html#here"' in text
    assert 'href="../book/glossary.html"' in text
    assert '<span class="ours">1.50</span>' in text
    assert "1.534" in made(html, "## Published: {published}`A2:1.534 s`")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("no heading", "slide 2"),
        ("## See\n{cell}`print(y)`", "0 cells of notebooks/04_late_heartbeat.html"),
        ("## See\n{cell}`x`", "2 cells"),
        ("## See\n{cell}`09_none: x`", "notebooks/09_none.html"),
        ("## See\n{picture}`page: #none`", "#none"),
        ("## See {ours}`A2_latenes:.1f`", "A2_lateness"),
        ("## See {published}`A2:1.535 s`", "A2:1.535 s"),
        ("## See\n{cell}`x = 1` beside words", "{cell} stands in a sentence"),
    ],
)
def test_a_deck_that_cannot_be_made_names_the_slide(
    html: Path, text: str, words: str
) -> None:
    with pytest.raises(slides.DeckError, match=re.escape(words)) as error:
        made(html, text)
    assert "slide 2" in str(error.value)


# ------------------------------------------------------------------ the eight decks


@pytest.fixture(params=DECKS, ids=lambda path: path.stem)
def deck(request: pytest.FixtureRequest) -> Path:
    return request.param


def guide_of(deck: Path) -> str:
    return (ROOT / "teaching" / deck.name).read_text("utf-8")


def test_each_chapter_has_a_deck() -> None:
    pages = {path.stem for path in (ROOT / "book").glob("0*_*.md")}
    assert {path.stem for path in DECKS} == pages


def test_a_deck_is_short_and_each_slide_shows_one_thing(deck: Path) -> None:
    read = slides.read_deck(deck.read_text("utf-8"))
    assert 12 <= len(read) <= 16
    for slide in read:
        assert slide.notes.strip(), slide.title
        assert len(slide.title) < 150, slide.title
        blocks = [part for part in slide.body.split("\n\n") if part.strip()]
        assert len(blocks) <= 1, slide.title
        words = len(re.sub("```.*?```", "", slide.body, flags=re.S).split())
        assert words < 90, slide.title


def test_a_deck_follows_the_plan_of_ninety_minutes(deck: Path) -> None:
    plan = re.search(r"^### 90 minutes\n(.*?)^###? ", guide_of(deck), re.M | re.S)
    assert plan is not None
    rows = re.findall(r"^\| (\d+–\d+) \|", plan[1], re.MULTILINE)
    notes = "\n".join(
        slide.notes for slide in slides.read_deck(deck.read_text("utf-8"))
    )
    minutes = re.findall(r"\*\*(\d+–\d+)\.?\*\*", notes)
    assert list(dict.fromkeys(minutes)) == rows


def test_a_deck_votes_on_three_misconceptions(deck: Path) -> None:
    asked = dict(
        re.findall(r"^### (.+)\n\n\*\*Question\.\*\* (.+)$", guide_of(deck), re.M)
    )
    read = slides.read_deck(deck.read_text("utf-8"))
    votes = [slide.title for slide in read if slide.kind == "vote"]
    questions = [title for title in votes if title in asked.values()]
    assert len(questions) >= 3, (votes, asked)


def test_what_a_deck_names_is_there(deck: Path) -> None:
    text = deck.read_text("utf-8")
    for words in re.findall(r"\{ours\}`([^`]+)`", text):
        key, _, spec = words.partition(":")
        read_lab(find_lab(ROOT / "notebooks", deck.stem)).text(key, spec)
    for words in re.findall(r"\{published\}`([^`]+)`", text):
        name, _, figure = words.partition(":")
        row = BOARD.row(name)
        assert row is not None and published_number(row, figure)
    for slide in slides.read_deck(text):
        kind, words = slide.shown or ("", "")
        place, _, what = words.partition(": ")
        if kind == "picture" and place != "page":
            read_lab(find_lab(ROOT / "notebooks", place)).html(what)
        if kind != "cell":
            continue
        elsewhere = slides.ELSEWHERE.match(words)
        stem = elsewhere[1] if elsewhere else deck.stem
        what = words[elsewhere.end() :] if elsewhere else words
        if stem == "page":
            assert what in (ROOT / "book" / deck.name).read_text("utf-8")
            continue
        path = find_lab(ROOT / "notebooks", stem)
        cells = json.loads(path.read_text("utf-8"))["cells"]
        sources = [
            "".join(cell["source"])
            for cell in cells
            if cell["cell_type"] == "code"
            and not {"solution", "remove-cell"} & set(cell["metadata"].get("tags", ()))
        ]
        assert sum(what in source for source in sources) == 1, words
