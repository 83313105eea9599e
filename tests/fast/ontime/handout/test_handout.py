"""Labs for learners: without solutions, and never over somebody's work."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from ontime.check import Verdict
from ontime.check.registry import CHAPTERS
from ontime.grade import LabError, read_labs
from ontime.grade.cells import parse
from ontime.grade.labs import default_folder, points_of
from ontime.handout import HandoutError, copy_of, hand_out, labs_of, main
from tests.fast.exercises.homes import all_homes

LABS = default_folder()
assert LABS is not None
EXERCISES = read_labs(LABS)
SOURCE = Path(__file__).parents[4] / "src"


def parts(source: str) -> Iterator[str]:
    """What gives a solution away: the body of each function, each value of its own."""
    for node in ast.walk(parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield "; ".join(map(ast.unparse, node.body))
        elif isinstance(node, ast.Assign) and isinstance(
            node.value, (ast.Constant, ast.List, ast.Tuple, ast.Dict)
        ):
            yield ast.unparse(node)


def secrets() -> dict[str, set[str]]:
    """What only right answers have, by exercise; what lab or stub shows is none."""
    found = {}
    for name, exercise in EXERCISES.items():
        shown = {p for c in (*exercise.setup, exercise.stub) for p in parts(c)}
        right = list(parts(exercise.solution))
        for source in all_homes()[name].right.values():
            # Its own function; a helper inside may be anybody's.
            right += [next(parts(source), "")]
        found[name] = {p for p in right if len(p) > 12} - shown
    return found


def leaks(source: str) -> list[str]:
    there = set(parts(source))
    return [name for name, hidden in SECRETS.items() if hidden & there]


SECRETS = secrets()


@pytest.fixture(scope="module", params=list(CHAPTERS))
def books(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    return [copy_of(path) for path in labs_of(request.param, extra=True)]


def test_what_gives_a_solution_away() -> None:
    assert sum(map(bool, SECRETS.values())) > 60
    assert leaks(EXERCISES["04-make"].solution) == ["04-make"]
    assert leaks(EXERCISES["04-parsons"].solution) == ["04-parsons"]


def test_a_hand_out_has_every_exercise_and_no_solution(
    books: list[dict[str, Any]],
) -> None:
    there: dict[str, set[str]] = {}
    for book in books:
        nbformat.validate(nbformat.from_dict(book))
        for cell in book["cells"]:
            source = "".join(cell["source"])
            tags = set(cell["metadata"].get("tags", ()))
            if name := cell["metadata"].get("exercise"):
                there.setdefault(name, set()).update(tags)
            assert not {"solution", "remove-cell"} & tags
            assert "Why this works" not in source
            assert "olutions are folded" not in source
            if cell["cell_type"] == "markdown":
                assert "](../" not in source, "a link to what is not handed out"
            if cell["cell_type"] == "code":
                assert (cell["outputs"], cell["execution_count"]) == ([], None)
                assert leaks(source) == []
    chapter = min(there)[:2]
    assert set(there) == {name for name in EXERCISES if name[:2] == chapter}
    assert all({"exercise", "check"} <= tags for tags in there.values())


def test_no_installed_wheel_holds_a_solution() -> None:
    # The packages of both wheels are all Python files of their folders.
    for path in [*SOURCE.glob("ontime/**/*.py"), *SOURCE.glob("looplab/**/*.py")]:
        assert leaks(path.read_text(encoding="utf-8")) == [], path


def test_for_nbgrader() -> None:
    (path,) = labs_of("04")
    cells = {
        cell["metadata"]["nbgrader"]["grade_id"]: cell
        for cell in copy_of(path, nbgrader=True)["cells"]
        if "nbgrader" in cell["metadata"]
    }
    assert len(cells) == 10
    for name, cell in cells.items():
        about = cell["metadata"]["nbgrader"]
        assert about["locked"] == about["grade"] != about["solution"]
        if about["grade"]:
            assert about["points"] == points_of(name.removesuffix("-check")) > 0
    # A check there raises what it says.
    source = "".join(cells["04-predict-check"]["source"])
    space = {"check": lambda *_: Verdict(False, "no answer yet"), "lateness": ...}
    with pytest.raises(AssertionError, match="no answer yet"):
        exec(source, space)


def test_links_lead_to_the_published_book_or_to_a_file_beside() -> None:
    (path,) = labs_of("04")
    text = json.dumps(copy_of(path, site="https://a.b/c/"))
    assert "(https://a.b/c/book/04_late_heartbeat.html)" in text
    assert "(https://a.b/c/notebooks/04_going_deeper.html)" in text
    beside = frozenset({"04_going_deeper.ipynb"})
    assert "(04_going_deeper.ipynb)" in json.dumps(copy_of(path, beside=beside))


def test_a_copy_for_a_reader_has_its_solutions_folded() -> None:
    books = [copy_of(path, solutions=True) for path in labs_of("04", solutions=True)]
    assert len(books) == 3, "the lab, going deeper, and more exercises"
    cells = [cell for book in books for cell in book["cells"]]
    folded = [cell for cell in cells if "jupyter" in cell["metadata"]]
    solutions = [c for c in cells if "solution" in c["metadata"].get("tags", ())]
    assert len(solutions) == 5
    assert all(cell in folded for cell in solutions)
    assert not any(cell.get("outputs") for cell in cells)
    assert "Why this works" in json.dumps(books)


@pytest.fixture
def labs(tmp_path: Path) -> Path:
    """A folder with one lab."""
    folder = tmp_path / "notebooks"
    folder.mkdir()
    write(folder, "print(1)")
    return folder


def write(folder: Path, source: str) -> None:
    cell: dict[str, Any] = {"cell_type": "code", "metadata": {}, "source": source}
    cell |= {"outputs": [{"output_type": "stream", "text": "1"}], "execution_count": 1}
    book = {"cells": [cell], "metadata": {}, "nbformat": 4}
    (folder / "01_lab.ipynb").write_text(json.dumps(book))


def bring(labs: Path, folder: Path) -> list[Path]:
    return hand_out(labs_of("all", solutions=True, folder=labs), folder, solutions=True)


def test_a_second_run_keeps_the_work(labs: Path, tmp_path: Path) -> None:
    mine = tmp_path / "my_labs"
    (copy,) = bring(labs, mine)
    assert copy == mine / "01_lab.ipynb"
    work = json.loads(copy.read_text())
    work["cells"][0]["source"] = "my answer"
    copy.write_text(json.dumps(work))
    assert bring(labs, mine) == []
    assert json.loads(copy.read_text()) == work
    before = copy.read_bytes()
    write(labs, "print(2)")
    (second,) = bring(labs, mine)
    assert second.name == "01_lab-2.ipynb"
    assert "print(2)" in second.read_text()
    assert bring(labs, mine) == []
    assert copy.read_bytes() == before
    copy.write_text("no notebook any more: it may be somebody's work")
    assert bring(labs, mine) == []
    assert copy.read_text().startswith("no notebook")


def test_nothing_is_half_written(
    labs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, *_: object, **__: object) -> None:
        path.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(HandoutError, match="No space"):
        bring(labs, tmp_path / "out")
    assert not list((tmp_path / "out").glob("*.ipynb"))


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["9"], "no lab of a chapter '9'; there is 01"),
        (["../x"], "no lab of a chapter"),
        (["04", "--labs", "{0}"], "there is none"),
        (["04", "--labs", "{0}/no"], "there is none"),
        (["04", "--to", "{0}/file"], "cannot be written to"),
        (["04", "--labs", "{0}/broken"], "04_x.ipynb cannot be read: it is empty"),
    ],
)
def test_mistakes(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    error: str,
) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "04_x.ipynb").write_text("")
    to = ["--to", str(tmp_path / "out")]
    assert main([*to, *(word.format(tmp_path) for word in words)]) == 2
    assert error in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_command_says_what_it_wrote(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["04", "05", "--to", str(tmp_path / "out")]) == 0
    files = sorted(map(str, (tmp_path / "out").iterdir()))
    assert sorted(capsys.readouterr().out.split()) == files
    assert len(files) == 3
    assert main(["04", "--to", str(tmp_path / "out")]) == 0
    assert "1 of 1 are in" in capsys.readouterr().out


def test_a_hand_out_has_no_solutions_to_grade_with(tmp_path: Path) -> None:
    main(["04", "--to", str(tmp_path)])
    with pytest.raises(LabError, match="solution"):
        read_labs(tmp_path)
