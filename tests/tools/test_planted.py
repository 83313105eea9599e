"""The list of planted bugs fits the sources, and a bug is caught or missed as it is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tools import planted
from tools.common import ROOT, ToolError

BUGS = planted.read()


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_each_bug_can_be_planted(bug: planted.Bug, tmp_path: Path) -> None:
    (tmp_path / bug.file).parent.mkdir(parents=True)
    shutil.copy(ROOT / "src" / bug.file, tmp_path / bug.file)
    bug.plant(tmp_path)
    assert bug.new in (tmp_path / bug.file).read_text(encoding="utf-8")
    paths = [word for word in bug.tests if word.startswith("tests/")]
    assert paths
    assert all((ROOT / path).exists() for path in paths)


def test_there_are_twenty() -> None:
    assert len(BUGS) >= 20


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "one.py").write_text("def double(x):\n    return 2 * x\n")
    (tmp_path / "test_one.py").write_text(
        "from one import double\ndef test_it():\n    assert double(2) == 4\n"
    )
    return tmp_path


@pytest.mark.parametrize(("new", "seen"), [("3 * x", True), ("x * x", False)])
def test_a_bug_is_caught_if_its_tests_fail(project: Path, new: str, seen: bool) -> None:
    bug = planted.Bug("one", "one.py", "2 * x", new, ("test_one.py",))
    assert planted.caught(bug, project) is seen
    assert "2 * x" in (project / "src" / "one.py").read_text()


def test_a_text_that_is_gone_is_named(project: Path) -> None:
    bug = planted.Bug("one", "one.py", "4 * x", "x", ("test_one.py",))
    with pytest.raises(ToolError, match=r"one: one.py holds its text 0 times"):
        planted.caught(bug, project)


@pytest.mark.full
def test_tests_that_do_not_run_catch_nothing(project: Path) -> None:
    bug = planted.Bug("one", "one.py", "2 * x", "x", ("no_such_test.py",))
    with pytest.raises(ToolError, match="pytest could not run"):
        planted.caught(bug, project)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[bug]]\nname = "a"', "a: 'tests'"),
        (
            '[[bug]]\nname = "a"\nfile = "f"\nold = "x"\nnew = "x"\ntests = ["t"]',
            "a changes nothing",
        ),
    ],
)
def test_an_entry_that_cannot_be_used(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "list.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ToolError, match=message):
        planted.read(path)


def test_a_name_that_selects_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert planted.main(["nothing"]) == 1
    assert capsys.readouterr().err == "error: no bug's name begins with nothing.\n"
