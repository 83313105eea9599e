"""The output, or the input, is not there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fast.looplab.lint.command.runs import BAD, write
from tools.common import ROOT


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
