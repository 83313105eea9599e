"""Figures of a lab on a page: the role and the directives, in a small book."""

from __future__ import annotations

from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from tests.contract.book.small import VALUES, Book, words


@pytest.fixture
def book(tmp_path: Path) -> Book:
    made = Book(tmp_path, "ours")
    made.lab("01_lab", **VALUES)
    made.lab("02_other", ratio="1.43299")
    return made


def rows(page: BeautifulSoup) -> list[list[str]]:
    return [
        [" ".join(column.get_text().split()) for column in row.select("th, td")]
        for row in page.select("table tr")
    ]


SHOWN = {
    "A1_x:.3f": "1.500",
    "A1_x: .1f": "1.5",
    "big": "20895",
    "big:,d": "20,895",
    "big:.1f": "20895.0",
    "fast_wall:d": "1",
    "share:.0%": "50%",
    "sizes": "3, 2, 1",
    "word": "uvloop",
    "yes": "True",
    "02_other/ratio:.2f": "1.43",
}
WRONG = {
    "A1_y:.3f": "01_lab.ipynb glues no 'A1_y'; near it: A1_x",
    "qqqq": "01_lab.ipynb glues no 'qqqq'",
    "A1_x": "'A1_x' of 01_lab.ipynb is 1.50049: say how many digits",
    "A1_x:d": "is 1.50049, which the format 'd' does not fit",
    "word:.3f": "is 'uvloop', which the format '.3f' does not fit",
    "A1_x:.3q": "which the format '.3q' does not fit",
    "2_other/ratio:.2f": "no lab notebooks/2_other.ipynb; near it: 02_other",
}
PICTURES = {
    "pictures": "01_lab.ipynb glues no 'pictures'; near it: picture",
    "A1_x": "'A1_x' of 01_lab.ipynb has no HTML to show",
}


def test_values_and_pictures_of_labs(book: Book) -> None:
    sentences = [f"It is {{ours}}`{role}`, they say." for role in SHOWN]
    pictures = ["```{ours} picture\n```", "```{ours} 02_other/picture\n```"]
    page, warnings = book.build("\n\n".join([*sentences, *pictures]))
    assert warnings == ""
    assert [part.get_text() for part in page.select("span.ours")] == [*SHOWN.values()]
    assert [part.get_text() for part in page.select("figure b")] == ["a picture"] * 2


def test_what_is_not_there_fails_the_build(book: Book) -> None:
    roles = [f"It is {{ours}}`{role}`." for role in WRONG]
    pictures = [f"```{{ours}} {key}\n```" for key in PICTURES]
    page, warnings = book.build("\n\n".join([*roles, *pictures]))
    places = [*range(3, 17, 2), 17, 20]  # lines of the page
    messages = [*WRONG.values(), *PICTURES.values()]
    told = warnings.strip().splitlines()
    for line, place, message in zip(told, places, messages, strict=True):
        assert f"01_lab.md:{place}: WARNING: ours: " in line
        assert message in line
    for role in WRONG:
        assert role in page.get_text()


def test_a_page_without_a_lab_is_told_how_to_name_one(book: Book) -> None:
    book.write(
        "index.md", "# Top\n\n{ours}`A1_x:.3f`\n\n```{toctree}\nbook/01_lab\n```"
    )
    _, warnings = book.build("Text.")
    assert "index.md:3: WARNING: ours: no lab notebooks/index.ipynb" in warnings
    assert "04_late_heartbeat/A1_x" in warnings


def test_a_new_output_of_the_lab_draws_the_page_again(book: Book) -> None:
    text = "{ours}`A1_x:.3f` and {ours}`03_later/x:.1f`"
    book.build(text)
    book.lab("01_lab", **VALUES | {"A1_x": "17.25"})
    book.lab("03_later", x="2.5")
    page, warnings = book.build(text)
    assert warnings == ""
    assert words(page, "p") == "17.250 and 2.5"


TABLE = """One.

```{results}
:head: way | published | wall (s) | both
:cells: *_wall:.1f | *_wall:.1f to *_cpu:.2f s

fast | all *at once* | **1**
slow | with `a \\| b` |
```"""


def test_a_table_of_named_results(book: Book) -> None:
    page, warnings = book.build(TABLE)
    assert warnings == ""
    assert rows(page) == [
        ["way", "published", "wall (s)", "both"],
        ["all at once", "1", "1.0", "1.0 to 0.25 s"],
        ["with a | b", "", "2.0", "2.0 to 0.75 s"],
    ]
    assert [found.get_text() for found in page.select("td em, td strong")] == [
        "at once",
        "1",
    ]
    assert len(page.select("tbody td.text-right")) == 4


def test_a_row_may_say_what_stands_in_place_of_a_value(book: Book) -> None:
    page, _ = book.build(TABLE.replace("**1**", "**1** | – |"))
    assert rows(page)[1] == ["all at once", "1", "–", "1.0 to 0.25 s"]


NO_ROWS = "fast | all *at once* | **1**\nslow | with `a \\| b` |\n"
WRONG_TABLES = {
    ("slow |", "slo |"): "ours: 01_lab.ipynb glues no 'slo_wall'",
    (":head:", ":heads:"): "heads",
    (":head: way | published | wall (s) | both\n", ""): "has no :head:",
    ("| **1**", ""): "the row 'fast' types 1 columns, not 2: :head: has 4",
    ("| *_wall:.1f to *_cpu:.2f s", "| some"): "the column 'some' of :cells:",
    ("slow |", "so slow |"): "'so slow' is no name of a row",
    (NO_ROWS, ""): "has no rows",
}


def test_wrong_tables_are_told(book: Book) -> None:
    assert all(old in TABLE for old, _ in WRONG_TABLES)
    _, warnings = book.build("\n\n".join(TABLE.replace(*how) for how in WRONG_TABLES))
    for message in WRONG_TABLES.values():
        assert message in warnings


RANKING = """One.

```{ranking}
:x: wall, % of a day
:value: *_wall:.1f
:times: 100
:alt: Two ways

fast | all at once | orange
slow | one by one | blue
```"""


def test_named_results_are_drawn(book: Book) -> None:
    page, warnings = book.build(RANKING)
    assert warnings == ""
    svg = page.select_one("svg.looplab-chart")
    assert svg is not None
    assert svg["aria-label"] == (
        "Two ways (wall, % of a day): all at once: 100.0; one by one: 200.0."
    )
    shown = {text.get_text() for text in svg.select("text")}
    assert {"all at once", "one by one", "100.0", "200.0"} <= shown
    assert "wall, % of a day, logarithmic" in shown


WRONG_RANKINGS = {
    ("slow |", "slo |"): "01_lab.md:5: WARNING: ranking: 01_lab.ipynb glues no",
    (":alt: Two ways\n", ""): "has no :alt:",
    ("*_wall:.1f", "wall:.1f"): ":value: is 'wall' and has no *",
    (" | blue", ""): "'slow | one by one' is no row",
    ("blue", "pink"): "'pink': it must be one of orange, blue",
    ("*_wall:.1f", "*_wall:.1q"): "Unknown format code 'q'",
    ("fast | all at once | orange\nslow | one by one | blue\n", ""): "has no rows",
}


def test_wrong_rankings_are_told(book: Book) -> None:
    assert all(old in RANKING for old, _ in WRONG_RANKINGS)
    text = "\n\n".join(RANKING.replace(*how) for how in WRONG_RANKINGS)
    _, warnings = book.build(text)
    for message in WRONG_RANKINGS.values():
        assert message in warnings
