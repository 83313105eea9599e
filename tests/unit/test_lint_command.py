"""The command `looplab lint`: files, bad input, settings, output, exit status."""

from __future__ import annotations

import io
import json
import os
import re
import socket
import subprocess
import sys
import types
import warnings
from pathlib import Path

import pytest

from looplab.cli import main
from looplab.lint import command, paths
from looplab.lint.paths import EXEMPT, NotCheckedError, Patterns, decode, project_root
from tools.common import ROOT

BAD = "import asyncio\nq = asyncio.Queue()\n"
POLLS = "import asyncio\nasync def f():\n    while x: await asyncio.sleep(0)\n"
STRAIGHT = "import asyncio\nasync def f():\n    await asyncio.sleep(0)\n"
PAGE = ROOT / "book" / "lint_rules.md"


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    """An empty project, which is the current folder."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("", encoding="utf-8")
    monkeypatch.chdir(folder)
    return folder


def write(name: str, text: str | bytes = BAD) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


class Run:
    """One run of the command."""

    def __init__(self, capsys, *words):
        try:
            self.status = main(["lint", *map(str, words)])
        except SystemExit as exit_:
            self.status = exit_.code
        self.out, self.err = capsys.readouterr()
        self.places = re.findall(r"^(.*?:\d+:\d+: LAG\d+)", self.out, re.MULTILINE)
        self.errors = re.findall(r"^(.*?:\d+:\d+: error: .*)", self.err, re.MULTILINE)


@pytest.fixture
def lint(capsys):
    return lambda *words: Run(capsys, *words)


# -- findings and status -------------------------------------------------------------


def test_clean(lint):
    write("a.py", "x = 1\n")
    run = lint("a.py")
    assert (run.status, run.out, run.err) == (0, "", "1 file checked, 0 findings\n")
    assert lint("a.py", "--quiet").err == ""


def test_findings(lint):
    write("a.py")
    write("sub/b.py", POLLS)
    run = lint("sub", "a.py")
    assert run.status == 1
    assert run.places == ["sub/b.py:3:20: LAG201", "a.py:2:5: LAG101"]
    assert run.err == "2 files checked, 2 findings\n"
    for line in run.out.splitlines():
        assert re.fullmatch(r"[^:]+:\d+:\d+: LAG\d{3} \S.*\S", line)


def test_without_a_path_it_is_this_folder(lint):
    write("a.py")
    write("sub/b.py")
    assert lint().places == ["a.py:2:5: LAG101", "sub/b.py:2:5: LAG101"]


def test_the_order_never_varies_and_each_file_is_read_once(lint):
    for name in ("b.py", "a.py", "Z.py", "sub/c.py", "a/x.py"):
        write(name)
    expected = ["Z.py", "a.py", "b.py", "a/x.py", "sub/c.py"]
    assert [one.split(":")[0] for one in lint(".").places] == expected
    run = lint("b.py", ".", "./a.py", "sub", "b.py")
    assert [one.split(":")[0] for one in run.places] == [
        "b.py",
        *(one for one in expected if one != "b.py"),
    ]


def test_a_file_that_is_named_needs_no_suffix(lint):
    write("script", "#!/usr/bin/env python3\n" + BAD)
    assert lint("script").places == ["script:3:5: LAG101"]
    assert lint(".").status == 2  # there is no *.py


def test_rules_are_chosen(lint):
    write("a.py", BAD + POLLS + STRAIGHT)

    def codes(*words):
        return [place[-6:] for place in lint("a.py", *words).places]

    assert codes() == ["LAG101", "LAG201"]
    assert codes("--select", "LAG101") == ["LAG101"]
    assert codes("--select=LAG1,LAG202") == ["LAG101", "LAG202"]
    assert codes("--extend-select", "LAG202") == ["LAG101", "LAG201", "LAG202"]
    assert codes("--extend-select", "LAG2") == ["LAG101", "LAG201"]
    assert codes("--ignore", "LAG101") == ["LAG201"]
    assert codes("--ignore", "LAG1", "--ignore", "LAG2") == []


def test_comments_silence(lint):
    write("a.py", "import asyncio\nq = asyncio.Queue()  # noqa: LAG101\n")
    write("b.py", "# flake8: noqa\n" + BAD)
    assert lint(".").status == 0
    assert len(lint(".", "--disable-noqa").places) == 2


# -- standard input ------------------------------------------------------------------


@pytest.fixture
def stdin(monkeypatch):
    def give(data):
        stream = types.SimpleNamespace(buffer=io.BytesIO(data))
        monkeypatch.setattr(sys, "stdin", stream)

    return give


def test_standard_input(lint, stdin):
    stdin(BAD.encode())
    assert lint("-").places == ["<stdin>:2:5: LAG101"]
    stdin(BAD.encode())
    run = lint("-", "--stdin-filename", "src/a.py", "--format=json")
    assert json.loads(run.out)["findings"][0]["path"] == "src/a.py"
    stdin(BAD.encode())
    assert lint("-", "--stdin-filename", "tests/a.py").status == 0
    stdin(b"x = '\xff'")
    run = lint("-")
    assert run.status == 2
    assert run.errors[0].startswith("<stdin>:1:1: error: is not utf-8: byte 0xff")


# -- bad input: the rest is still checked --------------------------------------------


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"def f(:\n", r"bad.py:1:7: error: Python 3\.\d+ cannot parse it: "),
        (b"x = (\n", r"bad.py:\d:\d+: error: Python 3\.\d+ cannot parse it: "),
        (b"if x:\n  a\n b\n", r"bad.py:3:\d: error: .*unindent"),
        (b"x = 1\nx = '\xe9'\n", r"bad.py:2:1: error: is not utf-8: byte 0xe9"),
        (b"x = 1\n" * 9000 + b"'\xe9'", r"bad.py:9001:1: error: is not utf-8: byte"),
        (b"# coding: ascii\n\n'\xc3\xa9'", r"bad.py:3:1: error: is not ascii: byte"),
        (b"# coding: nonsense\n", r"cannot be decoded \(unknown encoding: nonsense\)"),
        (b"# coding: hex\n", r"cannot be decoded"),
        (b"\xef\xbb\xbf# coding: latin-1\n", r"cannot be decoded"),
        ("x = 1".encode("utf-16"), r"bad.py:1:1: error: is not utf-8: byte 0xff"),
        (b"x = 1\ny = '\0'\n", r"bad.py:2:1: error: has a null byte"),
        (b"(" * 5000, r"bad.py:1:\d+: error: "),
        (b"x = " + b"-" * 100_000 + b"1", r"bad.py:1:1: error: is nested too deeply"),
        (b"x = " + b"9" * 9999, r"bad.py:1:\d+: error: Python .* cannot parse"),
        (b'{"cells": [', r"bad.py:1:\d+: error: "),
    ],
    ids=range(15),
)
def test_a_file_that_cannot_be_checked(lint, data, said):
    write("bad.py", data)
    write("good.py")
    run = lint(".")
    assert run.status == 2
    assert len(run.errors) == 1
    assert re.search(said, run.errors[0]), run.errors
    assert run.places == ["good.py:2:5: LAG101"]
    assert "Traceback" not in run.err
    errors = json.loads(lint(".", "--format=json").out)["errors"]
    assert [one["path"] for one in errors] == ["bad.py"]
    assert re.search(said.split("error: ")[-1], errors[0]["message"])


def test_paths_that_lead_nowhere(lint, project):
    write("good.py")
    Path("empty/sub").mkdir(parents=True)
    Path("loop.py").symlink_to("loop.py")
    Path("dangling.py").symlink_to("nothing.py")
    Path("here").symlink_to(".")
    write("book.ipynb", "{}")
    os.mkfifo("pipe.py")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket.py")
        run = lint("nothing", "nothing.py", "empty", "book.ipynb", "a\0b.py", ".")
    assert run.status == 2
    assert run.places == ["good.py:2:5: LAG101"]
    said = [re.sub(r":1:1: error:", "", one) for one in run.errors]
    assert said == [
        "nothing there is no such file or folder",
        "nothing.py there is no such file or folder",
        "empty there are no Python files in this folder",
        "book.ipynb is a notebook: only Python files are checked",
        said[4],
        "dangling.py there is no such file or folder",
        said[6],
        "pipe.py is a pipe, not a file",
        "socket.py is a socket, not a file",
    ]
    assert said[4].startswith("a\0b.py cannot be read: ")
    assert said[6].startswith("loop.py cannot be read: ")


def test_a_device(lint):
    run = lint("/dev/null")
    assert run.status == 2
    assert run.errors == ["/dev/null:1:1: error: is a device, not a file"]


def test_what_may_not_be_read(lint, monkeypatch):
    write("closed.py")
    write("shut/a.py")
    write("good.py")
    read_bytes, scandir = Path.read_bytes, os.scandir

    def refuse(path):
        if path.name == "closed.py":
            raise PermissionError(13, "Permission denied", str(path))
        return read_bytes(path)

    def refuse_folder(path):
        if str(path).endswith("shut"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    monkeypatch.setattr(os, "scandir", refuse_folder)
    run = lint(".")
    assert run.status == 2
    assert sorted(run.errors) == [
        "./shut:1:1: error: cannot be read: Permission denied",
        "closed.py:1:1: error: cannot be read: Permission denied",
    ]
    assert run.places == ["good.py:2:5: LAG101"]
    Path("only/shut").mkdir(parents=True)
    assert len(lint("only").errors) == 1


def test_a_huge_file(lint, monkeypatch):
    monkeypatch.setattr(paths, "MAX_BYTES", 1000)
    write("huge.py", BAD + "#" * 1000)
    write("good.py")
    run = lint(".")
    assert run.status == 2
    assert "has 1,035 bytes, and a file of more than 1,000 is not" in run.errors[0]
    assert run.places == ["good.py:2:5: LAG101"]
    assert lint(".", "--exclude", "huge.py").status == 1


def test_warnings_of_the_source_are_not_ours(lint):
    write("a.py", 'import asyncio\nx = "\\d" is 1\nq = asyncio.Queue()\n')
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert lint("a.py").status == 1
    assert caught == []


def test_names_that_are_no_text(lint, capsys):
    name = os.fsdecode(b"caf\xe9.py")
    try:
        write(name)
    except OSError:
        pytest.skip("this file system has text names only")
    write("new\nline.py")
    run = lint(".", "--format", "json")
    assert [one["path"] for one in json.loads(run.out)["findings"]] == [
        name,
        "new\nline.py",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "looplab.lint", "--isolated", "."],
        capture_output=True,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src"), "PYTHONUTF8": "1"},
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert done.stdout.count(b"\n") == 2
    assert b"new\\nline.py:2:5: LAG101" in done.stdout


# -- encodings -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        BAD.encode(),
        b"\xef\xbb\xbf" + BAD.encode(),
        BAD.replace("\n", "\r\n").encode(),
        BAD.replace("\n", "\r").encode(),
        b"# coding: latin-1\n" + BAD.encode() + b"x = '\xe9'\n",
        b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n"
        + BAD.encode()
        + b"#\x80",
        b"# coding: utf-8\n" + BAD.encode() + "x = '€'\n".encode(),
        b"\x0c\n" + BAD.encode(),
        BAD.rstrip().encode(),
    ],
    ids=range(9),
)
def test_encodings_and_line_ends(lint, data):
    write("a.py", data)
    run = lint("a.py")
    assert run.err == "1 file checked, 1 finding\n"
    text = decode(data)
    line = text.split("\n").index("q = asyncio.Queue()") + 1
    assert run.places == [f"a.py:{line}:5: LAG101"]


def test_an_empty_file(lint):
    write("a.py", "")
    assert lint("a.py").status == 0


def test_an_encoding_that_is_no_text():
    with pytest.raises(NotCheckedError, match="cannot be decoded"):
        decode(b"# coding: rot13\nx\n")


# -- what is walked and what is exempt -----------------------------------------------


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
    read = ["testing/a.py", "mytests/a.py", "latest.py", "contest.py", "sub/test.py"]
    for name in exempt + read:
        write(name)
    run = lint(".")
    assert sorted(one.split(":")[0] for one in run.places) == sorted(read)
    assert run.err == (
        "5 files checked, 5 findings, 6 exempt as tests (--include-tests checks them)\n"
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


# -- settings ------------------------------------------------------------------------


def settings(text: str, name: str = "pyproject.toml") -> None:
    write(name, f"[tool.looplab.lint]\n{text}\n")


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
        ("select = ['LAG9']", r"'LAG9' is no rule: there are LAG101, LAG201, LAG202"),
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


# -- JSON ----------------------------------------------------------------------------


def shape(value):
    """The keys of a JSON object and the types of its values."""
    if isinstance(value, dict):
        return {key: shape(one) for key, one in value.items()}
    if isinstance(value, list):
        return [shape(one) for one in value[:1]]
    return type(value)


def test_json_is_as_the_page_says(lint):
    write("src/feed.py", BAD)
    write("src/old.py", "print 'x'\n")
    run = lint("src", "--format=json")
    assert (run.status, run.err) == (2, "")
    data = json.loads(run.out)
    text = PAGE.read_text(encoding="utf-8")
    (printed,) = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    assert shape(data) == shape(json.loads(printed))
    assert list(data) == list(json.loads(printed))
    assert data["version"] == json.loads(printed)["version"] == 1
    assert data["summary"] == {"checked": 1, "exempt": 0, "findings": 1, "errors": 1}
    keys = ("path", "line", "column", "code", "severity")
    (finding,) = data["findings"]
    assert [finding[key] for key in keys] == ["src/feed.py", 2, 5, "LAG101", "error"]


def test_json_without_findings(lint):
    write("a.py", "")
    data = json.loads(lint("a.py", "--format", "json").out)
    assert (data["findings"], data["errors"]) == ([], [])
    data = json.loads(lint("none.py", "--format", "json").out)
    assert data["errors"] == [
        {
            "path": "none.py",
            "line": None,
            "column": None,
            "message": "there is no such file or folder",
        }
    ]


def test_text_and_json_say_the_same(lint):
    for name in ("a.py", "b.py", "sub/c.py"):
        write(name, BAD + POLLS)
    data = json.loads(lint(".", "--format", "json").out)
    assert [
        "{path}:{line}:{column}: {code} {message}".format(**one)
        for one in data["findings"]
    ] == lint(".").out.splitlines()


# -- the page ------------------------------------------------------------------------


def test_the_run_on_the_page(lint):
    text = PAGE.read_text(encoding="utf-8")
    (words, printed) = re.search(
        r"```console\n\$ looplab (lint .*?)\n(.*?)```", text, re.DOTALL
    ).groups()
    source = "import asyncio\n\n\nasync def feed():\n    # One for all.\n"
    write("src/feed.py", source + "    queue = asyncio.Queue()\n")
    assert words == "lint src"
    out = lint("src").out
    assert " ".join(printed.split()) == " ".join(out.split())


def test_the_page_lists_every_setting():
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z-]+)` \| ", text, re.MULTILINE)
    known = command.Settings.__dataclass_fields__
    assert sorted(rows) == sorted(name.replace("_", "-") for name in known)
    for pattern in EXEMPT:
        assert f"`{pattern.rstrip('/')}`" in text
