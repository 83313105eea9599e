"""The hook of .pre-commit-hooks.yaml, run by pre-commit as a user would."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools.common import ROOT


def run(*words: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, cwd=cwd, env=os.environ | more, capture_output=True, text=True,
        check=False, timeout=1800,
    )  # fmt: skip


@pytest.mark.slow  # it makes two environments, from the index
def test_the_hook_finds_what_is_committed(tmp_path):
    venv = tmp_path / "venv"
    made = run(sys.executable, "-m", "venv", str(venv), cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    binaries = venv / ("Scripts" if os.name == "nt" else "bin")
    pip = run(
        str(binaries / "python"), "-m", "pip", "install", "-q", "pre-commit",
        cwd=tmp_path,
    )  # fmt: skip
    if pip.returncode:
        pytest.skip(f"pip cannot install pre-commit: {pip.stderr.strip()[-200:]}")
    head = run("git", "rev-parse", "HEAD", cwd=ROOT)
    if head.returncode:
        pytest.skip("this is no git repository, which pre-commit needs")
    user = tmp_path / "user"
    user.mkdir()
    assert run("git", "init", "-q", cwd=user).returncode == 0
    (user / ".pre-commit-config.yaml").write_text(
        f"repos:\n  - repo: {ROOT.as_posix()}\n    rev: {head.stdout.strip()}\n"
        "    hooks:\n      - id: looplab-lint\n",
        encoding="utf-8",
    )
    bad = "import asyncio\nq = asyncio.Queue()\nasync def put(x): await q.put(x)\n"
    (user / "bad.py").write_text(bad, "utf-8")
    (user / "good.py").write_text("import asyncio\n", "utf-8")
    assert run("git", "add", ".", cwd=user).returncode == 0
    done = run(
        str(binaries / "pre-commit"), "run", "--all-files", "--color=never",
        cwd=user, PRE_COMMIT_HOME=str(tmp_path / "home"),
    )  # fmt: skip
    assert done.returncode == 1, done.stdout + done.stderr
    assert "bad.py:2:5: LAG101 " in done.stdout
    assert "good.py" not in done.stdout
