"""``python -m ontime.crossthread``."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.contract.left import SLOW


def command(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ontime.crossthread", *words],
        capture_output=True,
        text=True,
        timeout=SLOW,
        check=False,
    )


def test_command() -> None:
    done = command("queue", "--seconds", "0.05")
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("ready ")
    assert [line.split()[0] for line in done.stdout.splitlines()] == [
        "hops",
        "messages",
        "idle",
    ]
    # Where much else runs, one loop may have no turn in so short a time.
    for seconds in 0.1, 0.2, 0.4, 0.8, 1.6:
        done = command("poll", "--seconds", str(seconds), "--json")
        found = json.loads(done.stdout)
        if min(found["idle"]["turns"]) > 10:
            break
    assert min(found["idle"]["turns"]) > 10
    assert found["sessions"] == 2
    assert found["hops"]["mean_s"] > 0
    assert set(found["loops_that_wait"]) == {"for_lock", "for_core"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["pole"], "invalid choice: 'pole'"),
        (["poll", "--sessions", "0"], "--sessions is 0: give 1 or more"),
        (["poll", "--cores", "0"], "count is 0: give 1 or more"),
        (["poll", "--seconds", "0"], "seconds is 0.0 s: give a finite number"),
        (["poll", "--seconds", "x"], "invalid float value: 'x'"),
        ([], "the following arguments are required: way"),
    ],
)
def test_command_refuses(words: list[str], said: str) -> None:
    done = command(*words)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
