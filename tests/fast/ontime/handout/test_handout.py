"""Labs for learners: without solutions, and never over somebody's work."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from ontime.check.registry import CHAPTERS
from ontime.grade import LabError, read_labs
from ontime.grade.cells import parse
from ontime.grade.labs import default_bank, default_folder, points_of
from ontime.handout import HandoutError, hand_out, labs_of, main, student_version

LABS, BANK = default_folder(), default_bank()
assert LABS is not None
assert BANK is not None
EXERCISES = read_labs(LABS) | read_labs(BANK)
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
    """What only a solution has, by exercise; what its lab or stub shows is none."""
    found = {}
    for name, exercise in EXERCISES.items():
        shown = {p for c in (*exercise.setup, exercise.stub) for p in parts(c)}
        found[name] = {p for p in parts(exercise.solution) if len(p) > 12} - shown
    return found


def leaks(source: str) -> list[str]:
    there = set(parts(source))
    return [name for name, hidden in SECRETS.items() if hidden & there]


SECRETS = secrets()


@pytest.fixture(scope="module", params=list(CHAPTERS))
def books(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    return [student_version(path) for path in labs_of(request.param, extra=True)]


def test_what_gives_a_solution_away() -> None:
    assert sum(map(bool, SECRETS.values())) > 60
    assert leaks(EXERCISES["04-make"].solution) == ["04-make"]
    assert leaks(EXERCISES["04-parsons"].solution) == ["04-parsons"]


def test_a_hand_out_holds_no_solution(books: list[dict[str, Any]]) -> None:
    for book in books:
        nbformat.validate(nbformat.from_dict(book))
        for cell in book["cells"]:
            source = "".join(cell["source"])
            assert not {"solution", "remove-cell"} & set(
                cell["metadata"].get("tags", ())
            )
            assert "Why this works" not in source
            assert "olutions are folded" not in source
            if cell["cell_type"] == "markdown":
                assert "](../" not in source, "a link to what is not handed out"
            if cell["cell_type"] == "code":
                assert (cell["outputs"], cell["execution_count"]) == ([], None)
                assert leaks(source) == []


def test_a_hand_out_has_every_exercise_and_check(books: list[dict[str, Any]]) -> None:
    cells = [cell for book in books for cell in book["cells"]]
    found: dict[str, set[str]] = {}
    for cell in cells:
        if name := cell["metadata"].get("exercise"):
            found.setdefault(name, set()).update(cell["metadata"]["tags"])
    chapter = min(found)[:2]
    assert set(found) == {name for name in EXERCISES if name[:2] == chapter}
    assert all({"exercise", "check"} <= tags for tags in found.values())


def test_no_installed_wheel_holds_a_solution() -> None:
    # The packages of both wheels are all Python files of their folders.
    for path in [*SOURCE.glob("ontime/**/*.py"), *SOURCE.glob("looplab/**/*.py")]:
        assert leaks(path.read_text(encoding="utf-8")) == [], path


def test_for_nbgrader() -> None:
    (path,) = labs_of("04")
    about = [
        cell["metadata"]["nbgrader"]
        for cell in student_version(path, nbgrader=True)["cells"]
        if "nbgrader" in cell["metadata"]
    ]
    ids = [cell["grade_id"] for cell in about]
    assert len(set(ids)) == len(ids) == 10
    graded = {cell["grade_id"]: cell["points"] for cell in about if cell["grade"]}
    assert graded["04-make-check"] == points_of("04-make") == 3
    assert all(cell["locked"] == cell["grade"] != cell["solution"] for cell in about)


def test_a_check_for_nbgrader_raises_what_it_says() -> None:
    (path,) = labs_of("04")
    book = student_version(path, nbgrader=True)
    (cell,) = (
        c
        for c in book["cells"]
        if c["metadata"].get("nbgrader", {}).get("grade_id") == "04-predict-check"
    )
    with pytest.raises(AssertionError, match="no answer yet"):
        exec("".join(cell["source"]), {"check": no_answer, "lateness": ...})


def no_answer(name: str, answer: object) -> Any:
    from ontime.check import Verdict

    return Verdict(False, "there is no answer yet")


def test_links_lead_to_the_published_book_or_to_a_file_beside() -> None:
    (path,) = labs_of("04")
    text = json.dumps(student_version(path, site="https://a.b/c/"))
    assert "(https://a.b/c/book/04_late_heartbeat.html)" in text
    assert "(https://a.b/c/notebooks/04_going_deeper.html)" in text
    beside = frozenset({"04_going_deeper.ipynb"})
    assert "(04_going_deeper.ipynb)" in json.dumps(student_version(path, beside=beside))


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    labs = labs_of("04", extra=True)
    mine = tmp_path / "04_more_exercises.ipynb"
    mine.write_text("my work")
    with pytest.raises(HandoutError, match="04_more_exercises"):
        hand_out(labs, tmp_path)
    assert list(tmp_path.iterdir()) == [mine]
    assert mine.read_text() == "my work"


def test_nothing_is_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Path.open

    def full(path: Path, mode: str) -> Any:
        if path.name.startswith("04_more"):
            raise OSError(28, "No space left on device")
        return whole(path, mode)

    labs = labs_of("04", extra=True)
    monkeypatch.setattr(Path, "open", lambda path, mode="r", **_: full(path, mode))
    with pytest.raises(HandoutError, match="No space"):
        hand_out(labs, tmp_path)
    assert list(tmp_path.iterdir()) == []


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
    assert main(["04", "--to", str(tmp_path / "out")]) == 2


def test_a_hand_out_has_no_solutions_to_grade_with(tmp_path: Path) -> None:
    main(["04", "--to", str(tmp_path)])
    with pytest.raises(LabError, match="solution"):
        read_labs(tmp_path)
