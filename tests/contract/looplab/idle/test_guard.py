"""The guard: a loop that polls fails it, one that waits passes it.

A count that must find something lasts until there is something to find, however slow
the machine is: see ``lasts_until``.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from looplab import idle
from looplab.idle import (
    BusyLoopError,
    assert_idle,
    assert_idle_here,
    count_turns,
    running_loops,
)
from tests.contract.looplab.idle.opened import (
    Burst,
    Poller,
    in_thread,
    wait,
    wait_until,
)

SHORT = 0.1
ROOT = Path(__file__).resolve().parents[4]

LastsUntil = Callable[[Callable[[], object]], None]


def test_a_polling_loop_of_ones_own_fails(lasts_until: LastsUntil) -> None:
    poller = Poller()
    lasts_until(poller.asks(100))
    with in_thread(poller.poll) as mine, pytest.raises(BusyLoopError) as caught:
        assert_idle(settle=0)
    words = str(caught.value)
    assert "in thread 'mine'" in words
    assert "task 'work' at opened.py:" in words
    assert "in poll" in words
    assert "1 loop turned while idle; 10 turns are allowed" in words
    turns = caught.value.turns
    assert turns.by_loop[mine.loop].turns == turns.most >= 99
    assert isinstance(caught.value, AssertionError)


@pytest.mark.parametrize("debug", [False, True])
def test_a_waiting_loop_of_ones_own_passes(debug: bool) -> None:
    with in_thread(wait, debug=debug) as mine:
        turns = assert_idle(seconds=SHORT)
        assert assert_idle(mine.loop, seconds=SHORT).most <= 2
    assert turns.most <= 2
    assert list(turns.by_loop) == [mine.loop]
    assert turns.seconds >= SHORT
    assert repr(turns).startswith(f"{turns.total} turn")


def test_a_timer_is_allowed_its_turns(lasts_until: LastsUntil) -> None:
    timer = Burst(5, 0.02)
    lasts_until(timer.once())
    with in_thread(timer.work) as mine:
        assert 5 <= assert_idle(mine.loop, turns=100, settle=0).most <= 60
        lasts_until(timer.once())
        with pytest.raises(BusyLoopError):
            assert_idle(turns=1, settle=0)


def test_callbacks_that_come_again_are_named(lasts_until: LastsUntil) -> None:
    poller = Poller()

    def again(loop: asyncio.AbstractEventLoop) -> None:
        poller.asked += 1
        loop.call_soon(again, loop)

    async def start() -> None:
        again(asyncio.get_running_loop())
        await wait()

    lasts_until(poller.asks(100))
    with in_thread(start), pytest.raises(BusyLoopError, match=r"callback .*again"):
        assert_idle(settle=0)


def test_each_loop_is_named_the_busiest_first(lasts_until: LastsUntil) -> None:
    slow, fast = Burst(20, 0.001), Poller()
    slow_enough, fast_enough = slow.once(), fast.asks(500)
    lasts_until(lambda: slow_enough() and fast_enough())
    with (
        in_thread(slow.work, name="slow"),
        in_thread(fast.poll, name="fast"),
        pytest.raises(BusyLoopError) as caught,
    ):
        assert_idle(settle=0)
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("2 loops turned")
    assert "'fast'" in lines[1]
    assert "'slow'" in lines[2]
    assert "opened.py" in lines[2]


def test_only_the_loops_that_are_given() -> None:
    with in_thread(Poller().poll), in_thread(wait) as good:
        assert assert_idle(good.loop, seconds=SHORT).most <= 2


def test_blocking_portal_of_anyio(lasts_until: LastsUntil) -> None:
    anyio = pytest.importorskip("anyio")
    from_thread = pytest.importorskip("anyio.from_thread")

    poller = Poller()

    async def polling() -> None:
        while True:
            poller.asked += 1
            await anyio.sleep(0)

    with from_thread.start_blocking_portal() as portal:
        assert assert_idle(seconds=SHORT).most <= 2
        task = portal.start_task_soon(polling, name="poller")
        lasts_until(poller.asks(100))
        with pytest.raises(BusyLoopError, match=r"'poller' at test_guard"):
            assert_idle(settle=0)
        task.cancel()


def test_test_client_of_starlette() -> None:
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
    with client.websocket_connect("/ws") as one, client.websocket_connect("/ws") as two:
        assert len(assert_idle(seconds=SHORT).by_loop) == 2
        one.send_text("over")
        two.send_text("over")


def test_here() -> None:
    async def good() -> Any:
        return await assert_idle_here(seconds=SHORT)

    async def bad() -> Any:
        polling = asyncio.create_task(Poller().poll(), name="poller")
        try:
            return await assert_idle_here(seconds=0.5)
        finally:
            polling.cancel()

    assert asyncio.run(good()).most <= 4
    with pytest.raises(BusyLoopError, match="'poller' at opened"):
        asyncio.run(bad())


def test_the_callers_own_loop_is_not_asked() -> None:
    """A cell of a notebook blocks the kernel's loop: it cannot turn."""

    async def cell() -> None:
        own = asyncio.get_running_loop()
        assert own in running_loops()
        with pytest.raises(RuntimeError, match="no event loop runs in another thread"):
            assert_idle(seconds=SHORT)
        with pytest.raises(RuntimeError, match="await assert_idle_here"):
            assert_idle(own)
        with in_thread(wait) as mine:
            assert list(assert_idle(seconds=SHORT).by_loop) == [mine.loop]

    asyncio.run(cell())


def test_a_guard_that_cannot_fail_is_refused() -> None:
    with pytest.raises(RuntimeError, match="could never fail"):
        assert_idle(seconds=SHORT)
    with pytest.raises(RuntimeError, match="nothing to count"), count_turns():
        pass


def test_a_loop_that_was_never_started_is_refused() -> None:
    """It turns no more than a loop that is well: the guard would pass for nothing."""
    loop = asyncio.new_event_loop()
    try:
        with pytest.raises(RuntimeError, match=r"does not run.* start it, in a thread"):
            assert_idle(loop, seconds=SHORT)
        with (
            in_thread(wait) as mine,
            pytest.raises(RuntimeError, match=r"running=False .* does not run"),
        ):
            assert_idle(mine.loop, loop, seconds=SHORT)
    finally:
        loop.close()


@pytest.mark.parametrize("given", [True, False])
def test_a_loop_that_ends_during_the_count_is_refused(
    given: bool, lasts_until: LastsUntil
) -> None:
    with in_thread(wait) as mine:

        def ended() -> bool:
            mine.end()
            return True

        lasts_until(ended)
        with pytest.raises(RuntimeError, match=r"ended during the count|is closed"):
            assert_idle(*[mine.loop] * given, settle=0)


def test_a_poll_that_ends_during_the_count_is_told_first(
    lasts_until: LastsUntil,
) -> None:
    poller = Poller()
    with in_thread(poller.poll) as mine:

        def ended() -> bool:
            wait_until(poller.asks(100))
            mine.end()
            return True

        lasts_until(ended)
        with pytest.raises(BusyLoopError):
            assert_idle(settle=0)
        assert mine.loop.is_closed()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize("name", ["looplab.idle.guard", "spinning_loop.idle_guard"])
def test_a_machine_that_stood_still_is_no_idle_loop(name: str) -> None:
    """A loop that had no core for a whole count is counted again."""
    paths = [str(ROOT / part) for part in ("", "src", "book/examples")]
    with subprocess.Popen(
        [sys.executable, "-m", "tests.contract.looplab.idle.stopped", name],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        stdout=subprocess.PIPE,
        text=True,
    ) as program:
        try:
            assert os.WIFSTOPPED(os.waitpid(program.pid, os.WUNTRACED)[1])
            time.sleep(0.5)  # longer than a count and what it may be late
            program.send_signal(signal.SIGCONT)
            words, _ = program.communicate(timeout=600)
        finally:
            program.kill()
    verdict, counts = words.split()
    assert verdict == "failed"
    assert int(counts) >= 2
    assert program.returncode == 0


def test_the_guard_is_a_folder_that_can_be_copied(tmp_path: Path) -> None:
    """It needs nothing else of looplab, installed or not."""
    shutil.copytree(Path(str(idle.__file__)).parent, tmp_path / "guard")
    code = (
        "import asyncio, sys\nsys.modules['looplab'] = None\n"
        "from guard import assert_idle_here\n"
        "turns = asyncio.run(assert_idle_here(seconds=0.01))\n"
        "print(turns.total < 9, [n for n in sys.modules if n.startswith('looplab.')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    assert done.stdout == "True []\n"


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"seconds": 0}, ValueError, "seconds must be above 0, not 0"),
        ({"seconds": -1}, ValueError, "above 0, not -1"),
        ({"seconds": float("inf")}, ValueError, "finite"),
        ({"seconds": float("nan")}, ValueError, "finite"),
        (
            {"seconds": "1"},
            TypeError,
            "expected seconds as a number of seconds, got '1'",
        ),
        ({"seconds": True}, TypeError, "got True"),
        ({"settle": -0.1}, ValueError, "settle must be 0 or more, not -0.1"),
        ({"settle": None}, TypeError, "settle as a number of seconds, got None"),
        ({"turns": -1}, ValueError, "turns must be 0 or more, not -1"),
        ({"turns": 1.5}, TypeError, "expected turns as a whole number, got 1.5"),
        ({"turns": True}, TypeError, "got True"),
    ],
)
def test_settings_of_the_guard(options: Any, error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        assert_idle(**options)

    async def here() -> None:
        await assert_idle_here(**options)

    with pytest.raises(error, match=words):
        asyncio.run(here())
