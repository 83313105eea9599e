"""The guide for teachers: its plans, misconceptions, answers and exercises are whole.

What a place in a guide names is looked up on the page, in the lab or in the bank.  The
form is told in ``teaching/README.md``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ontime.check import extra_exercises
from ontime.check.registry import CHAPTERS
from ontime.grade.labs import read_solutions

ROOT = Path(__file__).resolve().parents[3]
TEACHING = ROOT / "teaching"
STEMS = [f"{number}_{name}" for number, name in CHAPTERS.items()]
GUIDES = [stem for stem in STEMS if (TEACHING / f"{stem}.md").is_file()]
LENGTHS = (45, 90, 180)
SECTIONS = [
    "What a learner can do",
    "Plans",
    "Misconceptions",
    "Answers to the predictions",
    "Extra exercises",
]
PARTS = ("Question.", "Answer that betrays it.", "Cure.", "Why it is wrong.")

each_guide = pytest.mark.parametrize("stem", GUIDES)


# Reading


def guide(stem: str) -> str:
    return (TEACHING / f"{stem}.md").read_text(encoding="utf-8")


def parts_of(text: str, level: int) -> dict[str, str]:
    """The text below each heading of a level."""
    pieces = re.split(rf"^{'#' * level} (.+)$", text, flags=re.M)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def plain(text: str) -> str:
    """Words only: without roles, numbers of headings, markup and line breaks."""
    text = re.sub(r"\{[\w:]+\}`([^`]*)`", r"\1", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"[`*]", "", text)
    return " ".join(text.split()).lower()


@cache
def cells(path: Path) -> list[dict[str, Any]]:
    read: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["cells"]
    for cell in read:
        cell["source"] = "".join(cell["source"])
    return read


def labs(stem: str) -> dict[str, Path]:
    """The notebooks of a chapter, by the words that a place names them with."""
    paths = {"lab": ROOT / "notebooks" / f"{stem}.ipynb"}
    for path in sorted((ROOT / "notebooks").glob(f"{stem[:2]}_*.ipynb")):
        if path.stem != stem and "more_exercises" not in path.stem:
            paths[path.stem[3:].replace("_", " ")] = path
    return paths


def place(stem: str) -> re.Pattern[str]:
    """What names a place in the guide of a chapter: source, heading, line."""
    sources = "|".join(["page", "bank", *labs(stem)])
    return re.compile(rf"\b({sources}): (?:\*((?:[^*`]|`[^`]*`)+)\*|`([^`]+)`)")


def headings(text: str) -> set[str]:
    return {
        re.sub(r"^\d+\. ", "", plain(title))
        for title in re.findall(r"^#+ (.+)$", text, flags=re.M)
    }


def lines(text: str) -> set[str]:
    return {line.strip() for line in text.splitlines()}


def named(source: str, stem: str) -> tuple[set[str], set[str]]:
    """What a place may name there: headings; and lines of cells, and exercises."""
    if source == "page":
        page = (ROOT / "book" / f"{stem}.md").read_text("utf-8")
        code = re.findall(r"^(`{3,}).*?\n(.*?)^\1", page, flags=re.M | re.S)
        inside = "\n".join(text for _, text in code)
        prose = re.sub(r"^(`{3,}).*?\n.*?^\1", "", page, flags=re.M | re.S)
        return headings(prose), lines(inside)
    if source == "bank":
        path = ROOT / "notebooks" / f"{stem[:2]}_more_exercises.ipynb"
    else:
        path = labs(stem)[source]
    titles: set[str] = set()
    inside_cells: set[str] = set()
    for cell in cells(path):
        if cell["cell_type"] == "markdown":
            titles |= headings(cell["source"])
        else:
            inside_cells |= lines(cell["source"])
            inside_cells.add(cell["metadata"].get("exercise", ""))
    return titles, inside_cells


def missing_places(text: str, stem: str) -> list[str]:
    missing = []
    for source, heading, line in place(stem).findall(text):
        titles, code = named(source, stem)
        if heading and plain(heading) not in titles:
            missing.append(f"{source}: no heading {heading!r}")
        if line and line.strip() not in code:
            missing.append(f"{source}: no line {line!r}")
    return missing


# Predictions


def asked_on_the_page(text: str) -> list[str]:
    return re.findall(r"^:{3,}\{dropdown\} Predict: (.+)$", text, flags=re.M)


def asked_in_the_lab(path: Path) -> Iterator[str]:
    for cell in cells(path):
        if cell["cell_type"] == "markdown":
            yield from re.findall(
                r"^\*\*Predict\.?\*\*(?!:)(.+?)(?=\n\n|\Z)", cell["source"], re.S | re.M
            )


def unanswered(section: str, questions: list[str]) -> list[str]:
    """The questions that no paragraph of the section begins with, or answers."""
    answers = [
        (plain(bold), plain(answer))
        for bold, answer in re.findall(
            r"^\*\*(.+?)\*\*(?=\s+\S)(.*?)(?=\n\n|\Z)", section, flags=re.S | re.M
        )
    ]
    return [
        question
        for question in questions
        if not any(
            plain(question) == bold and len(answer.split()) >= 5
            for bold, answer in answers
        )
    ]


# The tests


def test_every_chapter_has_a_guide() -> None:
    assert GUIDES == STEMS
    readme = (TEACHING / "README.md").read_text("utf-8")
    for stem in GUIDES:
        assert f"({stem}.md)" in readme, f"teaching/README.md does not name {stem}.md"
        assert f"(../notebooks/{stem[:2]}_more_exercises.ipynb)" in readme


def test_links_lead_somewhere() -> None:
    for path in TEACHING.glob("*.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text("utf-8")):
            assert (TEACHING / target).exists(), f"{path.name} links to {target}"


@each_guide
def test_the_sections(stem: str) -> None:
    assert list(parts_of(guide(stem), 2)) == SECTIONS


@each_guide
@pytest.mark.parametrize("length", LENGTHS)
def test_the_minutes_of_a_plan_add_up(stem: str, length: int) -> None:
    plans = parts_of(parts_of(guide(stem), 2)["Plans"], 3)
    assert list(plans) == [f"{n} minutes" for n in LENGTHS]
    rows = [
        [word.strip() for word in line.strip("|").split("|")]
        for line in plans[f"{length} minutes"].splitlines()
        if line.startswith("|")
    ]
    assert rows[0] == ["Minutes", "What is done", "Where"]
    reached = 0
    for minutes, what, where in rows[2:]:
        begin, end = map(int, minutes.split("–"))
        assert begin == reached < end, f"{stem}, {length} minutes: {minutes}"
        assert what
        assert where == "—" or place(stem).search(where), f"no place: {where}"
        reached = end
    assert reached == length
    assert rows[2][1].startswith("Open the "), "minutes to set up"
    (vote,) = (
        re.search(r"^Vote: \*(.+)\*", row[1]) for row in rows if "Vote:" in row[1]
    )
    assert vote
    assert vote[1] in parts_of(parts_of(guide(stem), 2)["Misconceptions"], 3)
    assert "**When you are late**, drop" in parts_of(guide(stem), 2)["Plans"]


@each_guide
def test_misconceptions(stem: str) -> None:
    misconceptions = parts_of(parts_of(guide(stem), 2)["Misconceptions"], 3)
    assert len(misconceptions) >= 5
    for title, text in misconceptions.items():
        words = dict(
            re.findall(r"^\*\*([^*]+)\*\*\s*(.+?)(?=\n\n|\Z)", text, flags=re.S | re.M)
        )
        assert tuple(words) == PARTS, f"{stem}, {title}: has {list(words)}"
        assert place(stem).search(words["Cure."]), (
            f"{stem}, {title}: the cure is nowhere"
        )


@each_guide
def test_every_place_is_there(stem: str) -> None:
    assert not missing_places(guide(stem), stem)


@each_guide
def test_every_prediction_has_an_answer(stem: str) -> None:
    sections = parts_of(parts_of(guide(stem), 2)["Answers to the predictions"], 3)
    assert list(sections) == ["On the page", "In the lab"]
    page = asked_on_the_page((ROOT / "book" / f"{stem}.md").read_text("utf-8"))
    asked = [
        question for path in labs(stem).values() for question in asked_in_the_lab(path)
    ]
    assert page
    assert asked
    assert not unanswered(sections["On the page"], page)
    assert not unanswered(sections["In the lab"], asked)


def test_the_limiters_to_print_are_those_of_the_lab() -> None:
    """Its piles are those of the run, too."""
    handout = (TEACHING / "handouts" / "04_limiters.md").read_text("utf-8")
    rows = re.findall(r"^\| (\d+) \| `(.+?)` \|", handout, flags=re.M)
    limiters = {name: int(number) for number, name in rows}
    book = json.loads((ROOT / "notebooks" / "04_going_deeper.ipynb").read_text("utf-8"))
    run = next(cell for cell in book["cells"] if cell["id"] == "limiters-run")
    printed = "".join(run["outputs"][0]["text"])
    late = {
        name.strip(): float(worst)
        for name, worst in re.findall(
            r"^(\w.*?) +[\d.]+ +[\d.]+ +([\d.]+)$", printed, re.M
        )
    }
    assert set(limiters) == set(late)
    assert len(late) == 16
    piles = [
        {name for name in late if low <= late[name] < high}
        for low, high in ((1.0, 9.0), (0.1, 1.0), (0.0, 0.1))
    ]
    answers = (TEACHING / "handouts" / "04_limiters_answers.md").read_text("utf-8")
    listed = re.findall(r"^\*\*.+:\*\* ([\d, ]+)\.$", answers, flags=re.M)
    assert "torm:** 1" not in handout, "no answer on the sheet"
    assert listed == [
        ", ".join(map(str, sorted(limiters[name] for name in pile))) for pile in piles
    ]


@each_guide
def test_the_exercises_of_the_bank(stem: str) -> None:
    book = cells(ROOT / "notebooks" / f"{stem[:2]}_more_exercises.ipynb")
    stubs = [
        cell["metadata"]["exercise"]
        for cell in book
        if "exercise" in cell["metadata"].get("tags", ())
    ]
    assert len(stubs) == len(set(stubs)) >= 5
    tags = {tag for cell in book for tag in cell["metadata"].get("tags", ())}
    assert "solution" not in tags, "the notebook gives nothing away"
    registered = [name for name in extra_exercises() if name[:2] == stem[:2]]
    assert sorted(stubs) == registered, "tasks and checks"
    solutions = read_solutions(TEACHING / "answers", stem[:2])
    assert sorted(solutions) == registered, "solutions"
    table = parts_of(guide(stem), 2)["Extra exercises"]
    assert re.findall(r"^\| `([\w-]+)` \|.+\| \d+ \|$", table, re.M) == stubs, "guide"


def test_the_site_leaves_the_guide_out() -> None:
    assert "teaching" not in (ROOT / "_toc.yml").read_text("utf-8")
    assert '- "teaching/**"' in (ROOT / "_config.yml").read_text("utf-8")
