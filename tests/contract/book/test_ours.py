"""Figures of a lab on a page: the role and the directives, in a small book."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract.book.small import VALUES, Book


@pytest.fixture
def book(tmp_path: Path) -> Book:
    made = Book(tmp_path, "ours")
    made.lab("01_lab", **VALUES)
    made.lab("02_other", ratio="1.43299")
    return made


SHOWN = {
    "A1_x:.3f": "1.500",
    "A1_x: .1f": "1.5",
    "big": "20895",
    "big:,d": "20,895",
    "share:.0%": "50%",
    "word": "uvloop",
    "02_other/ratio:.2f": "1.43",
}
TABLE = """
```{results}
:head: way | published | wall (s) | both
:cells: *_wall:.1f | *_wall:.1f to *_cpu:.2f s

fast | all *at once* | **1**
slow | with `a \\| b` |
fast | none | | – |
```"""
RANKING = """
```{ranking}
:x: wall, % of a day
:value: *_wall:.1f
:times: 100
:alt: Two ways

fast | all at once | orange
slow | one by one | blue
```"""


def test_what_labs_found_is_shown(book: Book) -> None:
    sentences = [f"It is {{ours}}`{role}`, they say." for role in SHOWN]
    pictures = ["```{ours} picture\n```", "```{ours} 02_other/picture\n```"]
    page, warnings = book.build("\n\n".join([*sentences, *pictures, TABLE, RANKING]))
    assert warnings == ""
    shown = [part.get_text() for part in page.select("p span.ours")]
    assert shown[: len(SHOWN)] == [*SHOWN.values()]
    assert [part.get_text() for part in page.select("figure > b")] == ["a picture"] * 2
    rows = [
        [" ".join(column.get_text().split()) for column in row.select("th, td")]
        for row in page.select("table tr")
    ]
    assert rows == [
        ["way", "published", "wall (s)", "both"],
        ["all at once", "1", "1.0", "1.0 to 0.25 s"],
        ["with a | b", "", "2.0", "2.0 to 0.75 s"],
        ["none", "", "–", "1.0 to 0.25 s"],
    ]
    assert [part.get_text() for part in page.select("td em, td strong")] == [
        "at once",
        "1",
    ]
    assert len(page.select("tbody td.text-right")) == 6
    svg = page.select_one("svg.looplab-chart")
    assert svg is not None
    assert svg["aria-label"] == (
        "Two ways (wall, % of a day): all at once: 100.0; one by one: 200.0."
    )
    texts = {text.get_text() for text in svg.select("text")}
    assert {"all at once", "one by one", "100.0", "200.0"} <= texts


WRONG = {
    "A1_y:.3f": "01_lab.ipynb glues no 'A1_y'; near it: A1_x",
    "A1_x": "'A1_x' of 01_lab.ipynb is 1.50049: say how many digits",
    "A1_x:d": "is 1.50049, which the format 'd' does not fit",
    "2_other/ratio:.2f": "near it: 02_other; name the lab before a slash",
}
WRONG_BLOCKS = [
    ("```{ours} A1_x\n```", "", "", "'A1_x' of 01_lab.ipynb has no HTML to show"),
    (TABLE, "slow |", "slo |", "ours: 01_lab.ipynb glues no 'slo_wall'"),
    (TABLE, ":head: way | published | wall (s) | both\n", "", "has no :head:"),
    (TABLE, "| **1**", "", "the row 'fast' types 1 columns, not 2: :head: has 4"),
    (TABLE, "slow |", "so slow |", "'so slow' is no name of a row"),
    (TABLE, TABLE.partition(" s\n\n")[2], "```", "has no rows"),
    (RANKING, ":alt: Two ways\n", "", "has no :alt:"),
    (RANKING, "*_wall:.1f", "wall:.1f", ":value: 'wall' has no *"),
    (RANKING, " | blue", "", "'slow | one by one' is no row"),
    (RANKING, "blue", "pink", "'pink': it must be one of orange, blue"),
]


def test_what_is_wrong_fails_the_build_with_its_place(book: Book) -> None:
    assert all(old in block for block, old, _, _ in WRONG_BLOCKS)
    roles = [f"It is {{ours}}`{role}`." for role in WRONG]
    blocks = [block.replace(old, new) for block, old, new, _ in WRONG_BLOCKS]
    page, warnings = book.build("\n\n".join([*roles, *blocks]))
    warned = warnings.strip().splitlines()
    for place, (role, message) in enumerate(WRONG.items()):
        (line,) = (line for line in warned if f"01_lab.md:{3 + 2 * place}: " in line)
        assert "WARNING: ours: " in line and message in line
        assert role in page.get_text()
    for *_, message in WRONG_BLOCKS:
        assert message in warnings
