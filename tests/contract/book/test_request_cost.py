"""The small web service of chapter 3: it does its parts, and it never stays behind."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.contract.left import PATIENCE, SLOW, gone

EXAMPLES = Path(__file__).resolve().parents[3] / "book" / "examples"
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
    for name in (
        "request_cost",
        "request_cost.client",
        "request_cost.crowd",
        "request_cost.rested",
    ):
        sys.modules.pop(name, None)


def test_requests_cost_cpu_time_and_the_server_ends(server_type: Any) -> None:
    with server_type() as server:
        for way in "sequence", "gather":
            load = server.drive(way, 3, 1, 0.2)
            assert 0 < load.each < 0.1
            assert load.cpu == pytest.approx(load.each * load.answers)
        with pytest.raises(RuntimeError, match="/no_such_way/1/1: status 404"):
            server.drive("no_such_way", 1, 1, 0.1)
        process = server._process
        assert process.poll() is None
    assert process.returncode is not None


def test_one_request_is_sent_when_the_time_is_over_at_once(server_type: Any) -> None:
    with server_type() as server:
        assert server.drive("gather", 2, 1, 0.0).answers == 1
        assert server.drive("gather", 2, 1, 0.0, rate=100).answers == 1
        assert server.drive("gather", 2, 1, 0.0).each > 0


def test_the_service_and_the_load_have_a_core_each(server_type: Any) -> None:
    if not hasattr(os, "sched_getaffinity"):
        pytest.skip("the system ties no process to a core")
    before = os.sched_getaffinity(0)
    with server_type() as server:
        assert server.apart == (len(before) > 1)
        server.drive("sequence", 1, 0, 0.05)
        assert os.sched_getaffinity(0) == before
        if server.apart:
            assert os.sched_getaffinity(server._process.pid) == {server.core}
        else:
            assert server.core is None


def test_the_core_is_kept_awake_by_what_yields_to_the_service(server_type: Any) -> None:
    with server_type() as server:
        for _ in range(2):
            with server.kept_awake() as awake:
                assert awake == (server.apart and hasattr(os, "SCHED_IDLE"))
                assert server.drive("sequence", 2, 0, 0.2, rate=50).answers > 0
                if awake:
                    _, spinner = server._started
                    assert os.sched_getscheduler(spinner.pid) == os.SCHED_IDLE
                    assert os.sched_getaffinity(spinner.pid) == {server.core}
            assert len(server._started) == 1
            assert not awake or spinner.returncode is not None


def test_a_wrong_answer_is_noticed(server_type: Any) -> None:
    from request_cost.client import _Connection  # type: ignore[import-not-found]

    with server_type() as server, _Connection(server._port) as line:
        request = b"GET /sequence/2/0 HTTP/1.1\r\nHost: here\r\n\r\n"
        assert line.ask(request, b'{"parts":2}') == b'{"parts":2}'
        with pytest.raises(RuntimeError, match="/sequence/2/0: answered"):
            line.ask(request, b'{"parts":3}')


def test_a_request_of_a_crowd_takes_cpu_time(server_type: Any) -> None:
    from request_cost.crowd import cpu_of_a_request  # type: ignore[import-not-found]

    for way in "sequence", "gather":
        assert 0 < cpu_of_a_request(way, 50) < 0.1
        assert 0 < cpu_of_a_request(way, 50, 0.3) < 0.1
    with pytest.raises(KeyError, match="'both' is no way: give one of sequence"):
        cpu_of_a_request("both", 1)
    with pytest.raises(ValueError, match="0 clients send no request"):
        cpu_of_a_request("gather", 0)


def test_work_is_measured_before_and_after_a_rest(server_type: Any) -> None:
    from request_cost.rested import cpu_after_a_rest  # type: ignore[import-not-found]

    with server_type() as server, server.kept_awake():
        added = cpu_after_a_rest(server.core)
    assert set(added) == {"few", "many"}
    for warm, cold in added.values():
        assert 0 < warm < 0.1
        assert 0 < cold < 0.1


def test_the_service_stops_by_itself(server_type: Any) -> None:
    with server_type(seconds=0.5) as server:
        assert server._process.wait(PATIENCE) is not None


@pytest.mark.parametrize("which", [0, -1])
def test_the_service_ends_with_its_parent(which: int) -> None:
    program = (
        "import os; from request_cost import Server; "
        "server = Server().__enter__(); awake = server.kept_awake(); "
        "awake.__enter__(); "
        f"print(server._started[{which}].pid, flush=True); os._exit(0)"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", program],
        cwd=EXAMPLES,
        stdout=subprocess.PIPE,
        text=True,
        timeout=SLOW,
        check=True,
    )
    assert gone(int(done.stdout))
