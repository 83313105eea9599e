"""Files that cannot be checked: the rest is."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fast.looplab.lint.command.runs import write
from tools.common import ROOT


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
