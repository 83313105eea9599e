"""The suites of other projects fail nowhere on the priority loop but on the stock loop.

Each runs twice on asyncio's own loop and once on the priority loop with priorities in
use, in an environment of its own that has the project's source archive.  A test that
differs between the two stock runs is not judged.

The archive of websockets has no tests, so they come from its repository: from the
folder in the variable ``WEBSOCKETS_REPOSITORY``, or from GitHub.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
from pathlib import Path
from typing import NamedTuple

import pytest

GITHUB = "https://github.com/python-websockets/websockets"
SOURCE = Path(__file__).parents[4] / "src"

PLUGIN = f"""
import asyncio, sys
sys.path.insert(0, {str(SOURCE)!r})
from looplab.priority import PriorityEventLoop


class InUse(PriorityEventLoop):
    def __init__(self, selector=None):
        super().__init__(selector)
        self._ready.start()


InUse.__name__ = asyncio.SelectorEventLoop.__name__  # some tests are named by it
policy = getattr(asyncio, "DefaultEventLoopPolicy", None)
(policy or asyncio._DefaultEventLoopPolicy)._loop_factory = InUse
asyncio.SelectorEventLoop = asyncio.EventLoop = InUse


def pytest_report_header():
    return "loops: InUse"
"""


class Peer(NamedTuple):
    """A project: what is installed for its tests, and which of them run."""

    name: str
    version: str
    needs: tuple[str, ...]
    tests: tuple[str, ...]
    least: int  # so many pass on the stock loop


PEERS = (
    Peer("asgiref", "3.13.0", ("pytest-asyncio",), ("tests",), 100),
    Peer("janus", "2.0.0", ("pytest-asyncio", "pytest-benchmark"), ("tests",), 90),
    Peer(
        "anyio", "4.16.0",
        ("pytest-mock", "pytest-timeout", "trustme", "psutil", "hypothesis",
         "blockbuster", "truststore"),
        ("tests", "-k", "asyncio"), 900,
    ),
    Peer(
        "uvicorn", "0.54.0",
        ("pytest-mock", "trustme", "cryptography", "httpx2", "a2wsgi", "wsproto",
         "zttp", "uvicorn[standard]"),
        ("tests", "--ignore", "tests/benchmarks"), 1_000,
    ),
    Peer(
        "websockets", "17.0.1", ("werkzeug", "mitmproxy", "python-socks[asyncio]"),
        ("tests/asyncio",), 450,
    ),
)  # fmt: skip


def results(python: Path, project: Path, *words: str) -> dict[str, set[str]]:
    """The tests of a suite by how they ended."""
    command = [python, "-m", "pytest", "-rA", "-q", "--no-header", *words]
    done = subprocess.run(
        [*map(str, command), "-p", "no:cacheprovider", "-o", "addopts="],
        cwd=project, env={"PYTHONPATH": str(project.parent), "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, timeout=1_200, check=False,
    )  # fmt: skip
    ended: dict[str, set[str]] = {}
    for how, name in re.findall(
        r"^(PASSED|FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE
    ):
        ended.setdefault(how, set()).add(name)
    assert ended, done.stdout[-2_000:] + done.stderr[-2_000:]
    return ended


@pytest.mark.slow
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("peer", PEERS, ids=[peer.name for peer in PEERS])
def test_a_suite_differs_nowhere(peer: Peer, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    wanted = f"{peer.name}=={peer.version}"
    pip = [python, "-m", "pip", "--disable-pip-version-check", "-q"]
    download = ["download", "--no-deps", "--no-binary", peer.name, "-d", tmp_path]
    for words in (
        ["install", "pytest", *peer.needs, wanted],
        [*download, wanted],
    ):
        done = subprocess.run(
            [*map(str, [*pip, *words])], capture_output=True, text=True, check=False
        )
        if done.returncode:
            pytest.skip(f"no {wanted}: {done.stderr[-300:]}")
    project = sources(peer, tmp_path)
    (tmp_path / "on_priority.py").write_text(PLUGIN)
    stock = [results(python, project, *peer.tests) for _ in range(2)]
    ours = results(python, project, "-p", "on_priority", *peer.tests)
    steady = stock[0]["PASSED"] & stock[1]["PASSED"]
    assert len(steady) >= peer.least
    assert not steady - ours["PASSED"]


def sources(peer: Peer, folder: Path) -> Path:
    """The folder of the project, with its tests."""
    if peer.name == "websockets":
        project = folder / peer.name
        origin = os.environ.get("WEBSOCKETS_REPOSITORY", GITHUB)
        clone = ["git", "clone", "-q", "--branch", peer.version, origin, project]
        done = subprocess.run(
            [*map(str, clone)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            pytest.skip(f"no tests of {peer.name}: {done.stderr[-300:]}")
        shutil.rmtree(project / "src")  # the installed one is tested
        return project
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        if sys.version_info >= (3, 12):
            packed.extractall(folder, filter="data")
        else:
            packed.extractall(folder)
    (project,) = (path.parent for path in folder.glob(f"{peer.name}-*/tests"))
    return project
