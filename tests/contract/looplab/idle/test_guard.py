"""The guard beside real threads; a count lasts until a state, not for a time.

What it judges is tested on a clock of its own, in ``tests/fast``.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from looplab import idle
from looplab.idle import BusyLoopError, assert_idle, assert_idle_here, running_loops
from tests.contract.looplab.fresh import python
from tests.contract.looplab.idle.opened import Poller, in_thread, wait

LastsUntil = Callable[[Callable[[], object]], None]


def answers(loop: asyncio.AbstractEventLoop) -> Callable[[], bool]:
    """Whether the loop has run something that was asked of it since the first look."""
    asked: list[asyncio.Future[None]] = []

    async def answer() -> None: ...

    def answered() -> bool:
        if not asked:
            asked.append(asyncio.run_coroutine_threadsafe(answer(), loop))  # type: ignore[arg-type]
        return asked[0].done()

    return answered


def test_a_loop_that_polls_and_one_that_waits(lasts_until: LastsUntil) -> None:
    poller = Poller()
    with in_thread(wait, name="good") as good:
        with in_thread(poller.poll) as mine:
            assert {mine.loop, good.loop} <= set(running_loops())
            lasts_until(poller.asks(100))
            with pytest.raises(BusyLoopError) as caught:
                assert_idle(settle=0)
            words = str(caught.value)
            assert "in thread 'mine'" in words and "'good'" not in words
            assert "task 'work' at opened.py:" in words
            assert caught.value.turns.by_loop[mine.loop].turns >= 99
        lasts_until(answers(good.loop))
        assert assert_idle(settle=0).most <= 4


def test_the_blocking_portal_of_anyio(lasts_until: LastsUntil) -> None:
    anyio = pytest.importorskip("anyio")
    from_thread = pytest.importorskip("anyio.from_thread")
    poller = Poller()

    async def polling() -> None:
        while True:
            poller.asked += 1
            await anyio.sleep(0)

    with from_thread.start_blocking_portal() as portal:
        task = portal.start_task_soon(polling, name="poller")
        lasts_until(poller.asks(100))
        with pytest.raises(BusyLoopError, match=r"'poller' at test_guard"):
            assert_idle(settle=0)
        task.cancel()


def test_the_test_client_of_starlette(lasts_until: LastsUntil) -> None:
    try:
        from starlette.testclient import TestClient
    except (ImportError, RuntimeError) as error:
        pytest.skip(f"no test client: {error}")
    from starlette.applications import Starlette
    from starlette.routing import WebSocketRoute
    from starlette.websockets import WebSocket

    async def endpoint(socket: WebSocket) -> None:
        await socket.accept()
        await socket.receive_text()

    client = TestClient(Starlette(routes=[WebSocketRoute("/ws", endpoint)]))
    with (
        client.websocket_connect("/ws") as first,
        client.websocket_connect("/ws") as second,
    ):
        lasts_until(lambda: True)
        assert len(assert_idle(turns=1000, settle=0).by_loop) == 2
        first.send_text("over")
        second.send_text("over")


def test_it_waits_beside_the_loop_itself() -> None:
    async def main() -> int:
        return (await assert_idle_here(seconds=0.01, settle=0)).most

    assert asyncio.run(main()) <= 4


def test_the_guard_is_a_folder_that_can_be_copied(tmp_path: Path) -> None:
    """It needs nothing else of looplab, installed or not."""
    shutil.copytree(Path(str(idle.__file__)).parent, tmp_path / "guard")
    code = (
        "import asyncio, sys\nsys.modules['looplab'] = None\n"
        "from guard import assert_idle_here\n"
        "turns = asyncio.run(assert_idle_here(seconds=0.01))\n"
        "print(turns.total < 9, [n for n in sys.modules if n.startswith('looplab.')])"
    )
    done = python("-c", code, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("True []\n", "")
