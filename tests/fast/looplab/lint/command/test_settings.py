"""Settings in pyproject.toml, and options."""

from __future__ import annotations

import re

import pytest

from tests.fast.looplab.lint.command.runs import BAD, POLLS, STRAIGHT, settings, write


def test_settings_and_options(lint, project, monkeypatch):
    write("sub/a.py", BAD + POLLS + STRAIGHT)
    write("tests/b.py")

    def places(*words):
        return [re.sub(":.*:", "", one) for one in lint(project, *words).places]

    settings('extend-select = ["LAG202"]\ninclude-tests = true')
    every = [f"{project}/sub/a.py LAG{code}" for code in (101, 201, 202)]
    assert places() == [*every, f"{project}/tests/b.py LAG101"]
    monkeypatch.chdir("sub")
    assert len(places()) == 4
    assert places("--no-include-tests") == every
    assert places("--isolated") == every[:2]
    assert len(places("--extend-select", "LAG1")) == 3
    settings('select = ["LAG2"]', "other.toml")
    assert places("--config", "other.toml") == every[1:2]
    settings('ignore = ["LAG1"]\nexclude = ["nothing/"]', "../pyproject.toml")
    assert places() == every[1:2]
    settings('exempt = ["sub/"]\nextend_exempt = ["b.py"]', "../pyproject.toml")
    assert places() == []
    assert places("--include-tests") == [*every[:2], f"{project}/tests/b.py LAG101"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("unknown = 1", r"has no 'unknown': there are select, extend-select, "),
        ("select = 'LAG101'", r"select must be a list of strings, not 'LAG101'"),
        ("exempt = [1]", r"exempt must be a list of strings, not \[1\]"),
        ("include-tests = 1", r"include-tests must be true or false, not 1"),
        ("select = ['LAG9']", r"'LAG9' is no rule: there are LAG101, LAG102, LAG201"),
        ("select = [", r"pyproject.toml is not TOML: "),
    ],
)
def test_settings_that_mean_nothing(lint, text, said):
    write("a.py")
    settings(text)
    run = lint("a.py")
    assert (run.status, run.out) == (2, "")
    assert re.search(f"looplab lint: error: .*{said}", run.err)
    assert lint("a.py", "--isolated").status == 1


def test_settings_that_cannot_be_read(lint):
    write("a.py")
    write("pyproject.toml", "tool = 3")
    assert "tool in [tool.looplab.lint] must be a table" in lint("a.py").err
    assert lint("a.py", "--config", "none.toml").status == 2
    assert lint("a.py", "--config", ".").status == 2
    assert (
        "exclude each" in lint("a.py", "--isolated", "--config", "pyproject.toml").err
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--select", "X"], "'X' is no rule: there are LAG101"),
        (["--format", "xml"], "invalid choice: 'xml'"),
        (["--nonsense"], "unrecognized arguments: --nonsense"),
        (["--config"], "expected one argument"),
    ],
)
def test_bad_usage(lint, words, said):
    write("a.py")
    run = lint("a.py", *words)
    assert (run.status, run.out) == (2, "")
    assert run.err.startswith("usage: looplab")
    assert said in run.err
