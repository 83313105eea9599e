"""The pins, and the environments that are made of them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.left import SLOW
from tests.fast.book.spinning_loop.example import (
    EXAMPLE,
    capture_py,
    processes_with,
)


def test_no_index(tmp_path: Path) -> None:
    """The whole command with an index that nobody serves: one line, no traceback."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: refused
        index = f"http://127.0.0.1:{taken.getsockname()[1]}/simple"
        env = {**os.environ, "PIP_INDEX_URL": index, "PIP_CONFIG_FILE": os.devnull}
        env = {k: v for k, v in env.items() if k != "PIP_EXTRA_INDEX_URL"}
        done = capture_py(
            *("real", "--folder", tmp_path / "e", "--output", tmp_path / "o"),
            env=env,
            timeout=SLOW,
        )
    assert done.returncode == 3
    assert (
        "real left out: the libraries of requirements-old.txt could not be"
        in done.stderr
    )
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "o").exists()
    assert list((tmp_path / "e").iterdir()) == []


@pytest.mark.slow
def test_interrupted_while_pip_waits(tmp_path: Path) -> None:
    """An index that never answers, and a reader who has had enough."""
    with socket.socket() as index:
        index.bind(("127.0.0.1", 0))
        index.listen()
        index.settimeout(300)
        url = f"http://127.0.0.1:{index.getsockname()[1]}/simple"
        env = {**os.environ, "PIP_INDEX_URL": url, "PIP_CONFIG_FILE": os.devnull}
        env = {k: v for k, v in env.items() if k != "PIP_EXTRA_INDEX_URL"}
        with subprocess.Popen(
            [
                *(sys.executable, "-B", str(EXAMPLE / "capture.py"), "real"),
                *("--folder", str(tmp_path / "e"), "--output", str(tmp_path / "o")),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=env,
        ) as program:
            connection, _ = index.accept()
            with connection:
                program.send_signal(signal.SIGINT)
                _, err = program.communicate(timeout=SLOW)
    assert program.returncode == 130
    assert "interrupted; nothing is left running" in err
    assert "Traceback" not in err
    assert not processes_with(str(tmp_path))
