"""Two commands at the same time: one works, the other one waits."""

from __future__ import annotations

import errno
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tools import common, site
from tools.common import ROOT, alone

HOLD = """\
import pathlib, sys, time
sys.path.insert(0, sys.argv[1])
from tools.common import alone
with alone(pathlib.Path(sys.argv[2]), "holding it"):
    print("held", flush=True)
    time.sleep(600)
"""


def test_one_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock, inside, most = tmp_path / "made" / "lock", [], []
    said, waits = [], threading.Event()

    def say(text: str) -> None:
        said.append(text)
        waits.set()

    def work(number: int) -> None:
        with alone(lock, "at work"):
            inside.append(number)
            most.append(len(inside))
            assert waits.wait(600)  # until another has found it taken
            time.sleep(0.05)
            inside.remove(number)

    monkeypatch.setattr(common, "say", say)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert most == [1] * 4
    assert set(said) == {"Waiting: another command is at work."}
    assert len(said) <= 3  # once for each that waited


def test_a_process_that_dies_lets_go(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(ROOT), str(lock)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    with holder:
        assert holder.stdout.readline() == "held\n"
        had = threading.Event()

        def wait() -> None:
            with alone(lock, "holding it"):
                had.set()

        waiting = threading.Thread(target=wait)
        waiting.start()
        assert not had.wait(0.5)
        holder.kill()
        assert had.wait(60)
        waiting.join()


def test_without_locks_nobody_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")

    def flock(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", flock)
    with alone(tmp_path / "lock", ""):
        pass


def test_an_error_lets_go(tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(ValueError, match="mine"), alone(tmp_path / "lock", ""):
            raise ValueError("mine")


def test_a_site_is_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        built.append(command)
        time.sleep(0.2)
        page = tmp_path / "_build" / "html" / "index.html"
        page.parent.mkdir(parents=True)
        page.write_text("")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(site.subprocess, "run", run)
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda _: site.build(tmp_path, tmp_path), range(3)))
    assert len(built) == 1
