"""A baseline of old findings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.fast.looplab.lint.command.runs import BAD, POLLS, settings, write


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
