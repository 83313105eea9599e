"""``make lab``: JupyterLab with every lab."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.left import SLOW
from tools import commands, environment
from tools.common import ROOT

HOST = "127.0.0.1"


def test_a_busy_port_is_one_line_before_the_environment(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(**_: object) -> None:
        raise AssertionError("the environment was made")

    monkeypatch.setattr(environment, "ensure_venv", never)
    with socket.create_server((HOST, 0)) as other:
        port = other.getsockname()[1]
        assert commands.main(["lab", "--port", str(port)]) == 1
    assert f"port {port} is busy" in capsys.readouterr().err


def test_it_starts_jupyterlab_in_its_own_environment(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[list[str]] = []

    def made(**words: object) -> Path:
        assert words == {"name": ".venv-lab", "extra": ("tools/lab_requirements.txt",)}
        return tmp_path

    class Process:
        def __init__(self, command: list[str], **_: object) -> None:
            started.append(command)

        def wait(self) -> int:
            return 3

    monkeypatch.setattr(environment, "ensure_venv", made)
    monkeypatch.setattr(commands.subprocess, "Popen", Process)
    port = str(free_port())
    with pytest.raises(SystemExit) as ended:
        commands.main(["lab", "--port", port, "--no-browser"])
    assert ended.value.code == 3
    (words,) = started
    assert words[1:4] == ["-m", "jupyterlab", str(ROOT / "notebooks")]
    assert {f"--port={port}", "--ip=127.0.0.1", "--no-browser"} <= set(words)
    labs = len(list((ROOT / "notebooks").glob("*.ipynb")))
    said = capsys.readouterr().out
    assert f"opens {labs} labs" in said
    assert "changes the files in notebooks/" in said


def test_every_pin_is_exact_and_in_one_list_only() -> None:
    def pins(name: str) -> dict[str, str]:
        text = (ROOT / name).read_text("utf-8")
        lines = [line.split("#")[0].split(";")[0].strip() for line in text.splitlines()]
        pairs = [line.split("==") for line in lines if line]
        return {re.sub("[-_.]+", "-", key.strip().lower()): pin for key, pin in pairs}

    lab = pins("tools/lab_requirements.txt")
    assert "jupyterlab" in lab
    assert not lab.keys() & pins("requirements.txt").keys()


def free_port() -> int:
    with socket.create_server((HOST, 0)) as server:
        port: int = server.getsockname()[1]
        return port


@pytest.mark.full
@pytest.mark.skipif(os.name == "nt", reason="is ended by a signal of POSIX")
def test_jupyterlab_answers_and_ends(tmp_path: Path) -> None:
    port = free_port()
    log = (tmp_path / "log").open("w+b")
    words = ["lab", "--port", str(port), "--no-browser", "--IdentityProvider.token=key"]
    process = subprocess.Popen(
        [sys.executable, "tools/run.py", *words],
        cwd=ROOT,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )

    def ask(path: str) -> bytes:
        address = f"http://{HOST}:{port}/{path}?token=key"
        with urllib.request.urlopen(address, timeout=SLOW) as answer:
            assert answer.status == 200
            content: bytes = answer.read()
            return content

    def said() -> str:
        log.seek(0)
        return log.read().decode(errors="replace")

    try:
        limit = time.monotonic() + 900  # the environment may have to be made
        while True:
            assert process.poll() is None, said()
            assert time.monotonic() < limit, said()
            try:
                page = ask("lab")
                break
            except (OSError, urllib.error.URLError):
                time.sleep(0.5)
        assert b"JupyterLab" in page
        listed = {item["name"] for item in json.loads(ask("api/contents"))["content"]}
        assert {path.name for path in (ROOT / "notebooks").glob("*.ipynb")} <= listed
        kernels = json.loads(ask("api/kernelspecs"))["kernelspecs"]
        assert "python3" in kernels
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130, said()
        socket.create_server((HOST, port)).close()  # nobody listens any more
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        log.close()
