"""What `looplab trace` and `who` refuse before anything is started."""

from __future__ import annotations

import pytest

from looplab import cli


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "p.py").write_text("print('ran')")
    return tmp_path


def outcome(capsys, *words):
    """The status of a command and what it said."""
    try:
        status = cli.main(list(words))
    except SystemExit as exc:
        status = exc.code
    return status, capsys.readouterr()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing.py"], "'nothing.py'"),
        (["-o", "no/where.jsonl", "p.py"], "cannot write no/where.jsonl"),
        (["-o", "folder", "p.py"], "folder exists and is not a recording"),
        (["-o", "p.py", "p.py"], "p.py exists and is not a recording"),
    ],
)
def test_what_cannot_be_started_is_one_line(folder, capsys, words, said):
    status, seen = outcome(capsys, "trace", *words)
    assert (status, seen.out) == (2, "")
    assert said in seen.err
    assert len(seen.err.splitlines()) == 1


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--for", "soon", "p.py"],
        ["--for", "0", "p.py"],
    ],
)
def test_bad_usage(capsys, words):
    status, seen = outcome(capsys, "trace", *words)
    assert status == 2
    assert seen.err.startswith("usage: looplab trace")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not a trace of looplab"),
        ("{}", "its format is None"),
        ('{"format":"looplab-trace/6"}', "holds no callback"),
        ('{"format":"looplab-trace/2"}', "its format is 'looplab-trace/2'"),
        ('{"format":"looplab-trace/6"}\nnonsense\n{}\n', "holds no callback"),
    ],
)
def test_what_is_no_recording_is_one_line(folder, capsys, text, said):
    (folder / "x").write_text(text, encoding="utf-8")
    status, seen = outcome(capsys, "who", "x")
    assert status == 2
    assert said in seen.err
    assert len(seen.err.splitlines()) == 1


def test_a_folder_is_no_recording(folder, capsys):
    status, seen = outcome(capsys, "who", ".")
    assert status == 2
    assert len(seen.err.splitlines()) == 1
