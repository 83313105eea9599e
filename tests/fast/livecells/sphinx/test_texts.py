"""What the build says of a text: its width, and whether its lines are columns."""

from __future__ import annotations

import pytest

from livecells.sphinx import texts

TABLE = "sockets   old   new\n      1   2.8   4.3\n      2  11.6   8.5\n"
WORDS = "poll  1: 2,000 waits, 5.3 switches each\nqueue 1: 2,000 waits\n"
WIDE = "a    b    " + "c" * 90 + "\n"
ROW = "1  2  3\n"
TEXTS = [
    TABLE,
    WORDS,
    WIDE * 2,
    "  indented\n    words\n",
    "",
    ROW,
    f"\x1b[31m{ROW}" * 2,
]


@pytest.mark.parametrize(
    ("words", "width", "table"),
    list(
        zip(TEXTS, [19, 39, 100, 10, 0, 7, 7], [True, *[False] * 5, True], strict=True)
    ),
)
def test_a_table_is_told_from_words(words: str, width: int, table: bool) -> None:
    assert texts.columns(words) == width
    assert texts.is_table(words) is table
