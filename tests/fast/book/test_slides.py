"""The decks: how one is written, and what each of the eight keeps to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import slides
from scoreboard import open_scoreboard

from tools.common import ROOT

DECKS = sorted((ROOT / slides.SOURCES).glob("*.md"))
BOARD = open_scoreboard(ROOT)
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
    return slides.Deck(source, html, BOARD).html_page("1")


def test_a_slide_is_a_sentence_and_one_thing() -> None:
    read = slides.read_deck(
        "# Late\n\nWhy?\n\n---\n\n## It *waits*\n\n{cell}`page: def f():`\n\n"
        ":::notes\nSay it.\n:::\n\n---\n## Who?\n:::vote\n* A\n:::\n"
    )
    assert [(slide.kind, slide.title) for slide in read] == [
        ("title", "Late"),
        ("cell", "It *waits*"),
        ("vote", "Who?"),
    ]
    assert (read[1].where, read[1].shown) == ("page", "def f():")
    assert (read[0].body, read[1].notes) == ("Why?", "Say it.\n")


def test_what_precedes_a_cell_runs_unseen_and_without_its_output(html: Path) -> None:
    text = made(html, "## See\n{cell}`print(x)`\n:::notes\nSay it.\n:::\n")
    assert "<h1>A deck</h1>" in text and "<h2>See</h2>" in text
    assert re.search(r'<aside class="notes"><p>Say it.</p>\s*</aside>', text)
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
    text = made(
        html,
        "## See\n{picture}`page: #hero`\n---\n"
        "## {ours}`A2_lateness:.2f`, not {published}`A2:1.534 s`",
    )
    assert 'href="../book/04_late_heartbeat.html#here"' in text
    assert 'href="../book/glossary.html"' in text
    assert '<span class="ours">1.50</span>' in text
    assert '<span class="published">1.534\N{NO-BREAK SPACE}s</span>' in text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("no heading", "slide 2"),
        ("## See\n{cell}`print(y)`", "0 cells of notebooks/04_late_heartbeat.html"),
        ("## See\n{cell}`x`", "2 cells"),
        ("## See\n{cell}`09_none: x`", "notebooks/09_none.html"),
        ("## See\n{picture}`page: #none`", "#none"),
        ("## See {ours}`A2_latenes:.1f`", "A2_lateness"),
        ("## See {published}`A2:1.535 s`", "'1.535 s' is not a published figure"),
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


def test_a_deck_is_short_and_each_slide_shows_one_thing(deck: Path) -> None:
    read = slides.read_deck(deck.read_text("utf-8"))
    assert 12 <= len(read) <= 16
    for slide in read:
        assert slide.notes.strip(), slide.title
        assert len(slide.title) < 150, slide.title
        assert "\n\n" not in slide.body, slide.title
        words = len(re.sub("```.*?```", "", slide.body, flags=re.S).split())
        assert words < 90, slide.title


def test_a_deck_follows_the_plan_and_votes_on_misconceptions(deck: Path) -> None:
    read = slides.read_deck(deck.read_text("utf-8"))
    plan = re.search(r"^### 90 minutes\n(.*?)^###? ", guide_of(deck), re.M | re.S)
    assert plan is not None
    rows = re.findall(r"^\| (\d+–\d+) \|", plan[1], re.MULTILINE)
    notes = "\n".join(slide.notes for slide in read)
    minutes = re.findall(r"\*\*(\d+–\d+)\.?\*\*", notes)
    assert list(dict.fromkeys(minutes)) == rows
    asked = re.findall(r"^### .+\n\n\*\*Question\.\*\* (.+)$", guide_of(deck), re.M)
    votes = [slide.title for slide in read if slide.kind == "vote"]
    assert len(set(votes) & set(asked)) >= 3, (votes, asked)
