"""The small web service of chapter 3: it does its parts, and it never stays behind."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "book" / "examples"
pytestmark = pytest.mark.skipif(
    not EXAMPLES.is_dir()
    or any(importlib.util.find_spec(p) is None for p in ("uvicorn", "starlette")),
    reason="the book, uvicorn or starlette is not here",
)


@pytest.fixture
def server_type(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    from request_cost import Server  # type: ignore[import-not-found]

    yield Server
    for name in ("request_cost", "request_cost.client", "request_cost.crowd"):
        sys.modules.pop(name, None)


def test_requests_cost_cpu_time_and_the_server_ends(server_type: Any) -> None:
    with server_type() as server:
        for way in "sequence", "gather":
            assert 0 < server.cost(way, 3, 1, 40) < 0.1
        with pytest.raises(RuntimeError, match="/no_such_way/1/1: status 404"):
            server.cost("no_such_way", 1, 1, 4)
        process = server._process
        assert process.poll() is None
    assert process.returncode is not None


def test_a_saturated_server_answers_and_says_its_share(server_type: Any) -> None:
    with server_type() as server:
        served, share = server.saturate("gather", 2, 1, 0.3)
        assert served > 0
        assert 0 < share < 1.5
        with pytest.raises(RuntimeError, match="/no_such_way/1/1: status 404"):
            server.saturate("no_such_way", 1, 1, 0.1)


def test_a_request_of_a_crowd_takes_cpu_time(server_type: Any) -> None:
    from request_cost.crowd import cpu_of_a_request  # type: ignore[import-not-found]

    for way in "sequence", "gather":
        assert 0 < cpu_of_a_request(way, 50) < 0.1
    with pytest.raises(KeyError, match="'both' is no way: give one of sequence"):
        cpu_of_a_request("both", 1)
    with pytest.raises(ValueError, match="0 clients send no request"):
        cpu_of_a_request("gather", 0)


def test_the_service_stops_by_itself(server_type: Any) -> None:
    with server_type(seconds=0.5) as server:
        assert server._process.wait(10) is not None


def test_the_service_ends_with_its_parent() -> None:
    program = (
        "import os; from request_cost import Server; server = Server().__enter__(); "
        "print(server._process.pid, flush=True); os._exit(0)"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", program],
        cwd=EXAMPLES,
        stdout=subprocess.PIPE,
        text=True,
        timeout=60,
        check=True,
    )
    number = int(done.stdout)
    for _ in range(500):
        try:
            os.kill(number, 0)
        except ProcessLookupError:
            return
        if Path(f"/proc/{number}/stat").exists():
            stat = Path(f"/proc/{number}/stat").read_text()
            if stat.rpartition(")")[2].split()[0] == "Z":
                return
        time.sleep(0.01)
    pytest.fail("the service is still running")
