"""The command `looplab lint`: files, bad input, settings, output, exit status."""

from __future__ import annotations

import io
import json
import os
import re
import socket
import subprocess
import sys
import threading
import types
import warnings
from pathlib import Path

import pytest

from looplab.cli import main
from looplab.lint import command
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
        "book.ipynb is not a notebook of format 4",
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


def test_a_huge_file_is_skipped_with_a_note(lint, stdin):
    write("huge.py", BAD + "#" * 1_000_000)
    write("good.py")
    run = lint(".")
    assert run.status == 1
    assert run.err == (
        "huge.py: note: skipped: it has 1,000,035 bytes, more than 1,000,000 "
        "(--max-bytes 0 checks it)\n"
        "1 file checked, 1 finding, 1 skipped for their size\n"
    )
    assert run.places == ["good.py:2:5: LAG101"]
    assert len(lint(".", "--max-bytes", "0").places) == 2
    assert len(lint(".", "--max-bytes", "2000000").places) == 2
    assert lint(".", "--max-bytes", "10").places == []
    data = json.loads(lint(".", "--format", "json").out)
    assert [one["path"] for one in data["skipped"]] == ["huge.py"]
    assert data["summary"]["skipped"] == 1
    stdin((BAD + "#" * 1_000_000).encode())
    run = lint("-")
    assert (run.status, run.out) == (0, "")
    assert "<stdin>: note: skipped: it has more than 1,000,000 bytes" in run.err
    settings("max-bytes = 0")
    assert len(lint(".").places) == 2


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


# -- what users of linters expect --------------------------------------------------


def test_explain(lint):
    run = lint("--explain", "LAG201")
    assert (run.status, run.err) == (0, "")
    assert run.out.startswith("## LAG201: polling with sleep(0)\n")
    assert lint("--explain", "lag101-await").out.startswith("### Producers that await")
    run = lint("--explain", "E501")
    assert (run.status, run.out) == (2, "")
    assert "there is no 'E501' to explain: there are lag101, " in run.err


def test_statistics(lint):
    write("a.py", BAD * 11 + POLLS)
    assert lint("a.py", "--statistics").out.splitlines()[-2:] == [
        "11  LAG101  channel that can grow without limit",
        " 1  LAG201  polling with sleep(0)",
    ]
    write("b.py", "")
    assert lint("b.py", "--statistics").out == ""


def test_exit_zero(lint):
    write("a.py")
    run = lint("a.py", "--exit-zero")
    assert (run.status, len(run.places)) == (0, 1)
    assert lint("a.py", "none.py", "--exit-zero").status == 2


def test_per_file_ignores(lint):
    write("a.py", BAD + POLLS)
    write("sub/b.py", BAD + POLLS)

    def places(*words):
        return [re.sub(":.*:", "", one) for one in lint(".", *words).places]

    every = ["a.py LAG101", "a.py LAG201", "sub/b.py LAG101", "sub/b.py LAG201"]
    assert places() == every
    assert places("--per-file-ignores", "sub/:LAG101,LAG2") == every[:2]
    assert places(
        "--per-file-ignores", "a.py:LAG1", "--per-file-ignores", "b.py:LAG2"
    ) == [every[1], every[2]]
    settings('per-file-ignores = { "a.py" = ["LAG201"], "sub/*.py" = ["LAG"] }')
    assert places() == [every[0]]
    for words in ("a.py", "a.py:", ":LAG101", "a.py:E501"):
        run = lint(".", "--per-file-ignores", words)
        assert (run.status, run.out) == (2, "")


def test_a_baseline(lint):
    write("src/a.py")
    write("src/b.py", POLLS)
    run = lint("src", "--baseline", "known.json", "--update-baseline")
    assert (run.status, run.out) == (0, "")
    assert run.err == "2 files checked, 0 findings, 2 known from the baseline\n"
    assert lint("src", "--baseline", "known.json").status == 0
    # Lines may come above; a second finding of the same text is new.
    write("src/a.py", "# A line.\n" + BAD)
    assert lint("src", "--baseline", "known.json").status == 0
    write("src/a.py", BAD + "q = asyncio.Queue()\n")
    run = lint("src", "--baseline", "known.json")
    assert run.places == ["src/a.py:3:5: LAG101"]
    os.chdir("src")
    settings('baseline = "known.json"', "../pyproject.toml")
    assert lint(".").places == ["a.py:3:5: LAG101"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "there is no baseline known.json: make it with --update-baseline"),
        ("[]", "known.json is no baseline: make it anew"),
        ("{", "known.json is no baseline: make it anew"),
        ('{"findings": [{"path": "a"}]}', "known.json is no baseline: make it anew"),
        (b"\xff", "known.json is no baseline: make it anew"),
    ],
)
def test_a_baseline_that_is_none(lint, data, said):
    write("a.py")
    if data is not None:
        write("known.json", data)
    run = lint("a.py", "--baseline", "known.json")
    assert (run.status, run.out) == (2, "")
    assert said in run.err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_baseline_does_not_replace_a_device(lint):
    write("a.py")
    os.mkfifo("pipe")
    got = []
    reader = threading.Thread(target=lambda: got.append(Path("pipe").read_text()))
    reader.start()
    run = lint("a.py", "--baseline", "pipe", "--update-baseline")
    reader.join()
    assert run.status == 0
    assert Path("pipe").is_fifo()
    assert json.loads(got[0])["findings"]


def test_a_baseline_that_cannot_be_written(lint):
    write("a.py")
    run = lint("a.py", "--baseline", "none/known.json", "--update-baseline")
    assert run.status == 2
    assert "none/known.json cannot be written: No such file" in run.err
    assert "--update-baseline needs --baseline FILE" in lint("--update-baseline").err
    Path("folder").mkdir()
    run = lint("a.py", "--baseline", "folder", "--update-baseline")
    assert run.status == 2
    assert "folder cannot be written" in run.err
    assert sorted(path.name for path in Path().iterdir()) == [
        "a.py",
        "folder",
        "pyproject.toml",
    ]


def test_github(lint):
    write("a,b:c%.py", "import asyncio\nq = asyncio.Queue()\n")
    run = lint("a,b:c%.py", "none.py", "--format", "github")
    assert run.status == 2
    first, second = run.out.splitlines()
    assert first.startswith(
        "::warning file=a%2Cb%3Ac%25.py,line=2,endLine=2,col=5,endColumn=20,"
        "title=LAG101 lag101-elsewhere::LAG101 asyncio.Queue() has"
    )
    assert second == (
        "::error file=none.py,line=1,title=not checked::there is no such file or folder"
    )
    write("good.py", "")
    assert lint("good.py", "--format", "github").out == ""


def test_sarif(lint):
    write("a b/é.py", "import asyncio\nx = '€', asyncio.Queue()\n")
    write("bad.py", "def f(:\n")
    run = lint(".", "--format", "sarif")
    assert run.status == 2
    log = json.loads(run.out)
    assert log["version"] == "2.1.0"
    (one,) = log["runs"]
    rules = one["tool"]["driver"]["rules"]
    (result,) = one["results"]
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == "LAG101"
    assert result["level"] == "warning"
    assert result["properties"]["section"] == "lag101-elsewhere"
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "a%20b/%C3%A9.py"
    assert place["region"] == {
        "startLine": 2,
        "startColumn": 10,
        "endLine": 2,
        "endColumn": 25,
    }
    # What the schema of 2.1.0 asks for.
    assert set(log) == {"$schema", "version", "runs"}
    assert log["$schema"].endswith("sarif-2.1.0.json")
    assert one["tool"]["driver"]["name"]
    assert one["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
    assert len({rule["id"] for rule in rules}) == len(rules)
    for rule in rules:
        assert rule["shortDescription"]["text"]
        level = rule["defaultConfiguration"]["level"]
        assert level in ("none", "note", "warning", "error")
    assert result["level"] in ("none", "note", "warning", "error")
    assert result["message"]["text"]
    (invocation,) = one["invocations"]
    for notification in invocation["toolExecutionNotifications"]:
        assert notification["message"]["text"]
    assert invocation["executionSuccessful"] is False
    assert len(invocation["toolExecutionNotifications"]) == 1


def test_all_formats_say_the_same(lint):
    for name in ("a.py", "b.py"):
        write(name, BAD + POLLS + STRAIGHT)
    more = ("--extend-select", "LAG202")
    text = len(lint(".", *more).places)
    data = json.loads(lint(".", "--format", "json", *more).out)
    log = json.loads(lint(".", "--format", "sarif", *more).out)
    lines = lint(".", "--format", "github", *more).out.splitlines()
    assert len(data["findings"]) == len(log["runs"][0]["results"]) == len(lines) == text
    assert data["summary"]["by_code"] == {"LAG101": 2, "LAG201": 2, "LAG202": 2}
    for one in data["findings"]:
        end = (one["end_line"], one["end_column"])
        assert end > (one["line"], one["column"])
        assert one["section"].startswith(one["code"].lower())


def test_how_many_files_cannot_be_parsed(lint):
    write("a.py", "x = 1\n")
    write("b.py", "def f(:\n")
    write("c.py", b"\xff")
    run = lint(".")
    version = "{}.{}".format(*sys.version_info)
    assert run.err.splitlines()[-1] == (
        "1 file checked, 0 findings, 2 not checked, "
        f"1 file that Python {version} cannot parse"
    )


# -- notebooks -----------------------------------------------------------------------


def notebook(*cells, **metadata) -> str:
    kinds = [
        ("markdown", one[1:]) if one[:1] == "#" else ("code", one) for one in cells
    ]
    return json.dumps(
        {
            "nbformat": 4,
            "metadata": metadata,
            "cells": [
                {"cell_type": kind, "source": text.splitlines(keepends=True)}
                for kind, text in kinds
            ],
        }
    )


def test_a_notebook(lint):
    cells = (
        "import asyncio\n%matplotlib inline\n!ls",
        "#Words about asyncio.Queue().",
        "%%bash\necho asyncio.Queue(",
        "x = 1\nqueue = asyncio.Queue()\nfiles = !ls\nasyncio?",
        "%%time\nasync for x in y:\n    await queue.put(x)",
        "q = asyncio.Queue()  # noqa: LAG101\nawait asyncio.sleep(1)",
    )
    write("a.ipynb", notebook(*cells))
    run = lint(".")
    assert run.out == (
        "a.ipynb:cell 4:2:9: LAG101 asyncio.Queue() grows: pass maxsize=1, so that "
        "'await put()' in cell 5 line 3 waits [lag101-await]\n"
    )
    (one,) = json.loads(lint(".", "--format", "json").out)["findings"]
    assert (one["cell"], one["line"], one["end_line"]) == (4, 2, 2)
    (result,) = json.loads(lint(".", "--format=sarif").out)["runs"][0]["results"]
    assert result["properties"]["cell"] == 4
    assert "cell 4" in lint(".", "--format=github").out
    assert len(lint(".", "--disable-noqa").places) == 2


def test_a_notebook_that_is_none(lint):
    write("a.ipynb", "x = 1")
    write("b.ipynb", '{"cells": 3}')
    write("c.ipynb", notebook("x = 1", "y = (\nz"))
    write("d.ipynb", notebook("x <- 1", kernelspec={"language": "R"}))
    write("e.ipynb", notebook())
    run = lint(".")
    assert run.status == 2
    assert run.errors[:2] == [
        "a.ipynb:1:1: error: is not a notebook of format 4",
        "b.ipynb:1:1: error: is not a notebook of format 4",
    ]
    assert re.match(r"c.ipynb:cell 2:\d:\d: error: Python 3.* cannot", run.errors[2])
    assert len(run.errors) == 3


# -- the output, and the input, are not there ----------------------------------------


def shell(line):
    return subprocess.run(
        ["/bin/sh", "-c", line.replace("LINT", f"{sys.executable} -m looplab.lint")],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        check=False,
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("LINT - <&-", "<stdin>:1:1: error: standard input is closed"),
        ("LINT a.py >&-", "looplab: error: the output cannot be written: it is closed"),
        ("LINT a.py >/dev/full", "cannot be written: No space left on device"),
        ("LINT --format json a.py >/dev/full", "cannot be written: No space left"),
        ("LINT --explain LAG101 >/dev/full", "cannot be written: No space left"),
    ],
)
def test_one_line_and_status_2(line, said):
    if "/dev/full" in line and not Path("/dev/full").is_char_device():
        pytest.skip("there is no /dev/full here")
    write("a.py")
    done = shell(line)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    lines = [one for one in done.stderr.splitlines() if "error" in one]
    assert len(lines) == 1


@pytest.mark.parametrize("words", ["--help", "--explain LAG101", "a.py"])
def test_no_room_for_the_output(words):
    """A limit for files does what a full device does."""
    write("a.py")
    done = shell(f"ulimit -f 0; LINT {words} >out.txt")
    assert done.returncode == 2
    (line,) = [one for one in done.stderr.splitlines() if "checked" not in one]
    assert line.startswith("looplab: error: the output cannot be written: ")


@pytest.mark.parametrize(
    ("words", "status"),
    [("--wrong", 2), ("none.py", 2), ("--config none.toml", 2), ("a.py", 1)],
)
def test_with_standard_error_closed_nothing_goes_elsewhere(words, status):
    write("a.py")
    done = shell(f"LINT {words} 2>&-")
    assert (done.returncode, done.stderr) == (status, "")
    assert [one[:5] for one in done.stdout.splitlines()] == ["a.py:"] * (status == 1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--baseline bad.json", "bad.json is no baseline: make it anew"),
        ("--baseline none.json", "there is no baseline none.json"),
        ("--config bad.toml", "bad.toml"),
        ("--config none.toml", "none.toml"),
    ],
)
def test_a_bad_file_is_one_line_and_no_usage(words, said):
    write("a.py")
    write("bad.json", "[]")
    write("bad.toml", "[tool.looplab.lint]\nwrong = 1\n")
    done = shell(f"LINT a.py {words}")
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("looplab lint: error: ")
    assert said in line


def test_who_has_seen_enough(lint):
    write("a.py", BAD * 3000)
    done = shell("LINT a.py | head -1")
    assert (done.returncode, done.stderr) == (0, "")


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
    assert list(data["findings"][0]) == list(json.loads(printed)["findings"][0])
    assert data["summary"] == json.loads(printed)["summary"]
    keys = ("path", "line", "column", "code", "severity")
    (finding,) = data["findings"]
    assert [finding[key] for key in keys] == ["src/feed.py", 2, 5, "LAG101", "warning"]


def test_json_without_findings(lint):
    write("a.py", "")
    data = json.loads(lint("a.py", "--format", "json").out)
    assert (data["findings"], data["errors"]) == ([], [])
    data = json.loads(lint("none.py", "--format", "json").out)
    assert data["errors"] == [
        {
            "path": "none.py",
            "cell": None,
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
        "{path}:{line}:{column}: {code} {message} [{section}]".format(**one)
        for one in data["findings"]
    ] == lint(".").out.splitlines()


# -- the page ------------------------------------------------------------------------


def test_the_run_on_the_page(lint):
    text = PAGE.read_text(encoding="utf-8")
    (words, printed) = re.search(
        r"```console\n\$ looplab (lint src)\n(src.*?)```", text, re.DOTALL
    ).groups()
    source = "import asyncio\n\n\nasync def feed(lines):\n    # One for all.\n"
    source += (
        "    queue = asyncio.Queue(); start(queue)\n    async for line in lines:\n"
    )
    write("src/feed.py", source + "        await queue.put(line)\n")
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
