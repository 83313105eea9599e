"""The command `looplab`: its words, its help, how it ends."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.contract.left import SLOW
from tests.contract.looplab.fresh import ENVIRON, python

SOURCE = "import asyncio\nq = asyncio.Queue()\nasync def put(x): await q.put(x)\n"


@pytest.mark.parametrize("module", ["looplab", "looplab.cli", "looplab.lint"])
def test_the_modules_are_commands_too(module, tmp_path):
    path = tmp_path / "a.py"
    path.write_text(SOURCE, encoding="utf-8")
    words = [] if module == "looplab.lint" else ["lint"]
    done = python("-m", module, *words, "--isolated", str(path), cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout.startswith(
        f"{path}:2:5: LAG101 asyncio.Queue() grows: callers of put() put (line 3)"
    )
    assert done.stderr == ""


def test_a_reader_that_has_seen_enough(tmp_path):
    polls = "async def f(x):\n    while x: await asyncio.sleep(0)\n" * 1000
    (tmp_path / "a.py").write_text(SOURCE + polls, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "looplab.lint", "--isolated", "a.py"],
        cwd=tmp_path,
        env=ENVIRON,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout.readline().startswith(b"a.py:2:5: LAG101")
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=SLOW) == 141
    assert err == b""
