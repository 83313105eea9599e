"""Loops in threads: the guard, the sessions, the measurements.

Asserts are counts, or ratios with much room; what times a machine gives is not tested.
"""

from __future__ import annotations

import asyncio
import json
import os
import queue
import selectors
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

import pytest

from looplab import VirtualTimeLoop, run
from looplab.crossthread import (
    WAYS,
    BusyLoopError,
    Idle,
    Session,
    Spinner,
    Waits,
    assert_idle,
    assert_idle_here,
    count_turns,
    gil_enabled,
    measure_hops,
    measure_idle,
    measure_messages,
    measure_wakes,
    missing,
    pinned,
    running_loops,
    sessions,
    switch_interval,
    unable,
)
from looplab.crossthread import session as session_module

GOOD = [way for way in WAYS if way not in ("poll", "nap")]
SHORT = 0.1
linux = pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity"), reason="only Linux pins threads"
)


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    before = set(threading.enumerate())
    interval = sys.getswitchinterval()
    yield
    left = [t for t in threading.enumerate() if t not in before]
    for thread in left:  # of a library, about to end
        thread.join(5)
    assert not [t for t in left if t.is_alive()]
    assert sys.getswitchinterval() == interval


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    if why := missing(name):
        pytest.skip(why)
    return name


@contextmanager
def in_thread(work: Callable[[], Any], *, debug: bool = False) -> Iterator[Any]:
    """A loop of the reader's own, in a thread: runs *work()* until the end."""
    ready: queue.Queue[Any] = queue.Queue()

    async def main() -> None:
        over = asyncio.Event()
        ready.put((asyncio.get_running_loop(), over))
        task = asyncio.create_task(work(), name="work")
        await over.wait()
        task.cancel()

    thread = threading.Thread(
        target=lambda: asyncio.run(main(), debug=debug), name="mine"
    )
    thread.start()
    loop, over = ready.get()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()


async def poll() -> None:
    inbox: queue.Queue[None] = queue.Queue()
    while inbox.empty():
        await asyncio.sleep(0)  # noqa: LAG201


async def wait() -> None:
    await asyncio.Event().wait()


# The guard


def test_a_polling_loop_of_ones_own_fails() -> None:
    with in_thread(poll) as loop, pytest.raises(BusyLoopError) as caught:
        assert_idle(seconds=SHORT)
    words = str(caught.value)
    assert "in thread 'mine'" in words
    assert "task 'work' at test_crossthread.py:" in words
    assert "in poll" in words
    assert "1 loop turned while idle; 10 turns are allowed" in words
    assert caught.value.turns.by_loop[loop].turns == caught.value.turns.most > 10
    assert isinstance(caught.value, AssertionError)


@pytest.mark.parametrize("debug", [False, True])
def test_a_waiting_loop_of_ones_own_passes(debug: bool) -> None:
    with in_thread(wait, debug=debug) as loop:
        turns = assert_idle(seconds=SHORT)
        assert assert_idle(loop, seconds=SHORT).most <= 2
    assert turns.most <= 2
    assert list(turns.by_loop) == [loop]
    assert turns.seconds >= SHORT
    assert repr(turns).startswith(f"{turns.total} turn")


def test_a_timer_is_allowed_its_turns() -> None:
    async def tick() -> None:
        while True:
            await asyncio.sleep(0.02)

    with in_thread(tick) as loop:
        assert 2 <= assert_idle(loop, turns=100, seconds=SHORT).most <= 60
        with pytest.raises(BusyLoopError):
            assert_idle(turns=1, seconds=SHORT)


def test_callbacks_that_come_again_are_named() -> None:
    def again(loop: asyncio.AbstractEventLoop) -> None:
        loop.call_soon(again, loop)

    async def start() -> None:
        again(asyncio.get_running_loop())
        await wait()

    with in_thread(start), pytest.raises(BusyLoopError, match=r"callback .*again"):
        assert_idle(seconds=SHORT)


def test_each_loop_is_named_the_busiest_first() -> None:
    with sessions("nap", 1), in_thread(poll), pytest.raises(BusyLoopError) as caught:
        assert_idle(seconds=0.3)
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("2 loops turned")
    assert "'mine'" in lines[1]
    assert "'nap-1'" in lines[2]
    assert "session.py" in lines[2]


def test_only_the_loops_that_are_given() -> None:
    with in_thread(poll), in_thread(wait) as good:
        assert assert_idle(good, seconds=SHORT).most <= 2


def test_the_way_of_each_session(way: str) -> None:
    with sessions(way, 2):
        if way in GOOD:
            assert assert_idle(seconds=SHORT).most <= 2
        else:
            with pytest.raises(BusyLoopError):
                assert_idle(seconds=SHORT)


def test_blocking_portal_of_anyio() -> None:
    anyio = pytest.importorskip("anyio")
    from_thread = pytest.importorskip("anyio.from_thread")

    async def polling() -> None:
        while True:
            await anyio.sleep(0)

    with from_thread.start_blocking_portal() as portal:
        assert assert_idle(seconds=SHORT).most <= 2
        task = portal.start_task_soon(polling, name="poller")
        with pytest.raises(BusyLoopError, match=r"'poller' at test_crossthread"):
            assert_idle(seconds=SHORT)
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


def test_the_guard_leaves_nothing_on_the_loop() -> None:
    with in_thread(wait) as loop:
        before = dict(vars(loop))
        assert_idle(seconds=SHORT)
        with pytest.raises(ZeroDivisionError), count_turns(loop):
            assert "_run_once" in vars(loop)
            raise ZeroDivisionError
        assert dict(vars(loop)).keys() == before.keys()


def test_two_counts_of_one_loop_at_once() -> None:
    with in_thread(poll) as loop:
        with count_turns(loop) as outer:
            with count_turns(loop) as inner:
                time.sleep(SHORT)
            after = inner.most
            time.sleep(SHORT)
        assert outer.most > inner.most == after > 10
        assert "_run_once" not in vars(loop)


def test_the_same_loop_twice_counts_once() -> None:
    with in_thread(wait) as loop, count_turns(loop, loop) as turns:
        assert len(turns.by_loop) == 1


def test_here() -> None:
    async def good() -> Any:
        return await assert_idle_here(seconds=SHORT)

    async def bad() -> Any:
        polling = asyncio.create_task(poll(), name="poller")
        try:
            return await assert_idle_here(seconds=SHORT)
        finally:
            polling.cancel()

    assert asyncio.run(good()).most <= 4
    with pytest.raises(BusyLoopError, match="'poller' at test_crossthread"):
        asyncio.run(bad())


def test_counting_inside_a_coroutine_counts_its_loop() -> None:
    async def main() -> int:
        with count_turns() as turns:
            for _ in range(50):
                await asyncio.sleep(0)
        return turns.most

    assert 49 <= asyncio.run(main()) <= 51


def test_the_callers_own_loop_is_not_asked() -> None:
    """A cell of a notebook blocks the kernel's loop: it cannot turn."""

    async def cell() -> None:
        own = asyncio.get_running_loop()
        assert own in running_loops()
        with pytest.raises(RuntimeError, match="no event loop runs in another thread"):
            assert_idle(seconds=SHORT)
        with pytest.raises(RuntimeError, match="await assert_idle_here"):
            assert_idle(own)
        with sessions("queue", 1):
            assert list(assert_idle(seconds=SHORT).by_loop) != [own]

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
            sessions("queue", 1) as opened,
            pytest.raises(RuntimeError, match=r"running=False .* does not run"),
        ):
            assert_idle(opened[0].loop, loop, seconds=SHORT)
    finally:
        loop.close()


@pytest.mark.parametrize("given", [True, False])
def test_a_loop_that_ends_during_the_count_is_refused(given: bool) -> None:
    with sessions("queue", 1) as opened:
        loop = opened[0].loop
        over = threading.Timer(0.2, opened[0].__exit__, (None, None, None))
        over.start()
        with pytest.raises(RuntimeError, match=r"ended during the count|is closed"):
            assert_idle(*[loop] * given, seconds=0.6, settle=0)
        over.join()


def test_a_poll_that_ends_during_the_count_is_told_first() -> None:
    with sessions("poll", 1) as opened:
        over = threading.Timer(0.2, opened[0].__exit__, (None, None, None))
        over.start()
        with pytest.raises(BusyLoopError):
            assert_idle(seconds=0.6, settle=0)
        over.join()


def test_a_loop_that_is_closed_or_none() -> None:
    loop = asyncio.new_event_loop()
    loop.close()
    with pytest.raises(RuntimeError, match="is closed"):
        assert_idle(loop)
    with pytest.raises(TypeError, match="'app' is no event loop"):
        assert_idle("app")  # type: ignore[arg-type]


def test_a_loop_whose_turns_cannot_be_seen() -> None:
    async def main() -> None:
        with pytest.raises(TypeError, match="VirtualTimeLoop cannot be counted"):
            await assert_idle_here()

    run(main())
    loop = VirtualTimeLoop()
    with pytest.raises(TypeError, match="cannot be counted"), count_turns(loop):
        pass
    loop.close()


def test_a_foreign_loop_is_found_and_refused() -> None:
    class Foreign(asyncio.AbstractEventLoop):
        def is_running(self) -> bool:
            return True

    foreign = Foreign()  # type: ignore[abstract]
    with pytest.raises(TypeError, match="Foreign cannot be counted"):
        assert_idle(seconds=SHORT)
    del foreign


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"seconds": 0}, ValueError, "seconds must be above 0, not 0"),
        ({"seconds": -1}, ValueError, "above 0, not -1"),
        ({"seconds": float("inf")}, ValueError, "finite"),
        ({"seconds": float("nan")}, ValueError, "finite"),
        ({"seconds": "1"}, TypeError, "seconds must be a number of seconds, not '1'"),
        ({"seconds": True}, TypeError, "not True"),
        ({"settle": -0.1}, ValueError, "settle must be 0 or more, not -0.1"),
        ({"settle": None}, TypeError, "settle must be a number of seconds, not None"),
        ({"turns": -1}, ValueError, "turns must be 0 or more, not -1"),
        ({"turns": 1.5}, TypeError, "turns must be a whole number, not 1.5"),
        ({"turns": True}, TypeError, "not True"),
    ],
)
def test_settings_of_the_guard(options: Any, error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        assert_idle(**options)

    async def here() -> None:
        await assert_idle_here(**options)

    with pytest.raises(error, match=words):
        asyncio.run(here())


def test_the_guard_needs_nothing_else_of_looplab() -> None:
    """The file can be copied into a test suite."""
    file = session_module.__file__.replace("session.py", "idle.py")
    program = (
        "import runpy, sys; sys.modules['looplab'] = None; "
        f"assert 'assert_idle' in runpy.run_path({file!r})"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=30)


# Sessions


def test_a_session_answers(way: str) -> None:
    with Session(way, name="here") as session:
        assert session.loop.is_running()
        assert "here" in [thread.name for thread in threading.enumerate()]
        assert session.hop() > 0
        assert session.ask("hello") == "hello"
        assert session.ask(None) is None
        assert session.call(threading.get_ident) != threading.get_ident()
        assert "open" in repr(session)
        loop = session.loop
    assert loop.is_closed()
    assert "closed" in repr(session)


def test_a_session_can_be_opened_again() -> None:
    session = Session("queue")
    for _ in range(2):
        with session:
            assert session.ask(1) == 1


def test_what_a_call_raises_comes_out() -> None:
    with Session("queue") as session:
        with pytest.raises(ZeroDivisionError):
            session.call(lambda: 1 // 0)
        with pytest.raises(SystemExit):
            session.call(sys.exit)
        with pytest.raises(TimeoutError, match="mine"):
            session.call(lambda: (_ for _ in ()).throw(TimeoutError("mine")))
        assert session.ask(2) == 2


def test_an_error_in_the_block_ends_the_thread(way: str) -> None:
    with pytest.raises(ZeroDivisionError), sessions(way, 3) as opened:
        opened[0].hop()
        raise ZeroDivisionError
    assert all("closed" in repr(session) for session in opened)


def test_an_interrupt_in_the_block_ends_the_thread() -> None:
    with pytest.raises(KeyboardInterrupt), sessions("poll", 2), Spinner():
        raise KeyboardInterrupt


def test_an_inbox_that_cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(loop: object) -> None:
        raise OSError("no such thing")

    monkeypatch.setitem(session_module._INBOXES, "poll", broken)
    with pytest.raises(OSError, match="no such thing"), Session("poll"):
        pass


def test_a_later_session_that_cannot_be_made_closes_the_earlier(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = []

    class Third(session_module._Poll):
        def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
            made.append(1)
            if len(made) == 3:
                raise OSError("the third")
            super().__init__(loop)

    monkeypatch.setitem(session_module._INBOXES, "poll", Third)
    with pytest.raises(OSError, match="the third"), sessions("poll", 4):
        pass
    assert len(made) == 3


def test_a_loop_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    with Session("queue") as session:
        monkeypatch.setattr(session_module, "TIMEOUT", 0.05)
        session.loop.call_soon_threadsafe(time.sleep, 0.5)
        with pytest.raises(TimeoutError, match=r"did not answer within 0\.05 s"):
            session.hop()


def test_a_session_that_is_not_open() -> None:
    session = Session("queue")
    for use in session.hop, lambda: session.ask(1), lambda: session.loop:
        with pytest.raises(RuntimeError, match="not open: use it inside `with"):
            use()
    with session, pytest.raises(RuntimeError, match="open already"), session:
        pass
    with Session("queue") as session:
        with pytest.raises(RuntimeError, match="cannot wait for itself"):
            session.call(session.hop)
        with pytest.raises(RuntimeError, match="cannot wait for itself"):
            session.call(lambda: session.ask(1))
    with Spinner() as spinner, pytest.raises(RuntimeError, match="spins"), spinner:
        pass


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"way": "pol"}, ValueError, "no way 'pol': choose from poll, nap, queue"),
        ({"window": -1}, ValueError, "window must be from 0 s to below 1 s, not -1"),
        ({"window": 1}, ValueError, "the loop pays it in every turn"),
        ({"window": "0"}, TypeError, "window must be a number of seconds, not '0'"),
        ({"busy": 1, "window": 0.01}, TypeError, "busy must be True or False, not 1"),
        ({"busy": True}, ValueError, "needs a window above 0 s"),
        ({"cpu": "0"}, TypeError, "cpu must be the number of a core, not '0'"),
        ({"cpu": True}, TypeError, "not True"),
        pytest.param(
            {"cpu": 4096}, ValueError, "may not use core 4096: choose", marks=linux
        ),
    ],
)
def test_settings_of_a_session(options: Any, error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        Session(**options)
    with pytest.raises(error, match=words), sessions(**options):
        pass


def test_how_many_sessions() -> None:
    for count, error in (0, ValueError), (65, ValueError), (1.0, TypeError):
        with pytest.raises(error, match="count"), sessions("poll", count):  # type: ignore[arg-type]
            pass


def test_a_package_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert missing("poll") == ""
    for name in "anyio", "janus":
        words = f"the way '{name}' needs the package {name}: pip install {name}"
        assert missing(name) == words
        with pytest.raises(ModuleNotFoundError, match=words) as caught:
            Session(name)
        assert caught.value.name == name
    with pytest.raises(ValueError, match="no way"):
        missing("threads")


def test_a_system_that_pins_no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    with pytest.raises(NotImplementedError, match="cannot pin a thread"):
        Session("queue", cpu=0)
    with pytest.raises(NotImplementedError, match="cannot pin"), pinned(0):
        pass
    assert "cannot pin" in unable(cores=2)
    assert unable() == ""


@linux
def test_pinning() -> None:
    everywhere = os.sched_getaffinity(0)
    core = max(everywhere)
    with Session("queue", cpu=core) as session:
        assert session.call(lambda: os.sched_getaffinity(0)) == {core}
        assert os.sched_getaffinity(0) == everywhere
        with pytest.raises(ZeroDivisionError), pinned(core):
            assert os.sched_getaffinity(0) == {core}
            raise ZeroDivisionError
        assert os.sched_getaffinity(0) == everywhere
        assert measure_hops([session], hops=3, cpu=core).median > 0
        assert os.sched_getaffinity(0) == everywhere
    cores = len(everywhere)
    assert unable(cores=4096) == (
        f"not run: this needs 4096 cores, and this process may use {cores}: allow it "
        "more (taskset, the CPU limit of a container), or take a machine that has them"
    )


def test_a_window_slows_the_turns() -> None:
    with Session("poll", window=0.01) as session:
        slow = measure_idle([session], 0.3).most
    with Session("poll") as session:
        fast = measure_idle([session], 0.3).most
    assert 2 <= slow <= 40
    assert fast >= 5 * slow


def test_a_short_window_is_not_rounded_to_a_millisecond() -> None:
    def median_wait(window: float) -> float:
        with session_module._LingeringSelector(window) as selector:
            left, right = socket.socketpair()
            with left, right:
                selector.register(left, selectors.EVENT_READ)
                waits = []
                for _ in range(60):
                    started = time.perf_counter()
                    assert selector.select(0) == []
                    waits.append(time.perf_counter() - started)
        return median(waits)

    assert median_wait(0.01) >= 5 * median_wait(1e-6)


def test_a_busy_window_keeps_the_core() -> None:
    """The turns are as slow as with a window that sleeps, the core is in use."""
    share, turns = {}, {}
    for busy in False, True:
        with Session("poll", window=0.01, busy=busy) as session:
            found = measure_idle([session], 0.3)
            assert session.ask("still there") == "still there"
        share[busy], turns[busy] = found.share, found.most
    assert share[True] >= 3 * share[False]
    assert turns[True] <= 10 * turns[False]


# Measurements


def test_idle_turns() -> None:
    with sessions("poll", 2) as opened:
        busy = measure_idle(opened, 0.3)
    with sessions("queue", 2) as opened:
        good = measure_idle(opened, 0.3)
    assert min(busy.turns) >= 100
    assert good.most <= 2
    assert busy.share >= 20 * good.share
    assert 0.3 <= good.seconds <= good.wall
    assert repr(good).startswith("2 idle loops for 0.3")


def test_hops_and_messages(way: str) -> None:
    with sessions(way, 2) as opened:
        for measure in measure_hops, measure_messages:
            waits = measure(opened, seconds=0.05)
            assert len(waits.taken) >= 2
            assert 0 < waits.median <= waits.worst <= waits.total
            assert waits.cpu >= 0


def test_hops_end_at_their_number() -> None:
    with sessions("queue", 3) as opened:
        assert len(measure_hops(opened, seconds=60, hops=7).taken) == 7
        assert len(measure_messages(opened, seconds=60, messages=7).taken) == 7
        # Each session is called once, however short the time.
        assert len(measure_hops(opened, seconds=1e-9).taken) == 3


def test_a_nap_costs_a_message_and_no_hop() -> None:
    with sessions("nap", 1) as opened:
        message = measure_messages(opened, seconds=0.3)
        hop = measure_hops(opened, seconds=0.3)
    assert message.median >= 2 * hop.median


@pytest.mark.skipif(not gil_enabled(), reason="this build has no GIL")
def test_beside_a_spinner_the_switch_interval_counts() -> None:
    late = {}
    for interval in 0.001, 0.025:
        with switch_interval(interval), Spinner():
            late[interval] = measure_wakes(12).median
    assert late[0.025] >= 4 * late[0.001]


def test_wakes() -> None:
    waits = measure_wakes(5, nap=0.002)
    assert len(waits.taken) == 5
    assert waits.median > 0


def test_words_of_a_result() -> None:
    waits = Waits((0.001, 0.003, 0.002), 6, 0.0)
    assert waits.voluntary_each == 2
    assert repr(waits) == (
        "3 waits: median 2.000 ms, worst 3.000 ms, 2.0 voluntary switches each"
    )
    unknown = Waits((0.001,), None, 0.0)
    assert repr(unknown) == "1 wait: median 1.000 ms, worst 1.000 ms"
    with pytest.raises(NotImplementedError, match="RUSAGE_THREAD"):
        _ = unknown.voluntary_each
    idle = Idle((3,), 0.3, 0.1, 0.4)
    assert idle.share == 0.25
    assert repr(idle) == "1 idle loop for 0.30 s: 3 turns, 25.00% of a core"


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: measure_hops([]), ValueError, "no session was given"),
        (lambda: measure_messages([]), ValueError, "no session was given"),
        (lambda: measure_idle([]), ValueError, "no session was given"),
        (lambda: measure_hops(["x"]), TypeError, "'x' is no Session"),  # type: ignore[list-item]
        (lambda: measure_hops([Session()]), RuntimeError, "not open"),
        (lambda: measure_wakes(0), ValueError, "wakes must be from 1 to"),
        (lambda: measure_wakes(2.5), TypeError, "wakes must be a whole number"),  # type: ignore[arg-type]
        (lambda: measure_wakes(nap=0), ValueError, "above 0 and finite, not 0"),
        (lambda: measure_wakes(nap="1"), TypeError, "must be a number, not '1'"),  # type: ignore[arg-type]
        (lambda: switch_interval(0).__enter__(), ValueError, "above 0"),
        (lambda: switch_interval(float("nan")).__enter__(), ValueError, "finite"),
        (lambda: switch_interval(None).__enter__(), TypeError, "not None"),  # type: ignore[arg-type]
    ],
)
def test_settings_of_measurements(
    call: Callable[[], Any], error: type, words: str
) -> None:
    with pytest.raises(error, match=words):
        call()


def test_number_of_hops_is_checked() -> None:
    with sessions("queue", 1) as opened:
        with pytest.raises(ValueError, match="number of hops must be from 1"):
            measure_hops(opened, hops=0)
        with pytest.raises(ValueError, match="above 0"):
            measure_hops(opened, seconds=0)


def test_no_counts_on_this_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("looplab.crossthread.measure._voluntary", lambda: None)
    assert measure_wakes(1).voluntary is None
    assert "does not count" in unable(counts=True)


# The command


def command(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "looplab.crossthread", *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_command() -> None:
    done = command("queue", "--seconds", "0.05")
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("ready ")
    assert [line.split()[0] for line in done.stdout.splitlines()] == [
        "hops",
        "messages",
        "idle",
    ]
    found = json.loads(command("poll", "--seconds", "0.1", "--json").stdout)
    assert min(found["idle"]["turns"]) > 10
    assert found["sessions"] == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["pole"], "invalid choice: 'pole'"),
        (["poll", "--sessions", "0"], "--sessions must be from 1 to 64, not 0"),
        (["poll", "--seconds", "0"], "seconds must be above 0"),
        (["poll", "--seconds", "x"], "invalid float value: 'x'"),
        ([], "the following arguments are required: way"),
    ],
)
def test_command_refuses(words: list[str], said: str) -> None:
    done = command(*words)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_command_without_the_package(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from looplab.crossthread.__main__ import main

    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["janus"]) == 1
    assert "pip install janus" in capsys.readouterr().err
