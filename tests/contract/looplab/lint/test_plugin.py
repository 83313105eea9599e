"""The plugin in a real flake8, and the command, which is flake8."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from looplab.lint import check_source
from looplab.lint.command import lint
from tests.fast.looplab.lint.marks import cases
from tools.common import ROOT

pytest.importorskip("flake8")

GROWS = "import asyncio\nq = asyncio.Queue()\nasync def put(x): await q.put(x)\n"
POLLS = "import asyncio\nasync def f():\n    while x: await asyncio.sleep(0)\n"


@pytest.fixture(scope="module")
def environ(tmp_path_factory):
    """Lets Python believe looplab is installed, with the entry points of its project.

    So this does not depend on what is installed.
    """
    project = tomllib.loads(
        (ROOT / "src/looplab/pyproject.toml").read_text(encoding="utf-8")
    )
    folder = tmp_path_factory.mktemp("site")
    facts = folder / "looplab-0.0.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: looplab\nVersion: 0.0.0\n", encoding="utf-8"
    )
    lines = []
    for group, names in project["project"]["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {where}" for name, where in names.items())]
    (facts / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    path = os.pathsep.join([str(folder), str(ROOT / "src")])
    return kept | {"PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"}


@pytest.fixture
def run(tmp_path, environ):
    """Run a module in a folder of its own; the places and codes of its findings."""

    def start(*words, module="looplab.lint", **options):
        done = subprocess.run(
            [sys.executable, "-m", module, *words],
            cwd=tmp_path, env=environ, capture_output=True, encoding="utf-8",
            check=False, **options,
        )  # fmt: skip
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return start


@pytest.fixture
def codes(run):
    def start(*words, **options):
        done = run(*words, **options)
        assert done.stderr == ""
        lines = done.stdout.replace("./", "").splitlines()
        assert done.returncode == bool(lines)
        return [re.sub(r"(LAG\d+|E\d+) .*", r"\1", line) for line in sorted(lines)]

    return start


def write(folder: Path, name: str, text: str = GROWS) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_the_plugin_beside_other_rules(codes, run, tmp_path):
    for module in ("flake8", "looplab.lint"):
        assert "looplab: 0.0.0" in run("--version", module=module).stdout
    write(tmp_path, "a.py", GROWS)
    assert "a.py:2:5: LAG101" in codes(module="flake8")
    assert codes("--select=LAG", module="flake8") == ["a.py:2:5: LAG101"]


def test_the_command_has_our_rules_alone(codes, run, tmp_path):
    write(tmp_path, "a.py", GROWS + "import os ;x=1\n" + POLLS)
    write(tmp_path, "tests/test_b.py")
    assert codes() == ["a.py:2:5: LAG101", "a.py:7:20: LAG201"]
    assert codes("a.py", "--select=LAG2") == ["a.py:7:20: LAG201"]
    assert codes("--extend-select=LAG100", "--ignore=LAG2") == [
        "a.py:2:5: LAG100", "a.py:2:5: LAG101",
    ]  # fmt: skip
    assert codes("--lag-include-tests", "tests") == ["tests/test_b.py:2:5: LAG101"]
    assert codes("--jobs=2") == codes("--jobs=1")
    assert codes("-", input=GROWS) == ["stdin:2:5: LAG101"]
    text = run("--format=%(code)s %(text)s", "a.py").stdout
    assert text.startswith(
        "LAG101 asyncio.Queue() grows: callers of put() put (line 3)"
    )
    assert "[lint_rules.html#lag101-await]" in text


def test_settings_and_comments_are_those_of_flake8(codes, tmp_path):
    write(tmp_path, "a.py")
    write(tmp_path, "b.py", GROWS.replace("()\n", "()  # noqa: LAG101\n", 1))
    write(tmp_path, "c.py", GROWS.replace("()\n", "()  # noqa: E501\n", 1))
    assert codes() == ["a.py:2:5: LAG101", "c.py:2:5: LAG101"]
    settings = "[flake8]\nper-file-ignores =\n    a.py:LAG1\nselect = E\n"
    write(tmp_path, ".flake8", settings)
    assert codes() == ["c.py:2:5: LAG101"]
    assert len(codes("--disable-noqa")) == 2
    assert len(codes("--isolated")) == 2


def test_what_cannot_be_read_is_said(run, tmp_path):
    write(tmp_path, "bad.py", "import asyncio\nx = (\n")
    done = run("bad.py", "none.py")
    assert done.returncode == 1
    assert "bad.py" in done.stdout and "E999" in done.stdout
    assert "none.py" in done.stdout and "E902" in done.stdout


def notebook(*cells: str, language: str = "python") -> str:
    data = {
        "cells": [
            {
                "cell_type": "code", "metadata": {}, "outputs": [],
                "execution_count": None, "source": cell.splitlines(keepends=True),
            }
            for cell in cells
        ],
        "metadata": {"kernelspec": {"language": language}},
        "nbformat": 4, "nbformat_minor": 5,
    }  # fmt: skip
    return json.dumps(data, indent=1)


def test_a_notebook_is_read_cell_by_cell(run, tmp_path):
    cells = (
        "%pip install x\nimport asyncio",
        "x = 'é\U0001f600'\n!ls\nq = asyncio.Queue()",
        "%%bash\nq = (",
        "await q.get()\nasync def put(x):\n    await q.put(x)",
    )
    write(tmp_path, "a.ipynb", notebook(*cells))
    done = run()
    assert done.returncode == 1
    assert "LAG101 cell 2 line 3: asyncio.Queue() grows" in done.stdout
    assert "(cell 4 line 3)" in done.stdout
    row = int(done.stdout.split(":")[1])
    lines = (tmp_path / "a.ipynb").read_text("utf-8").splitlines()
    assert "asyncio.Queue()" in lines[row - 1]
    silent = cells[1] + "  # noqa: LAG101"
    write(tmp_path, "a.ipynb", notebook(cells[0], silent, *cells[2:]))
    write(tmp_path, "r.ipynb", notebook(*cells, language="R"))
    write(tmp_path, "other.ipynb", "[1, 2]")
    assert run().stdout == ""
    write(tmp_path, "a.ipynb", notebook("import asyncio", "x = ("))
    assert "E999 cell 2 line 1: SyntaxError" in run().stdout


def test_help_and_explanations(capsys):
    assert lint(["--help"]) == 0
    assert "LAG205" in capsys.readouterr().out
    for words in (["--explain", "LAG303"], ["--explain=lag303"]):
        assert lint(words) == 0
        assert capsys.readouterr().out.startswith("## LAG303: ")
    for words in (["--explain"], ["--explain", "LAG999"]):
        assert lint(words) == 2
        assert "lag303" in capsys.readouterr().err


def test_without_flake8_the_command_says_what_to_install(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "flake8", None)
    monkeypatch.setitem(sys.modules, "flake8.main.application", None)
    assert lint(["."]) == 2
    assert "looplab[lint]" in capsys.readouterr().err
    assert check_source(GROWS)


def test_flake8_says_of_every_case_what_the_function_says(run, tmp_path):
    expected = []
    for number, (_, source) in enumerate(cases().values()):
        write(tmp_path, f"case{number}.py", source)
        expected += [
            f"case{number}.py:{finding.line}:{finding.column}: {finding.code}"
            for finding in check_source(source)
        ]
    found = re.findall(r"^(?:\./)?(.*?: LAG\d+)", run().stdout, re.MULTILINE)
    assert sorted(found) == sorted(expected)


def test_the_linter_is_content_with_this_project(monkeypatch, capfd):
    monkeypatch.chdir(ROOT)
    # On the virtual clock an iteration is exact, and checks count them.
    ignored = "--per-file-ignores=src/ontime/check/*:LAG205"
    assert lint(["--isolated", ignored, "src", "tools", "book/_ext"]) == 0, (
        capfd.readouterr().out
    )
