"""Which files are walked, and which are exempt."""

from __future__ import annotations

from pathlib import Path

from looplab.lint.paths import Patterns, project_root
from tests.fast.looplab.lint.command.runs import write


def test_folders_that_are_passed_over(lint):
    write("a.py")
    for name in (".git/x.py", ".venv/x.py", "__pycache__/x.py", "node_modules/x/y.py"):
        write(name)
    write("env/pyvenv.cfg", "")
    write("env/lib/x.py")
    assert lint(".").places == ["a.py:2:5: LAG101"]
    # What is named is read.
    assert lint("env/lib").places == ["env/lib/x.py:2:5: LAG101"]


def test_tests_are_exempt(lint):
    exempt = ["tests/a.py", "src/tests/deep/b.py", "test_c.py", "d_test.py"]
    exempt += ["sub/conftest.py", "sub/test_e.py"]
    exempt += ["testing/f.py"]
    read = ["mytests/a.py", "latest.py", "contest.py", "sub/test.py"]
    for name in exempt + read:
        write(name)
    run = lint(".")
    assert sorted(one.split(":")[0] for one in run.places) == sorted(read)
    assert run.err == (
        "4 files checked, 4 findings, 7 exempt as tests (--include-tests checks them)\n"
    )
    assert len(lint(".", "--include-tests").places) == 11
    run = lint("tests/a.py", "test_c.py")
    assert (run.status, run.out) == (0, "")
    assert "2 exempt as tests" in run.err
    assert lint("tests").status == 0  # there are Python files in it


def test_what_is_exempt_can_be_chosen(lint):
    for name in ("tests/a.py", "examples/b.py", "docs/c.py", "docs/sub/d.py", "e.py"):
        write(name)

    def names(*words):
        return [one.split(":")[0] for one in lint(".", *words).places]

    every = ["e.py", "docs/c.py", "docs/sub/d.py", "examples/b.py", "tests/a.py"]
    assert names() == every[:-1]
    assert names("--extend-exempt", "examples/,e.py") == every[1:3]
    assert names("--exempt", "docs/") == ["e.py", "examples/b.py", "tests/a.py"]
    assert names("--exempt", "docs/sub/") == [one for one in every if "sub" not in one]
    assert names("--exempt", "docs/*.py") == ["e.py", "examples/b.py", "tests/a.py"]
    assert names("--exempt", "./docs/c.py") == [
        one for one in every if "c.py" not in one
    ]
    assert names("--exempt", "?.py") == []
    assert names("--exclude", "docs/", "--include-tests") == ["e.py", *every[3:]]
    assert names("--exclude", "e.py") == every[1:-1]


def test_paths_begin_at_the_projects_folder(lint, project, monkeypatch):
    write("tests/helper.py")
    write("src/a.py")
    monkeypatch.chdir(project / "tests")
    assert lint(".").status == 0
    monkeypatch.chdir(project / "src")
    assert lint(".").places == ["a.py:2:5: LAG101"]
    assert lint(project / "tests").status == 0


def test_a_folder_above_the_project_exempts_nothing(lint, tmp_path, monkeypatch):
    folder = tmp_path / "tests" / "project"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    Path("setup.cfg").touch()
    write("a.py")
    assert lint(".").status == 1
    assert lint(folder).status == 1


def test_the_projects_folder(tmp_path):
    deep = tmp_path / "x" / "y"
    deep.mkdir(parents=True)
    for name in ("pyproject.toml", "setup.cfg", "tox.ini", ".flake8", ".git"):
        (tmp_path / "x" / name).touch()
        assert project_root(deep) == tmp_path / "x"
        (tmp_path / "x" / name).unlink()


def test_patterns_for_folders(tmp_path):
    some = Patterns(("build/", "a/b/", "*.py"), tmp_path)
    inside = str(tmp_path)
    assert some.match(f"{inside}/src/build", folder=True)
    assert some.match(f"{inside}/a/b", folder=True)
    assert not some.match(f"{inside}/x/a/b", folder=True)
    assert not some.match(f"{inside}/x.py", folder=True)
    assert some.match(f"{inside}/x.py")
    assert not Patterns((), tmp_path).match("x.py")
