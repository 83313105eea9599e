"""The commands of chapter 8 run as they are printed, in an environment of their own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

from tools.common import ROOT
from tools.environment import clean_environ

fcntl = pytest.importorskip("fcntl")  # there is none on Windows
termios = pytest.importorskip("termios")

PAGE = ROOT / "book" / "08_your_program.md"
BLOCKS = re.findall(r"^```console\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
PINNED = {
    name: line
    for line in (ROOT / "requirements.in").read_text("utf-8").splitlines()
    for name in ("starlette", "uvicorn", "websockets")
    if line.startswith(f"{name}==")
}
APP = """
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

def answer(request):
    sum(range(200_000))
    return PlainTextResponse("welcome")

app = Starlette(routes=[Route("/login", answer, methods=["POST"])])
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="typed into a POSIX shell"),
]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the steps need of the project, and a fresh environment without looplab."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("book/examples", "src/looplab", "src/ontime"):
        shutil.copytree(
            ROOT / name,
            folder / name,
            ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"),
        )
    subprocess.run([sys.executable, "-m", "venv", folder / ".venv"], check=True)
    packages = ["./src/looplab", "./src/ontime", *PINNED.values()]
    typed(folder, f"python -m pip install -q {' '.join(packages)}")
    return folder


def command(folder: Path, line: str) -> dict[str, object]:
    """How a line is typed in the folder of the project, in its environment."""
    return {
        "args": ["bash", "-ec", f". .venv/bin/activate\n{line}"],
        "cwd": folder,
        "env": {**clean_environ(folder / ".venv"), "BROWSER": "true"},
        "stdout": subprocess.PIPE,
        "stderr": subprocess.STDOUT,
        "text": True,
    }


def typed(folder: Path, line: str, *statuses: int) -> str:
    """What a command prints that ends with 0, or one of the other *statuses*."""
    done = subprocess.run(**command(folder, line), check=False)  # type: ignore[call-overload]
    assert done.returncode in (0, *statuses), f"{line}\n{done.stdout}"
    return str(done.stdout)


def take_terminal() -> None:
    """In a new process: be what a terminal has in its foreground."""
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@contextmanager
def running(folder: Path, line: str, says: str) -> Iterator[str]:
    """A server that is typed, and its port, as it *says* it, until Ctrl-C."""
    keyboard, terminal = os.openpty()
    with subprocess.Popen(  # type: ignore[call-overload]
        **command(folder, line),
        stdin=terminal,
        preexec_fn=take_terminal,
    ) as server:
        printed = ""
        try:
            for text in server.stdout:
                printed += text
                if match := re.search(says, text):
                    yield match.group(1)
                    break
        finally:
            os.write(keyboard, b"\x03")  # Ctrl-C
            printed += server.stdout.read()
            os.close(terminal)
            os.close(keyboard)
    assert "Traceback" not in printed, printed
    assert match, printed


def client(port: str) -> str:
    (line,) = (block for block in BLOCKS if "service.load" in block)
    return "cd book/examples; " + line.replace("PORT", port).replace("60", "2")


def test_the_shop_is_measured_and_recorded(project: Path) -> None:
    (start,) = (block for block in BLOCKS if "activate" in block)
    with running(project, start, r"^(\d+)$") as port:
        assert "p50" in typed(project, client(port))
    (trace,) = (block for block in BLOCKS if "-o slow.jsonl" in block)
    with running(project, f"cd book/examples; {trace}", r"^(\d+)$") as port:
        typed(project, client(port))
    assert "POST /login" in typed(project, "looplab who book/examples/slow.jsonl")


def test_a_program_of_ones_own_is_asked(project: Path) -> None:
    (block,) = (block for block in BLOCKS if "app:app" in block)
    install, trace, who, what_if, show = block.splitlines()
    typed(project, install)
    (project / "app.py").write_text(APP, "utf-8")
    with running(project, f"{trace} --port 0", r"http://127.0.0.1:(\d+)") as port:
        for _ in range(20):
            with urlopen(f"http://127.0.0.1:{port}/login", b"") as answer:
                assert answer.read() == b"welcome"
    assert "POST /login" in typed(project, who)
    typed(project, what_if, 3)  # 3: the machine had no core to spare
    typed(project, show)
