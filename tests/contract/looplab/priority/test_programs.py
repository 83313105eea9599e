"""Real programs on the priority loop: connections, processes, signals, threads."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from looplab.priority import PriorityEventLoop, current_priority, deadline, priority
from looplab.priority.context import context_with
from tests.fast.looplab.priority.priority_loops import HOST, POLICIES, on

SOURCE = Path(__file__).parents[4] / "src"


@asynccontextmanager
async def spinning(level: int) -> AsyncIterator[None]:
    """Keep callbacks of a priority ready all the time."""
    going = True

    async def spin() -> None:
        while going:
            await asyncio.sleep(0)

    with priority(level):
        task = asyncio.create_task(spin())
    try:
        yield
    finally:
        going = False
        await task


# ---------------------------------------------------------------- servers


async def pair() -> list[Any]:
    """A connection of this loop with itself: reader and writer of both ends."""
    made = asyncio.get_running_loop().create_future()
    server = await asyncio.start_server(
        lambda *streams: made.set_result(streams), HOST, 0
    )
    ends = [
        *await asyncio.open_connection(*server.sockets[0].getsockname()),
        *await made,
    ]
    server.close()
    return ends


@POLICIES
def test_an_urgent_task_reads_what_less_urgent_code_has_opened(policy: Any) -> None:
    async def main() -> list[bytes]:
        assert current_priority() == 0
        ends = await pair()  # all are kept: a stream that nobody holds is closed
        reader, writer = ends[0], ends[3]

        async def read() -> list[bytes]:
            async with spinning(9):
                lines = []
                for number in range(5):
                    writer.write(f"{number}\n".encode())
                    lines.append(await reader.readline())
            return lines

        with priority(9):
            lines = await asyncio.create_task(read())
        writer.close()
        return lines

    assert on(main, policy) == [b"0\n", b"1\n", b"2\n", b"3\n", b"4\n"]


# ---------------------------------------------------------------- processes, signals


@contextmanager
def urgency(level: int) -> Iterator[None]:
    """By any policy: of a higher level, due earlier."""
    with priority(level), deadline(asyncio.get_running_loop().time() - 100 * level):
        yield


class Ending(asyncio.SubprocessProtocol):
    """Notes the life of a process in the order in which it is told."""

    def __init__(self) -> None:
        self.events: list[str] = []

    def connection_made(self, transport: Any) -> None:
        self.events.append("made")

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 0:
            self.events.append("stdin")

    def process_exited(self) -> None:
        self.events.append("exit")

    def connection_lost(self, exc: Exception | None) -> None:
        self.events.append("end")


class HeldUp(PriorityEventLoop):
    """Holds up what is less urgent from when a process's beginning is scheduled on."""

    def call_soon(  # type: ignore[override]
        self, callback: Any, *args: Any, **options: Any
    ) -> asyncio.Handle:
        handle = super().call_soon(callback, *args, **options)
        owner = getattr(callback, "__self__", None)
        if isinstance(owner, Ending) and callback.__name__ == "connection_made":
            with urgency(9):
                super().call_soon(self.hold_up, owner, self.time() + 1)
        return handle

    def hold_up(self, owner: Ending, until: float) -> None:
        if not owner.events and self.time() < until:
            super().call_soon(self.hold_up, owner, until)


class Late(PriorityEventLoop):
    """Connects a pipe when the process at its other end has ended."""

    def __init__(self, policy: Any) -> None:
        # A look between two callbacks finds the end; the stock loop looks one later.
        super().__init__(policy=policy, look_every=0)

    async def connect_read_pipe(self, protocol_factory: Any, pipe: Any) -> Any:
        while not select.select([pipe], [], [], 1)[0]:
            pass
        return await super().connect_read_pipe(protocol_factory, pipe)


@POLICIES
@pytest.mark.parametrize(
    ("loop", "command", "pipes", "events"),
    [
        # Less urgent code closes the pipe, and a thread may tell of the exit: neither
        # may stay behind while the loop is busy.
        (PriorityEventLoop, "cat", {"stdin": -1}, ["made", "stdin", "exit", "end"]),
        (HeldUp, "true", {}, ["made", "exit", "end"]),
        (Late, "true", {"stdout": -1}, ["made", "exit", "end"]),
    ],
)
def test_the_life_of_a_process_is_told_in_order(
    policy: Any, loop: Any, command: str, pipes: dict[str, int], events: list[str]
) -> None:
    async def main() -> list[str]:
        loop = asyncio.get_running_loop()
        with urgency(2):
            transport, protocol = await loop.subprocess_exec(
                Ending,
                command,
                **{"stdin": None, "stdout": None, "stderr": None} | pipes,
            )

        async def hold_up() -> None:
            while "end" not in protocol.events:
                await asyncio.sleep(0)

        tasks = []

        def keep_busy() -> None:
            with urgency(1):
                tasks.append(asyncio.create_task(hold_up()))

        with urgency(0):
            if stdin := transport.get_pipe_transport(0):
                stdin.close()
                loop.call_soon(keep_busy)
        while "end" not in protocol.events:
            await asyncio.sleep(0.01)
        await asyncio.gather(*tasks)
        transport.close()
        return protocol.events

    assert on(main, policy, loop=loop) == events


PROGRAM = """
import asyncio
from looplab.priority import PriorityEventLoop, priority

async def never_rests():
    while True:
        await asyncio.sleep(0)

async def main():
    with priority(9):
        task = asyncio.create_task(never_rests())
        await asyncio.create_task(asyncio.sleep(0))
        asyncio.get_running_loop().call_later(0, lambda: print("ready", flush=True))
    {wait}

with asyncio.Runner(loop_factory=PriorityEventLoop) as runner:
    try:
        runner.run(main())
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a signal of Unix")
@pytest.mark.parametrize(
    "wait", ["await task", "await asyncio.sleep(1_000)", "await never_rests()"]
)
def test_an_interrupt_ends_a_program_whose_urgent_task_never_rests(wait: str) -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(wait=wait)],
        env=os.environ | {"PYTHONPATH": str(SOURCE)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        program.send_signal(signal.SIGINT)
        out, _ = program.communicate()
    finally:
        program.kill()
    assert (out, program.returncode) == ("interrupted\n", 0)


# ---------------------------------------------------------------- threads


@pytest.fixture
def switching() -> Iterator[None]:
    """Threads take turns as often as can be."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("switching")
@pytest.mark.parametrize("number", range(40))
def test_threads_lose_no_callback_and_keep_their_order(number: int) -> None:
    """While priorities come into use, or are from the beginning on."""
    each, in_use = (1_000, True) if number < 3 else (60, False)

    async def main() -> list[tuple[int, int]]:
        loop = asyncio.get_running_loop()
        done = asyncio.Event()
        ran: list[tuple[int, int]] = []

        def note(thread: int, number: int) -> None:
            ran.append((thread, number))
            if len(ran) == 4 * each:
                done.set()

        def work(thread: int) -> None:
            context = context_with(int(in_use))
            for number in range(each):
                loop.call_soon_threadsafe(note, thread, number, context=context)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        with priority(1):
            await asyncio.create_task(asyncio.sleep(0))
        await done.wait()
        for thread in threads:
            thread.join()
        return ran

    ran = on(main)
    assert set(Counter(ran).values()) == {1}
    for thread in range(4):
        assert [n for who, n in ran if who == thread] == list(range(each))


def test_executors_answer_while_urgent_callbacks_never_end() -> None:
    async def main() -> list[int]:
        loop = asyncio.get_running_loop()
        with priority(9):
            async with spinning(9):
                first = await asyncio.create_task(asyncio.to_thread(sum, [1, 2]))
                other = await asyncio.wrap_future(
                    loop.run_in_executor(None, sum, [3, 4])
                )
        return [first, other]

    with priority(9):
        assert on(main) == [3, 7]
