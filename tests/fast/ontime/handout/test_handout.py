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
from ontime.grade import read_labs
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
    hidden = {}
    for name, exercise in EXERCISES.items():
        shown = {p for c in (*exercise.setup, exercise.stub) for p in parts(c)}
        right = list(parts(exercise.solution))
        for source in all_homes()[name].right.values():
            # Its own function; a helper inside may be anybody's.
            right += [next(parts(source), "")]
        hidden[name] = {p for p in right if len(p) > 12} - shown
    return hidden


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


RULES = """\
**Your answers.** Write each into the cell with the dots or the code to change, run it,
then run its check. An answer may use cells above it. Save the notebook before you hand
it in. What it shows is not looked at: every answer runs again.
"""
TEXT = """\
Hints and solutions are folded. A [page](../book/a.md#part), a [lab](05_b.ipynb),
[another](04_c.ipynb), [a part](#here) and [a site](https://a.b/c.md).
<details><summary>Hint</summary>h</details>
<details><summary>Why this works</summary>
It does.</details>

Read on, and a folded solution."""
CELLS: list[tuple[str, str, dict[str, Any]]] = [
    ("markdown", "# Lab", {"tags": ["x"], "other": 1}),
    ("markdown", TEXT, {}),
    ("code", "a\nb", {"tags": ["exercise"], "exercise": "04-make", "slideshow": {}}),
    ("code", "check('04-make', b)", {"tags": ["check"], "exercise": "04-make"}),
    ("code", "solved", {"tags": ["solution"]}),
    ("code", "glue()", {"tags": ["remove-cell"]}),
    ("code", "imports", {"tags": ["hide-cell", 3]}),
    ("code", "drawing", {"tags": ["hide-input"]}),
    ("markdown", "<details><summary>Why this works</summary>!</details>", {}),
    ("code", " \n", {}),
]


@pytest.fixture
def small(tmp_path: Path) -> Path:
    cells: list[dict[str, Any]] = []
    for number, (kind, source, about) in enumerate(CELLS):
        cell = {"cell_type": kind, "id": str(number), "source": source}
        ran = {"outputs": [{"output_type": "x"}], "execution_count": 7}
        cells.append({**cell, "metadata": about, **(ran if kind == "code" else {})})
    about = {"kernelspec": {"name": "python3"}}
    book = {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
    path = tmp_path / "04_small.ipynb"
    path.write_text(json.dumps(book))
    return path


def sources(book: dict[str, Any]) -> list[str]:
    return ["".join(cell["source"]) for cell in book["cells"]]


def test_the_whole_copy_of_a_small_lab(small: Path) -> None:
    book = copy_of(small, site="https://s.t/book/", beside=frozenset({"04_c.ipynb"}))
    assert sources(book) == [
        "# Lab",
        RULES,
        "Hints are folded. A [page](https://s.t/book/book/a.html#part), "
        "a [lab](https://s.t/book/notebooks/05_b.html),\n"
        "[another](04_c.ipynb), [a part](#here) and [a site](https://a.b/c.md).\n"
        "<details><summary>Hint</summary>h</details>\nRead on.",
        "a\nb",
        "check('04-make', b)",
        "imports",
        "drawing",
    ]
    folded = {"jupyter": {"source_hidden": True}}
    assert [cell["metadata"] for cell in book["cells"]] == [
        {"tags": ["x"]},
        *({}, {}),
        {"tags": ["exercise"], "exercise": "04-make"},
        {"tags": ["check"], "exercise": "04-make"},
        {"tags": ["hide-cell", 3], **folded},
        {"tags": ["hide-input"], **folded},
    ]
    assert [cell["id"] for cell in book["cells"]] == ["0", "your-answers", *"12367"]
    for cell in book["cells"][3:]:
        assert (cell["outputs"], cell["execution_count"]) == ([], None)
    assert book["cells"][3]["source"] == ["a\n", "b"]
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    assert book["metadata"]["kernelspec"] == {"name": "python3"}
    assert len(book["metadata"]["made_from"]) == 64
    without = sources(copy_of(small))[2]
    assert "A *page*, a *lab*,\n*another*, [a part](#here) and [a site](" in without


def test_the_copy_for_a_reader_keeps_the_text_as_it_is(small: Path) -> None:
    book = copy_of(small, solutions=True)
    kept = [
        source for _, source, about in CELLS if about.get("tags") != ["remove-cell"]
    ]
    assert sources(book) == kept[:-1], "without the empty cell"
    [solved] = [cell for cell in book["cells"] if cell["source"] == ["solved"]]
    assert solved["metadata"]["jupyter"] == {"source_hidden": True}
    assert solved["outputs"] == []


def test_a_copy_for_nbgrader(small: Path) -> None:
    cells = [
        cell
        for cell in copy_of(small, nbgrader=True)["cells"]
        if "nbgrader" in cell["metadata"]
    ]
    common = {"schema_version": 3, "task": False}
    answer = {"grade_id": "04-make", "grade": False, "solution": True, "locked": False}
    checked = {"grade_id": "04-make-check", "points": points_of("04-make")}
    checked |= {"grade": True, "solution": False, "locked": True}
    shown = [cell["metadata"]["nbgrader"] for cell in cells]
    assert shown == [common | answer, common | checked]
    # A check there raises what it says.
    source = "".join(cells[1]["source"])
    space = {"check": lambda *_: Verdict(False, "no answer yet"), "b": ...}
    with pytest.raises(AssertionError, match="no answer yet"):
        exec(source, space)


@pytest.mark.parametrize("change", [{"nbformat": 3}, {"nbformat": None}])
def test_a_lab_of_another_format_is_refused(small: Path, change: Any) -> None:
    small.write_text(json.dumps({**json.loads(small.read_text()), **change}))
    with pytest.raises(HandoutError, match=r"04_small\.ipynb cannot be read.*not 4"):
        copy_of(small)


def test_which_labs_a_chapter_has(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, text = small.parent, small.read_text()
    for name in ("04_more_exercises", "05_b", "notes"):
        (folder / f"{name}.ipynb").write_text(text)
    (folder / "04_plain.ipynb").write_text('{"cells": [], "nbformat": 4}')

    def names(chapter: str, **settings: bool) -> list[str]:
        labs = labs_of(chapter, folder=folder, **settings)
        return [path.stem for path in labs]

    assert names("04") == ["04_small"]
    assert names("04", extra=True) == ["04_more_exercises", "04_small"]
    assert names("04", solutions=True) == ["04_more_exercises", "04_plain", "04_small"]
    assert names("all") == ["04_small", "05_b"]
    monkeypatch.setattr("ontime.handout.default_folder", lambda: None)
    with pytest.raises(HandoutError, match="--labs on-time/notebooks"):
        labs_of("04")


def bring(small: Path, folder: Path) -> list[Path]:
    labs = labs_of("all", solutions=True, folder=small.parent)
    return hand_out(labs, folder, solutions=True)


def test_a_second_run_keeps_the_work(small: Path, tmp_path: Path) -> None:
    mine = tmp_path / "my_labs"
    (copy,) = bring(small, mine)
    assert copy == mine / small.name
    work = copy.read_text().replace("a\\n", "my answer\\n")
    copy.write_text(work)
    assert bring(small, mine) == []
    small.write_text(small.read_text().replace("# Lab", "# Another"))
    (second,) = bring(small, mine)
    assert second.name == "04_small-2.ipynb" and "# Another" in second.read_text()
    assert bring(small, mine) == [] and copy.read_text() == work
    copy.write_text("no notebook any more: it may be somebody's work")
    assert bring(small, mine) == []
    assert copy.read_text().startswith("no notebook")


def test_nothing_is_half_written(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, *_: object, **__: object) -> None:
        path.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(HandoutError, match="No space"):
        bring(small, tmp_path / "out")
    assert not list((tmp_path / "out").glob("*.ipynb"))


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["9"], "no lab of a chapter '9'; there is 01"),
        (["04", "--labs", "{0}"], "there is none"),
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
