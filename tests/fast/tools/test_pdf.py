"""``make pdf``: the book and its exercises on paper."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from tools import commands, pdf, printed, printed_sheets
from tools.common import ROOT, ToolError

NAV = """
<nav class="bd-links"><ul><li class="toctree-l1"><a class="reference internal" href="#">
The book</a></li><li class="toctree-l1"><a class="reference internal" href="who.html">
For whom</a></li><li class="toctree-l1"><a class="reference internal"
href="explore.html">Explore</a></li></ul><p class="caption">Chapters</p><ul>
<li class="toctree-l1"><a class="reference internal" href="01_late.html">1. Late</a><ul>
<li class="toctree-l2"><a class="reference internal" href="../notebooks/01_late.html">
Lab: late</a></li><li class="toctree-l2"><a class="reference internal"
href="../notebooks/01_more_exercises.html">More exercises</a></li></ul></li></ul></nav>
"""
INDEX = """
<section><h1>The book</h1><div class="on-time-lead"><p>In time</p></div>
<figure class="loop-player"><div class="lp-strip"><svg id="first"></svg></div></figure>
<!-- on paper --></section>
"""
WHO = """
<section id="top"><h1>For whom<a class="headerlink" href="#top">#</a></h1>
<p>See <a href="01_late.html#why">why</a>, <a href="01_late.html">late</a>,
<a href="../_sources/x.md">a file</a>, <a href="01_late.html#nowhere">nothing</a> and
<a href="https://example.org/">elsewhere</a>.</p></section>
"""
WHY = "Why this heading is longer than a line, " * 3 + "which its bookmark is not"
CHAPTER = """
<section id="late"><h1>1. Late</h1><p>Claim.</p>
<svg role="img" aria-labelledby="t"><title id="t">A picture</title>
<path fill="url(#g)"/></svg>
<section id="why"><h2>{why}</h2>
<details class="sd-dropdown predict"><summary>
<span class="sd-summary-text">Predict: how late?</span></summary>
<div class="sd-summary-content"><p>Two seconds.</p></div></details>
<details class="sd-dropdown aside"><summary>How it was computed</summary>
<p>By hand.</p></details>
<details class="aside"><summary>Every line</summary><pre>{lines}</pre></details>
<pre>{code}</pre><table><tr><td>{wide}</td></tr></table></section>
<section id="quiz"><h2>Quiz</h2><p>1. Which?</p>
<details class="sd-dropdown quiz-choice"><summary>
<span class="sd-summary-text">this</span></summary>
<p>Right.</p></details><details class="sd-dropdown quiz-choice"><summary>
<span class="sd-summary-text">that</span></summary>
<p>Wrong.</p></details></section></section>
"""
for name, text in (
    ("wide", "word " * 200),
    ("why", WHY),
    ("lines", "endless\n" * 40),
    ("code", "print('the end of a long line')  " + "# and on " * 20 + "END"),
):
    CHAPTER = CHAPTER.replace(f"{{{name}}}", text)
LAB = """
<section id="lab"><h1>Lab: late</h1>
<div class="cell tag_hide-input">
<details class="hide above-input"><summary>Show</summary>
<div class="cell_input"><pre>draw()</pre></div></details>
<div class="cell_output">drawn</div></div>
<section id="exercises"><h2>Exercises</h2><p>Write.</p>
<section id="one"><h3>1. Guess</h3><p>How many?</p>
<details><summary>Hint</summary>Few.</details>
<div class="cell tag_exercise"><div class="cell_input"><pre>a = ...</pre></div></div>
<div class="cell tag_check"><div class="cell_input"><pre>check(a)</pre></div>
<div class="cell_output">not yet</div></div>
<div class="cell tag_solution"><details class="hide above-input"><summary>Show</summary>
<div class="cell_input"><pre>a = 3</pre></div></details></div>
<details><summary>Why this works</summary><p>Count.</p></details>
</section></section></section>
"""
MORE = """
<section id="more"><h1>More exercises</h1><p>Write.</p><section><h2>Third</h2>
<div class="cell tag_exercise"><div class="cell_input"><pre>b = ...</pre></div></div>
<div class="cell tag_check"><div class="cell_input"><pre>
check("01-xb", b)</pre></div></div>
</section></section>
"""


@pytest.fixture
def html(tmp_path: Path) -> Path:
    """A tiny built book."""
    folder = tmp_path / "html"
    folder.mkdir()
    shutil.copy(ROOT / "book/_static/paper.css", folder)
    for name, body in (
        ("book/index.html", INDEX),
        ("book/who.html", WHO),
        ("book/01_late.html", CHAPTER),
        ("notebooks/01_late.html", LAB),
        ("notebooks/01_more_exercises.html", MORE),
    ):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f'<head><link rel="stylesheet" href="../paper.css"></head><body>{NAV}'
            f'<article class="bd-article">{body}</article></body>',
            encoding="utf-8",
        )
    (folder / "index.html").write_text(
        '<meta http-equiv="Refresh" content="0; url=book/index.html" />'
    )
    return folder


@pytest.fixture
def page(html: Path) -> BeautifulSoup:
    return BeautifulSoup(printed.book(html, "Tiny", "By us"), "html.parser")


def test_the_pages_come_in_the_order_of_the_contents(html: Path) -> None:
    pages = [(page.address, page.depth, page.part) for page in printed.contents(html)]
    assert pages == [
        ("book/index.html", 1, ""),
        ("book/who.html", 1, ""),
        ("book/explore.html", 1, ""),
        ("book/01_late.html", 1, "Chapters"),
        ("notebooks/01_late.html", 2, "Chapters"),
        ("notebooks/01_more_exercises.html", 2, "Chapters"),
    ]


def test_a_link_to_another_page_stays_in_the_document(page: BeautifulSoup) -> None:
    paragraph = page.select_one("#p-book-who p")
    assert paragraph is not None
    assert [link.get("href") for link in paragraph.select("a")] == [
        "#p-book-01_late--why",
        "#p-book-01_late",
        None,
        None,
        "https://example.org/",
    ]
    names = [str(tag["id"]) for tag in page.select("[id]")]
    assert len(names) == len(set(names))
    for link in page.select('a[href^="#"]'):
        assert str(link["href"])[1:] in names
    picture = page.select_one("section[style] svg")
    assert picture is not None
    assert picture["aria-labelledby"] == "p-book-01_late--t"
    assert (
        picture.path is not None and picture.path["fill"] == "url(#p-book-01_late--g)"
    )


def test_answers_stand_at_the_end(page: BeautifulSoup) -> None:
    text = " ".join(page.get_text().split())
    front, end = text.split("Answers and solutions", 2)[1:]
    for answer in ("Two seconds.", "Right.", "Wrong.", "Few.", "a = 3", "Count."):
        assert answer not in front and answer in end
    assert "Predict: how late? Answer 1, page 000" in front
    assert "Which? thisthatAnswer 2, page 000" in front
    assert "By hand." in front  # no answer, so it is shown in its place
    assert "Every line (on the site)" in front
    for gone in ("draw()", "not yet", "endless", "Explore"):
        assert gone not in front
    assert "drawn" in front and "a = ..." in front
    numbers = re.findall(r"(?:Answer|Hint|Solution) (\d+)", front)
    assert numbers == re.findall(r"(?:Answer|Hint|Solution) (\d+)", end)
    assert numbers == ["1", "2", "3", "4"]


def test_each_answer_and_its_question_name_the_page_of_the_other(
    page: BeautifulSoup,
) -> None:
    places = [str(tag["data-page"]) for tag in page.select("main [data-page]")]
    numbers = {place: 100 + at for at, place in enumerate(places)}
    text = BeautifulSoup(printed.numbered(str(page), numbers), "html.parser")
    for link in text.select(".to-answer, .answer-number a"):
        place = str(link["href"]).removeprefix("#")
        assert link.get_text().endswith(f", page {numbers[place]}")
        back = text.select_one(f"#{place}")
        assert back is not None and back["href"] == f"#{link['id']}"


def test_a_chapter_and_its_labs_are_under_its_title(page: BeautifulSoup) -> None:
    part = page.select_one("section[style]:has(#p-book-01_late)")
    assert part is not None and part.select_one("#p-notebooks-01_more_exercises")
    rule = f"@page {str(part['style']).removeprefix('page: ')} "
    style = next(tag.get_text() for tag in page.select("style") if rule in str(tag))
    assert '"1. Late"' in style
    levels = {
        " ".join(tag.get_text().split()): tag.name
        for tag in page.select(":is(section, .page):not(.answers) > :is(h1, h2, h3)")
    }
    expected = {"1. Late": "h1", "Lab: late": "h2", "Exercises": "h3"}
    assert levels.items() >= expected.items()
    cover = page.select_one(".cover")
    assert cover is not None and cover.select_one("#first") is not None
    assert " ".join(cover.get_text(" ").split()) == "Tiny In time By us"


@pytest.fixture
def teaching(tmp_path: Path) -> Path:
    """Extra exercises of the tiny book, and a sheet to cut."""
    folder = tmp_path / "teaching"
    for name in ("handouts", "answers/01"):
        (folder / name).mkdir(parents=True)
    why, cell = "Why this works: `b` is\neven.", "```python\nb = 4\n```"
    text = f"# Answers\n\n{why}\n\n{cell}\n\n## The stub\n"
    (folder / "answers/01/xb.md").write_text(text)
    text = "# To print: sort\n\nFor us.\n\nSort **these**.\n\n| 1 | `x` | so |\n"
    (folder / "handouts/01_x.md").write_text(text)
    return folder


def sheets(html: Path, teaching: Path) -> dict[str, str]:
    made = dict(printed_sheets.sheets(html, teaching))
    return {
        name: " ".join(BeautifulSoup(text, "html.parser").body.get_text(" ").split())
        for name, text in made.items()
    }


def test_no_sheet_has_both_question_and_answer(html: Path, teaching: Path) -> None:
    made = sheets(html, teaching)
    assert list(made) == [f"01-{kind}" for kind in printed_sheets.KINDS]
    predictions, exercises, solutions, cards = made.values()
    assert "How late?" in predictions
    assert "1. Guess How many? a = ..." in exercises
    assert "Third (01-xb) b = ..." in exercises
    assert "1 x : so" in cards and "Put the lines in order" in cards
    for answer in ("Two seconds.", "Few.", "a = 3", "b = 4", "Count.", "not yet"):
        assert answer not in predictions + exercises + cards
    hints, solved = solutions.split("Solutions")
    assert "Few." in hints and "a = 3" not in hints
    assert "a = 3" in solved and "Few." not in solved
    assert "01-xb b = 4 Why this works: b is even." in solved


def test_what_cannot_be_read_is_named(html: Path, teaching: Path) -> None:
    (teaching / "answers/01/xb.md").write_text("b = 4")
    with pytest.raises(ToolError, match=r"xb\.md has no solution"):
        sheets(html, teaching)
    (html / "notebooks/01_late.html").write_text("<p>nothing</p>")
    with pytest.raises(ToolError, match=r"notebooks/01_late\.html has no article"):
        sheets(html, teaching)
    with pytest.raises(ToolError, match="holds no site"):
        printed.contents(teaching)


def test_make_pdf_asks_for_chromium_before_it_builds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(commands, "find_chromium", lambda: None)
    assert commands.main(["pdf"]) == 1  # a build would start a process
    assert capsys.readouterr().err.count("\n") == 1


def test_the_first_page_leads_to_a_book_that_was_printed(
    html: Path, tmp_path: Path
) -> None:
    (tmp_path / "tiny.pdf").write_bytes(b"0" * 2_600_000)
    for pages in (7, 8):  # a book that is printed again takes the place of the first
        pdf.publish(tmp_path / "tiny.pdf", html, pages)
        text = (html / "book/index.html").read_text(encoding="utf-8")
        links = re.findall(r'href="(\S+?)".*?(\d+) pages, ([\d.]+) MB', text)
        assert links == [("../tiny.pdf", str(pages), "2.6")]
    assert (html / "tiny.pdf").stat().st_size == 2_600_000
