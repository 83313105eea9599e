"""One run: a service under ``looplab trace``, and a client in a process of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from looplab.diagnose import Recording, load
from tools.common import ROOT, ToolError

__all__ = ["Run", "free_port", "run"]

HERE = Path(__file__).parent
PATIENCE = 300  # seconds for a client
STOP = 20  # seconds for a service to end; a recording survives a kill


@dataclass(frozen=True)
class Run:
    """What was recorded, and what the client saw: seconds by path."""

    recording: Recording
    client: dict[str, list[float]]


def free_port() -> int:
    """A port that nobody has at this moment."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def run(
    python: Path,
    command: Sequence[str],
    asked: Sequence[str],
    *,
    seconds: float,
    seed: int,
    environ: Mapping[str, str] | None = None,
) -> Run:
    """Serve with *command*, ask, stop.

    Args:
        python: of the environment of the benchmark.
        command: words after ``looplab trace``; ``{port}`` and ``{folder}`` are filled.
        asked: ``METHOD:PATH:RATE`` for the client.
        seconds: how long it asks.
        seed: of its schedule.
        environ: more variables for the service.

    Raises:
        ToolError: if the client fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        words = [one.format(port=port, folder=folder) for one in command]
        path = Path(folder, "t.jsonl")
        trace = [str(python), "-m", "looplab", "trace", "-o", str(path)]
        service = subprocess.Popen(
            [*trace, *words],
            cwd=folder,
            env=_environ(python) | dict(environ or {}),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            done = subprocess.run(
                [python, HERE / "load.py", str(port), str(seconds), str(seed), *asked],
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
        finally:
            os.killpg(service.pid, signal.SIGINT)
            try:
                service.wait(timeout=STOP)
            except subprocess.TimeoutExpired:
                os.killpg(service.pid, signal.SIGKILL)
                service.wait()
        if done.returncode:
            raise ToolError(f"the client of {words[0]} failed: {done.stderr[-500:]}")
        client: dict[str, list[float]] = {}
        for line in done.stdout.splitlines():
            name, _, took = line.rpartition(",")
            client.setdefault(name, []).append(float(took))
        return Run(load(path)[0], client)


def _environ(python: Path) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    path = os.pathsep.join([str(python.parent), kept.get("PATH", "")])
    return kept | {"PYTHONPATH": str(ROOT / "src"), "PATH": path}
