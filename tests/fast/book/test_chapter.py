"""A chapter is whole: what is missing of one is printed with all that it needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from ontime.check.registry import CHAPTERS
from tests.fast.notebooks.guards import ROOT, all_pages


def stems() -> list[str]:
    """The chapters, from all the places in which somebody would begin one."""
    names = {f"{number}_{name}" for number, name in CHAPTERS.items()}
    return sorted(names | {page.stem for page in ROOT.glob("book/[0-9][0-9]_*.md")})


def needs(stem: str) -> Iterator[tuple[str, bool]]:
    """What a chapter is made of, and whether it is there."""

    def file(name: str, words: str) -> tuple[str, bool]:
        return f"{name}: {words}", (ROOT / name).exists()

    def link(name: str, words: str) -> tuple[str, bool]:
        text = (ROOT / name).read_text("utf-8")
        return f"{name}: {words}", f"{stem}.md" in text or f"{number}_{room}" in text

    number, _, room = stem.partition("_")
    yield file(f"book/{stem}.md", "the page")
    yield file(f"notebooks/{stem}.ipynb", "the lab, run by `make execute`")
    yield link("_toc.yml", "the page, and below it the lab")
    yield "src/ontime/check/registry.py: the number in CHAPTERS", number in CHAPTERS
    yield file(f"src/ontime/check/{room}/__init__.py", "the checks of the lab")
    yield file(f"src/ontime/check/bank/{room}/__init__.py", "the extra checks")
    yield file(f"teaching/answers/{number}", "the answers, right and wrong")
    yield file(f"notebooks/{number}_more_exercises.ipynb", "more exercises")
    yield file(f"teaching/{stem}.md", "the guide: plans, misconceptions, answers")
    yield file(f"teaching/slides/{stem}.md", "the slides, along the plan of 90 minutes")
    yield link("teaching/README.md", "a row of the first table")
    yield link("book/index.md", "a row of the chapters: what a reader can do then")
    yield link("book/who.md", "where it stands on the ways through the book")
    yield link("book/how_to.md", "the misconception that it cures")


@pytest.mark.parametrize("stem", stems())
def test_a_chapter_is_whole(stem: str) -> None:
    places = list(needs(stem))
    lines = [f"[{'x' if there else ' '}] {place}" for place, there in places]
    assert all(there for _, there in places), "\n".join(
        [f"chapter {stem} has, and still needs:", *lines]
    )


def files(part: dict[str, Any]) -> list[str]:
    """The pages of a part, each before those below it."""
    pages = []
    for page in part["chapters"]:
        pages += [page["file"], *(lab["file"] for lab in page.get("sections", ()))]
    return pages


def test_each_page_has_one_place_and_a_chapter_that_of_its_number() -> None:
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    parts = contents["parts"]
    listed = [name for part in parts for name in files(part)]
    pages = {page.relative_to(ROOT).with_suffix("").as_posix() for page in all_pages()}
    labs = {f"notebooks/{lab.stem}" for lab in (ROOT / "notebooks").glob("*.ipynb")}
    assert sorted(listed) == sorted({*pages, *labs, "CHANGELOG"} - {contents["root"]})
    (chapters,) = [part for part in parts if part.get("numbered")]
    assert chapters["numbered"] == 1, "a lab goes with its page and has no number"
    named = [page["file"].removeprefix("book/") for page in chapters["chapters"]]
    assert named == stems()
    for page in chapters["chapters"]:
        for lab in page["sections"]:
            assert lab["file"].startswith(f"notebooks/{page['file'][5:7]}_")
    assert listed[0] == "book/who"
    assert listed.index("book/looplab") < listed.index("book/ontime")
