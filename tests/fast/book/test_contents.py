"""The table of contents: the number of a chapter is the same wherever it stands."""

from __future__ import annotations

from typing import Any

import yaml

from tests.fast.notebooks.guards import ROOT, all_pages


def contents() -> dict[str, Any]:
    return dict(yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8")))


def files(part: dict[str, Any]) -> list[str]:
    """The pages of a part, each before those below it."""
    pages = []
    for page in part["chapters"]:
        pages += [page["file"], *(lab["file"] for lab in page.get("sections", ()))]
    return pages


def test_the_sidebar_counts_the_chapters_as_their_files_do() -> None:
    numbered = [part for part in contents()["parts"] if part.get("numbered")]
    (chapters,) = numbered
    assert chapters["numbered"] == 1, "a lab goes with its page and has no number"
    for number, chapter in enumerate(chapters["chapters"], start=1):
        stem = f"book/{number:02d}_"
        assert chapter["file"].startswith(stem), (
            f"chapter {number} is {chapter['file']}"
        )
        for lab in chapter["sections"]:
            assert lab["file"].startswith(f"notebooks/{number:02d}_")


def test_a_chapter_has_its_number_and_no_full_stop() -> None:
    config = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
    assert config["sphinx"]["config"]["html_secnumber_suffix"] == " "


def test_who_it_is_for_comes_first_and_the_tools_before_the_course() -> None:
    first, _, last = contents()["parts"]
    assert files(first)[0] == "book/who"
    reference = files(last)
    assert reference.index("book/looplab") < reference.index("book/ontime")


def test_every_page_has_one_place() -> None:
    listed = [name for part in contents()["parts"] for name in files(part)]
    assert len(listed) == len(set(listed))
    pages = {page.relative_to(ROOT).with_suffix("").as_posix() for page in all_pages()}
    labs = {f"notebooks/{lab.stem}" for lab in (ROOT / "notebooks").glob("*.ipynb")}
    assert pages | labs == {*listed, contents()["root"]} - {"CHANGELOG"}
