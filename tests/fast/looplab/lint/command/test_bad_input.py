"""Files that cannot be checked: the rest is."""

from __future__ import annotations

import json
import os
import re
import warnings
from pathlib import Path

import pytest

from looplab.lint.paths import NotCheckedError, decode
from tests.fast.looplab.lint.command.runs import BAD, settings, write


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
