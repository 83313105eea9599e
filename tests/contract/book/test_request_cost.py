"""The small web service of chapter 3: it does its parts, and it never stays behind."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.left import PATIENCE, gone
from tests.contract.looplab.fresh import python
from tests.contract.looplab.idle.opened import wait_until
from tools.common import ROOT

EXAMPLES = ROOT / "book" / "examples"
pytestmark = pytest.mark.skipif(
    not EXAMPLES.is_dir()
    or any(importlib.util.find_spec(p) is None for p in ("uvicorn", "starlette")),
    reason="the book, uvicorn or starlette is not here",
)


@pytest.fixture(scope="module")
def server_type() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(EXAMPLES))
        from request_cost import Server  # type: ignore[import-not-found]

        yield Server
    for name in [name for name in sys.modules if name.startswith("request_cost")]:
        sys.modules.pop(name)


def test_requests_cost_cpu_time_and_a_wrong_answer_is_noticed(server_type: Any) -> None:
    from request_cost.client import _Connection  # type: ignore[import-not-found]

    with server_type() as server:
        # One request is sent when the time is over at once.
        load = server.drive("gather", 3, 1, 0.0)
        assert load.answers == 1 and 0 < load.each == pytest.approx(load.cpu)
        with pytest.raises(RuntimeError, match="/no_such_way/1/1: status 404"):
            server.drive("no_such_way", 1, 1, 0.1)
        with _Connection(server._port) as line:
            request = b"GET /sequence/2/0 HTTP/1.1\r\nHost: here\r\n\r\n"
            assert line.ask(request, b'{"parts":2}') == b'{"parts":2}'
            with pytest.raises(RuntimeError, match="/sequence/2/0: answered"):
                line.ask(request, b'{"parts":3}')


@pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity"), reason="no process is tied to a core"
)
def test_the_service_has_a_core_that_is_kept_awake(server_type: Any) -> None:
    before = os.sched_getaffinity(0)
    with server_type() as server, server.kept_awake() as awake:
        assert awake == server.apart == (len(before) > 1)
        assert server.drive("sequence", 2, 0, 0.2, rate=50).answers > 0
        if awake:
            _, spinner = server._started
            assert os.sched_getscheduler(spinner.pid) == os.SCHED_IDLE
            for process in (spinner, server._process):
                assert os.sched_getaffinity(process.pid) == {server.core}
    assert not awake or spinner.returncode is not None
    assert os.sched_getaffinity(0) == before


def test_the_service_stops_by_itself_and_with_its_parent(server_type: Any) -> None:
    with server_type(seconds=0.5) as server:
        assert server._process.wait(PATIENCE) is not None
    program = (
        "import os; from request_cost import Server; "
        "server = Server().__enter__(); awake = server.kept_awake(); "
        "awake.__enter__(); "
        "print(*(each.pid for each in server._started), flush=True); os._exit(0)"
    )
    done = python("-B", "-c", program, cwd=EXAMPLES)
    started = [*map(int, done.stdout.split())]
    wait_until(lambda: all(map(gone, started)))
