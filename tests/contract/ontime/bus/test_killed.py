"""Consumers and producers that are killed lose no message."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import looplab
from ontime.bus import Bus, Counts, Delivery
from tests.fast.ontime.bus.buses import Kind, with_bus

pytestmark = pytest.mark.slow


def start(program: str) -> subprocess.Popen[str]:
    path = [str(Path(looplab.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
    )


def test_a_killed_producer_loses_no_message_that_was_put(kind: Kind) -> None:
    promised: list[str] = []
    for kill_after in (1, 7, 23):
        producer = start(f"""
            import asyncio
            from ontime.bus import *
            lease = 600
            async def main():
                async with {kind.text} as bus:
                    n = 0
                    while True:
                        ids = await bus.put(*map(str, range(n, n + 3)))
                        print(*ids, flush=True)
                        n += 3
            asyncio.run(main())
            """)
        try:
            assert producer.stdout is not None
            for _ in range(kill_after):
                promised += producer.stdout.readline().split()
            producer.send_signal(signal.SIGKILL)
            promised += producer.stdout.read().split()  # a line is written at once
        finally:
            producer.kill()
            producer.communicate()

    async def story(bus: Bus) -> list[Delivery]:
        found = []
        while (one := await bus.receive()) is not None:
            found.append(one)
            await bus.acknowledge(one)
        return found

    found = with_bus(kind(), story)
    assert len(promised) >= 3 * (1 + 7 + 23)
    assert set(promised) <= {one.id for one in found}
    assert len(found) % 3 == 0  # all of a put or none


RUNS = 2


MESSAGES = 120


LONGEST = 0.6  # seconds until the next one is killed


# Of each message, so that four are at work for some four times as long, on any machine.
PAUSE = 4 * 4 * LONGEST / MESSAGES


@pytest.mark.parametrize("seed", range(RUNS))
def test_consumers_killed_at_any_moment(kind: Kind, tmp_path: Path, seed: int) -> None:
    """Four work, and one after the other is killed and replaced.

    Every message is acknowledged, and none twice.
    """
    chance = random.Random(seed)
    lease = 0.5
    bus = kind(lease)
    with_bus(bus, lambda bus: bus.put(*map(str, range(MESSAGES))))
    journals: list[Path] = []
    killed = tmp_path / "killed"  # there when one has been

    def one_more() -> subprocess.Popen[str]:
        journals.append(tmp_path / f"journal-{len(journals)}")
        return start(f"""
            import asyncio
            from pathlib import Path
            from ontime.bus import *
            lease = {lease}
            # Opened to append and unbuffered: a line is written at once or not at all.
            journal = open({str(journals[-1])!r}, "ab", buffering=0)
            def note(*words):
                journal.write(" ".join(map(str, words)).encode() + b"\\n")
            async def main():
                async with {kind.text} as bus:
                    while True:
                        one = await bus.receive()
                        if one is None:
                            left = (await bus.counts()).total
                            if not left and Path({str(killed)!r}).exists():
                                return
                            await asyncio.sleep(0.01)
                            continue
                        await asyncio.sleep({PAUSE})
                        note("tried", one.id, one.number)
                        if await bus.acknowledge(one):
                            note("done", one.id, one.number)
            asyncio.run(main())
            """)

    workers = [one_more() for _ in range(4)]
    kills = 0
    try:
        while any(worker.poll() is None for worker in workers):
            with contextlib.suppress(subprocess.TimeoutExpired):
                workers[-1].wait(chance.uniform(0.05, LONGEST))
            place = chance.randrange(4)
            if kills < 12 and workers[place].poll() is None:
                workers[place].send_signal(signal.SIGKILL)
                workers[place].communicate()
                kills += 1
                killed.touch()
                workers[place] = one_more()
        assert all(worker.wait(600) == 0 for worker in workers)
    finally:
        for worker in workers:
            worker.kill()
            worker.communicate()
    assert kills

    lines = [line.split() for path in journals for line in read_lines(path)]
    done = [id_ for what, id_, _ in lines if what == "done"]
    tried = {id_ for what, id_, _ in lines if what == "tried"}
    assert len(done) == len(set(done)), "acknowledged twice"

    counts = with_bus(bus, lambda bus: bus.counts())
    assert counts == Counts(0, 0)
    # A consumer that was killed after it had acknowledged could not say so.
    assert len(set(done) | tried) == MESSAGES, "a message was lost"
    assert len(set(done)) >= MESSAGES - kills


def read_lines(path: Path) -> list[str]:
    """The whole lines of a journal, which may not be there yet."""
    if not path.exists():
        return []
    return path.read_text().splitlines()
