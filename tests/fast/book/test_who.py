"""The three ways through the book take as long as the chapters say they do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.fast.notebooks.guards import BOOK

ROW = re.compile(r"^\| (\d+) \| \[[^\]]+\]\(([\w./]+)\) \|", re.MULTILINE)
PAGE = re.compile(r"(\d+) minutes for this page, (\d+) for the \[lab\]\(([\w./]+)\)")
CHAPTERS = sorted(BOOK.glob("0*.md"))


def minutes(page: Path) -> dict[str, int]:
    """What a chapter says that its page and its lab take."""
    text = " ".join(page.read_text(encoding="utf-8").split())
    times = PAGE.search(text)
    assert times, f"{page.name} does not say how long its page and its lab take"
    return {page.name: int(times[1]), times[3]: int(times[2])}


def way(label: str) -> str:
    """The text of one way, from its label to the next."""
    text = (BOOK / "who.md").read_text(encoding="utf-8")
    return text.split(f"({label})=\n")[1].split("\n(")[0]


TIMES = {name: time for page in CHAPTERS for name, time in minutes(page).items()}


@pytest.mark.parametrize(
    ("label", "least", "most"), [("one-hour", 45, 60), ("one-day", 240, 390)]
)
def test_a_way_takes_as_long_as_its_pages_say(
    label: str, least: int, most: int
) -> None:
    rows = ROW.findall(way(label))
    assert least <= sum(int(time) for time, _ in rows) <= most
    for time, name in rows:
        # No chapter: its page states no time.
        assert int(time) == TIMES.get(name, 10), f"{name} says {TIMES.get(name)}"


def test_the_course_is_a_lesson_a_chapter() -> None:
    assert len(TIMES) == 16
    assert "eight lessons of about two hours" in " ".join(way("a-course").split())
    by_chapter = [sum(minutes(page).values()) for page in CHAPTERS]
    assert min(by_chapter) >= 90 and max(by_chapter) <= 150, "a lesson of two hours"


def test_the_day_reads_first_what_later_chapters_need() -> None:
    read: set[str] = set()
    for _, name in ROW.findall(way("one-day")):
        page = BOOK / name
        if page in CHAPTERS:
            needs = page.read_text("utf-8").split("You need\n")[1].split("\n\n")[0]
            asked = set(re.findall(r"\((0\d_\w+\.md)\)", needs))
            assert asked <= read, f"{name} needs {sorted(asked - read)} before it"
        read.add(name)


def test_each_chapter_is_in_a_way_or_said_to_stand_alone() -> None:
    text = way("one-day")
    for page in CHAPTERS:
        assert f"]({page.name})" in text
