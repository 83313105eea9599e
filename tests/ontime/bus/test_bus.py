"""What every bus does, and the consumer that works on it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

import looplab
from looplab.priority import (
    ByDeadline,
    ByPriority,
    PriorityEventLoop,
    PriorityGate,
    PriorityProtocol,
)
from ontime.bus import (
    SETTINGS,
    Bus,
    BusClosedError,
    BusRuns,
    BusUnavailableError,
    Counts,
    DeadLetter,
    Delivery,
    NotABusError,
    RedisBus,
    SQLiteBus,
    compare,
    consume,
)
from ontime.leases import LeaseSettings
from tests.ontime.bus.redis_server import RedisServer

FULL = bool(os.environ.get("ON_TIME_FULL"))
LONG = 600.0  # a lease that does not run out
SHORT = 0.05  # one that does


class Kind:
    """Makes bus objects that share their messages, and says how in Python's text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __call__(
        self, lease: float = LONG, patience: float = 5.0, most: int | None = None
    ) -> Bus:
        names = {"lease": lease, "patience": patience, "most": most}
        bus = eval(self.text, {**globals(), **names})
        assert isinstance(bus, Bus)
        return bus


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with RedisServer(tmp_path_factory.mktemp("redis")) as running:
        yield running


@pytest.fixture(params=["sqlite", "redis"])
def kind(request: pytest.FixtureRequest, tmp_path: Path) -> Kind:
    if request.param == "sqlite":
        path = str(tmp_path / "bus.db")
        return Kind(
            f"SQLiteBus({path!r}, lease=lease, patience=patience, max_deliveries=most)"
        )
    url = request.getfixturevalue("server").url
    return Kind(
        f"RedisBus({url!r}, lease=lease, patience=patience, max_deliveries=most, "
        f"stream={uuid4().hex!r})"
    )


def with_bus(bus: Bus, story: Callable[[Any], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        async with bus:
            return await story(bus)

    return asyncio.run(main())


async def received(bus: Bus) -> Delivery:
    found = await bus.receive()
    assert found is not None
    return found


# -- the face ------------------------------------------------------------------------


def test_first_in_first_out_then_none(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        ids = await bus.put("a", "b")
        ids += await bus.put("c")
        deliveries = [await received(bus) for _ in range(3)]
        assert [one.id for one in deliveries] == ids
        assert [one.body for one in deliveries] == ["a", "b", "c"]
        assert [one.number for one in deliveries] == [1, 1, 1]
        assert len(set(ids)) == 3
        assert await bus.receive() is None

    with_bus(kind(), story)


@pytest.mark.parametrize(
    "body", ["", " ", "\0a\0", "é ☂ \U0001f600", "a\r\nb", "x" * 1_000_000]
)
def test_a_body_comes_back_as_it_was(kind: Kind, body: str) -> None:
    async def story(bus: Bus) -> None:
        await bus.put(body)
        assert (await received(bus)).body == body

    with_bus(kind(), story)


def test_counts(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        assert await bus.counts() == Counts(0, 0)
        await bus.put("a", "b", "c")
        assert await bus.counts() == Counts(3, 0)
        one = await received(bus)
        await received(bus)
        assert await bus.counts() == Counts(1, 2)
        await bus.acknowledge(one)
        assert await bus.counts() == Counts(1, 1)
        assert (await bus.counts()).total == 2

    with_bus(kind(), story)


def test_messages_survive_the_object(kind: Kind) -> None:
    async def put(bus: Bus) -> None:
        await bus.put("a", "b")
        await received(bus)

    async def look(bus: Bus) -> None:
        assert await bus.counts() == Counts(1, 1)
        assert (await received(bus)).body == "b"

    with_bus(kind(), put)
    with_bus(kind(), look)


def test_nobody_else_receives_a_leased_message(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        await bus.put("a")
        await received(bus)
        async with kind() as other:
            assert await other.receive() is None

    with_bus(kind(), story)


def test_a_lease_that_ran_out(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        await bus.put("a", "b")
        first = await received(bus)
        await asyncio.sleep(2 * SHORT)
        assert await bus.counts() == Counts(2, 0)
        assert not await bus.refresh(first)  # nobody has it, but it is too late
        async with kind(SHORT) as other:
            again = await received(other)  # before the new one
            assert (again.id, again.body, again.number) == (first.id, "a", 2)
        assert not await bus.refresh(first)
        assert not await bus.acknowledge(first)
        assert (await bus.counts()).total == 2
        # The latest holder can say that it is done, also when late.
        await asyncio.sleep(2 * SHORT)
        third = await received(bus)
        assert (third.id, third.number) == (first.id, 3)
        await asyncio.sleep(2 * SHORT)
        assert await bus.acknowledge(third)
        assert not await bus.acknowledge(third)
        assert not await bus.refresh(third)
        assert (await bus.counts()).total == 1

    with_bus(kind(SHORT), story)


def test_the_same_object_twice_is_two_deliveries(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        await bus.put("a")
        first = await received(bus)
        await asyncio.sleep(2 * SHORT)
        second = await received(bus)
        assert (first.number, second.number) == (1, 2)
        assert not await bus.acknowledge(first)
        assert await bus.acknowledge(second)

    with_bus(kind(SHORT), story)


def test_refreshing_keeps_a_lease(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        lease = bus.lease
        await bus.put("a")
        mine = await received(bus)
        end = time.monotonic() + 1.3 * lease
        while time.monotonic() < end:
            await asyncio.sleep(lease / 20)
            assert await bus.refresh(mine)
            assert await bus.receive() is None
        assert await bus.acknowledge(mine)
        assert (await bus.counts()).total == 0

    with_bus(kind(1.5), story)


def test_a_hundred_deliveries_held_at_once(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        await bus.put(*map(str, range(120)))
        held = [await received(bus) for _ in range(100)]
        assert await bus.counts() == Counts(20, 100)
        assert all(await asyncio.gather(*map(bus.refresh, held)))
        assert (await received(bus)).body == "100"
        assert all(await asyncio.gather(*map(bus.acknowledge, held)))
        assert await bus.counts() == Counts(19, 1)

    with_bus(kind(), story)


def test_each_message_goes_to_one_of_many(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        await bus.put(*map(str, range(200)))
        taken: list[str] = []

        async def take() -> None:
            async with kind() as mine:
                while (found := await mine.receive()) is not None:
                    taken.append(found.body)
                    assert await mine.acknowledge(found)
                    await asyncio.sleep(0)

        await asyncio.gather(*(take() for _ in range(5)))
        assert sorted(taken, key=int) == [str(n) for n in range(200)]

    with_bus(kind(), story)


def test_put_nothing(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        assert await bus.put() == []
        assert await bus.counts() == Counts(0, 0)

    with_bus(kind(), story)


def test_bodies_that_are_none(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        with pytest.raises(TypeError, match=r"a string, not 1, a int: .* json\.dumps"):
            await bus.put("a", 1)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="a bytes"):
            await bus.put(b"a")  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="surrogates not allowed"):
            await bus.put("a", "\ud800")
        assert await bus.counts() == Counts(0, 0)

    with_bus(kind(), story)


def test_deliveries_that_are_none(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        for method in bus.refresh, bus.acknowledge:
            with pytest.raises(TypeError, match="'1' is no Delivery"):
                await method("1")  # type: ignore[arg-type]
            assert not await method(Delivery("1", "a", 1))  # made up

    with_bus(kind(), story)


def test_a_bus_that_is_not_open(kind: Kind) -> None:
    bus = kind()

    async def use() -> None:
        for call in bus.put("a"), bus.receive(), bus.counts():
            with pytest.raises(BusClosedError, match="is not open: use it inside"):
                await call

    async def story() -> None:
        await use()
        async with bus:
            assert await bus.receive() is None
            with pytest.raises(RuntimeError, match="is open already"):
                await bus.__aenter__()
        await use()
        async with bus:  # one after the other is fine
            await bus.put("a")

    asyncio.run(story())


def test_a_bus_belongs_to_a_loop(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        def elsewhere() -> None:
            with pytest.raises(RuntimeError, match="opened on another event loop"):
                asyncio.run(bus.counts())

        await asyncio.to_thread(elsewhere)

    with_bus(kind(), story)


@pytest.mark.parametrize("what", ["lease", "patience"])
@pytest.mark.parametrize(
    ("value", "error", "says"),
    [
        (0, ValueError, "{} is 0 s: give a finite number of seconds, above 0"),
        (-1.5, ValueError, "{} is -1.5 s"),
        (float("inf"), ValueError, "{} is inf s"),
        (float("nan"), ValueError, "{} is nan s"),
        ("1", TypeError, "expected {} as a number of seconds, got '1', a str"),
        (True, TypeError, "{} as a number of seconds, got True, a bool"),
        (None, TypeError, "{} as a number of seconds, got None"),
    ],
)
def test_bad_times(
    kind: Kind, what: str, value: Any, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says.format(what)):
        kind(**{what: value})


# -- messages that fail --------------------------------------------------------------


def test_a_message_given_back_is_the_next_to_be_received(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        await bus.put("a", "b")
        first = await received(bus)
        assert await bus.give_back(first)
        assert await bus.counts() == Counts(2, 0)
        assert not await bus.refresh(first)
        assert not await bus.give_back(first)
        again = await received(bus)
        assert (again.id, again.number) == (first.id, 2)
        assert not await bus.give_back(first), "it is somebody else's"
        assert await bus.acknowledge(again)
        assert not await bus.give_back(again)
        assert await bus.counts() == Counts(1, 0)

    with_bus(kind(), story)


def test_a_message_that_failed_too_often_is_a_dead_letter(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        ids = await bus.put("poison", "fine")
        for number in (1, 2):
            assert (await bus.counts()).dead == 0
            one = await received(bus)
            assert (one.id, one.number) == (ids[0], number)
            assert await bus.give_back(one)
        assert await bus.counts() == Counts(1, 0, 1)
        assert await bus.dead_letters() == [DeadLetter(ids[0], "poison", 2)]
        assert (await received(bus)).body == "fine"
        assert await bus.receive() is None
        assert await bus.bury("0", ids[1]) == 0
        assert await bus.bury(ids[0]) == 1
        assert await bus.dead_letters() == []
        assert await bus.bury() == 0

    with_bus(kind(most=2), story)


def test_a_message_whose_lease_ran_out_too_often_is_a_dead_letter(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        [poison, _] = await bus.put("poison", "fine")
        for number in (1, 2):
            one = await received(bus)
            assert (one.id, one.number) == (poison, number)
            await asyncio.sleep(2 * SHORT)
        assert await bus.counts() == Counts(2, 0), "nobody has looked yet"
        assert (await received(bus)).body == "fine"
        assert await bus.dead_letters() == [DeadLetter(poison, "poison", 2)]
        assert not await bus.acknowledge(one)

    with_bus(kind(SHORT, most=2), story)


def test_the_last_delivery_may_still_be_acknowledged(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        await bus.put("a")
        one = await received(bus)
        assert await bus.refresh(one)
        assert await bus.acknowledge(one)
        assert await bus.counts() == Counts(0, 0)

    with_bus(kind(most=1), story)


@pytest.mark.parametrize(
    ("most", "error", "says"),
    [
        (0, ValueError, "max_deliveries is 0: give 1 or more, or None for any number"),
        (1.5, TypeError, "max_deliveries as a whole number, or None for any number"),
    ],
)
def test_bad_numbers_of_deliveries(
    kind: Kind, most: Any, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        kind(most=most)


def test_bad_limits_of_dead_letters(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        with pytest.raises(ValueError, match="limit is 0"):
            await bus.dead_letters(0)
        with pytest.raises(TypeError, match="limit as a whole number"):
            await bus.dead_letters("2")  # type: ignore[arg-type]

    with_bus(kind(), story)


# -- consumers that are killed -------------------------------------------------------


def start(program: str) -> subprocess.Popen[str]:
    path = [str(Path(looplab.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
    )


def test_a_killed_consumer_loses_no_message(kind: Kind) -> None:
    lease = 1.0
    settings = LeaseSettings(
        messages=6, rounds=2, cpu=0.001, io=0.001, receive=0.01,
        refresh_every=0.2, refresh=0.01, lease=lease,
    )  # fmt: skip
    bus = kind(lease)
    with_bus(bus, lambda bus: bus.put(*map(str, range(6))))
    victim = start(f"""
        from dataclasses import replace
        from ontime.bus import *
        from ontime.leases import LeaseSettings
        from looplab.priority import PriorityEventLoop
        lease, patience, most = {lease}, 5, None
        # Each round takes longer than the test.
        settings = replace({settings!r}, io=600)
        consume(settings, PriorityEventLoop, bus={kind.text}, fill=False)
        """)
    try:

        async def all_are_held(bus: Bus) -> None:
            async with asyncio.timeout(30):
                while (await bus.counts()).leased < 6:
                    await asyncio.sleep(0.02)
            # It keeps its leases for as long as it lives.
            end = time.monotonic() + 1.5 * lease
            refused = 0
            while time.monotonic() < end:
                refused += await bus.receive() is None
                await asyncio.sleep(0.05)
            assert refused

        with_bus(bus, all_are_held)
        assert victim.poll() is None
        victim.send_signal(signal.SIGKILL)
        assert victim.wait(10) == -signal.SIGKILL
    finally:
        victim.kill()
        victim.communicate()
    run = consume(settings, PriorityEventLoop, bus=bus, fill=False, budget=50)
    assert run.left == Counts(0, 0)
    assert run.processed == 6
    assert {one.id for one in run.deliveries if one.number > 1}
    assert run.redelivered >= 6


def test_a_killed_producer_loses_no_message_that_was_put(kind: Kind) -> None:
    promised: list[str] = []
    for kill_after in (1, 7, 23):
        producer = start(f"""
            import asyncio
            from ontime.bus import *
            lease, patience, most = 600, 5, None
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


RUNS = 8 if FULL else 2
MESSAGES = 1_000 if FULL else 120
LONGEST = 0.6  # seconds until the next one is killed
# Of each message, so that four are at work for some four times as long, on any machine.
PAUSE = 4 * 4 * LONGEST / MESSAGES


@pytest.mark.parametrize("seed", range(RUNS))
def test_consumers_killed_at_any_moment(kind: Kind, tmp_path: Path, seed: int) -> None:
    """Four work, and one after the other is killed and replaced.

    Every message is acknowledged once or is a dead letter, and each dead letter was
    delivered as often as it may be.
    """
    chance = random.Random(seed)
    lease, most = 0.5, 3
    bus = kind(lease, most=most)
    bodies = [f"{'poison' if n % 40 == 7 else 'fine'} {n}" for n in range(MESSAGES)]
    with_bus(bus, lambda bus: bus.put(*bodies))
    journals: list[Path] = []

    def one_more() -> subprocess.Popen[str]:
        journals.append(tmp_path / f"journal-{len(journals)}")
        return start(f"""
            import asyncio, os, time
            from ontime.bus import *
            lease, patience, most = {lease}, 5, {most}
            # Opened to append and unbuffered: a line is written at once or not at all.
            journal = open({str(journals[-1])!r}, "ab", buffering=0)
            def note(*words):
                journal.write(" ".join(map(str, words)).encode() + b"\\n")
            async def main():
                async with {kind.text} as bus:
                    while True:
                        one = await bus.receive()
                        if one is None:
                            if not (await bus.counts()).total:
                                return
                            await asyncio.sleep(0.01)
                            continue
                        note("begun", one.id, one.number)
                        if one.body.startswith("poison"):
                            await bus.give_back(one)
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
                workers[place] = one_more()
        assert all(worker.wait(60) == 0 for worker in workers)
    finally:
        for worker in workers:
            worker.kill()
            worker.communicate()
    assert kills

    lines = [line.split() for path in journals for line in read_lines(path)]
    done = [id_ for what, id_, _ in lines if what == "done"]
    tried = {id_ for what, id_, _ in lines if what == "tried"}
    assert len(done) == len(set(done)), "acknowledged twice"

    async def look(bus: Bus) -> tuple[Counts, list[DeadLetter]]:
        return await bus.counts(), await bus.dead_letters(MESSAGES)

    counts, dead = with_bus(bus, look)
    assert counts == Counts(0, 0, len(dead))
    assert all(letter.deliveries == most for letter in dead)
    gone = {letter.id for letter in dead}
    assert len(gone) == len(dead)
    assert {letter.body for letter in dead} >= {
        body for body in bodies if body.startswith("poison")
    }
    # A consumer that was killed after it had acknowledged could not say so.
    assert not gone & set(done)
    assert len(gone | set(done) | tried) == MESSAGES, "a message was lost"
    assert len(set(done) | gone) >= MESSAGES - kills


def read_lines(path: Path) -> list[str]:
    """The whole lines of a journal, which may not be there yet."""
    if not path.exists():
        return []
    return path.read_text().splitlines()


# -- the consumer on the virtual clock -----------------------------------------------


def test_stock_against_priority_exactly() -> None:
    stock, urgent = compare(clock="virtual")
    assert stock.redelivered > 10
    assert stock.lost_leases > 10
    assert stock.stopped
    assert stock.left.total == SETTINGS.messages - stock.processed > 0
    assert stock.wasted > urgent.wasted == 0
    assert (urgent.processed, urgent.redelivered, urgent.lost_leases) == (20, 0, 0)
    assert urgent.left == Counts(0, 0)
    assert not urgent.stopped
    assert urgent.floor == pytest.approx(5)
    # A refresh waits for one round at most.
    assert urgent.worst_lateness <= SETTINGS.cpu < stock.worst_lateness


def test_exact_runs_are_equal() -> None:
    def run() -> Any:
        return consume(clock="virtual", jitter=0.001, seed=5)

    assert run() == run()
    assert run() != consume(clock="virtual", jitter=0.001, seed=6)


@pytest.mark.parametrize("seed", range(5))
def test_over_jitter(seed: int) -> None:
    stock, urgent, gated = compare(
        schedulers=(None, ByPriority(), PriorityGate),
        clock="virtual",
        jitter=0.001,
        seed=seed,
    )
    assert stock.redelivered > 0
    assert (urgent.processed, urgent.redelivered) == (20, 0)
    assert (gated.processed, gated.redelivered) == (20, 0)


def test_the_published_settings_exactly() -> None:
    settings = LeaseSettings(messages=20)
    stock, urgent = compare(settings, clock="virtual", receivers=1)
    assert stock.redelivered > 0
    assert stock.processed == 0
    assert (urgent.processed, urgent.redelivered) == (20, 0)
    assert urgent.worst_lateness <= settings.cpu


@pytest.mark.parametrize(
    "scheduler",
    [PriorityEventLoop, ByPriority(ageing=60), PriorityGate, PriorityProtocol(settle=2),
     ByDeadline],
)  # fmt: skip
def test_every_scheduler_keeps_the_leases(scheduler: Any) -> None:
    run = consume(scheduler=scheduler, clock="virtual")
    assert (run.processed, run.redelivered) == (20, 0)


def test_records_of_deliveries() -> None:
    settings = LeaseSettings(
        messages=2,
        rounds=3,
        cpu=1,
        io=1,
        receive=1,
        refresh_every=2,
        refresh=0,
        lease=9,
    )
    run = consume(settings, clock="virtual", receivers=1)
    assert [(one.id, one.number, one.outcome) for one in run.deliveries] == [
        ("1", 1, "done"),
        ("2", 1, "done"),
    ]
    first, second = run.deliveries
    assert (first.received_at, first.rounds) == (1, 3)
    assert 1 < second.received_at < first.ended_at < second.ended_at <= run.makespan
    assert run.clock == "virtual"
    assert run.held == 2


def test_only_the_last_delivery_of_a_message_is_done() -> None:
    # Four messages at once are too much for a lease.
    settings = LeaseSettings(
        messages=4, rounds=4, cpu=1, io=0.5, receive=0.5,
        refresh_every=1, refresh=0, lease=3.5,
    )  # fmt: skip
    run = consume(settings, clock="virtual", receivers=4)
    assert run.redelivered > 0
    by_id: dict[str, list[Any]] = {}
    for one in run.deliveries:
        by_id.setdefault(one.id, []).append(one)
    for records in by_id.values():
        assert [one.number for one in records] == list(range(1, len(records) + 1))
        assert all(one.outcome != "done" for one in records[:-1])
    assert run.redelivered == len(run.deliveries) - len(by_id)


@pytest.mark.parametrize("receivers", [1, 2, 4, 9])
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_the_limit_holds_with_any_number_of_receivers(
    limit: int, receivers: int
) -> None:
    settings = replace(SETTINGS, limit=limit)
    run = consume(settings, clock="virtual", receivers=receivers)
    assert run.held == limit
    assert run.processed == 20


def test_the_budget_ends_a_run_that_loses_every_lease() -> None:
    one = consume(clock="virtual", budget=1)
    two = consume(clock="virtual", budget=2)
    rounds = SETTINGS.messages * SETTINGS.rounds
    for run, budget in (one, 1), (two, 2):
        computed = sum(record.rounds for record in run.deliveries)
        assert budget * rounds <= computed < (budget + 0.5) * rounds
        assert run.stopped
    assert one.makespan < two.makespan


def test_stop_after() -> None:
    run = consume(clock="virtual", stop_after=1.0, scheduler=PriorityEventLoop)
    assert run.stopped
    assert 1.0 <= run.makespan < 3.0
    assert run.processed + run.left.total == 20
    assert {one.outcome for one in run.deliveries} == {"stopped"}


def test_work_off_what_is_there(kind: Kind) -> None:
    settings = LeaseSettings(
        messages=9, rounds=1, cpu=0, io=0, receive=0.001,
        refresh_every=0.05, refresh=0, lease=LONG,
    )  # fmt: skip
    bus = kind()
    with_bus(bus, lambda bus: bus.put("a", "b"))
    run = consume(settings, bus=bus, fill=False)
    assert (run.processed, run.left.total) == (2, 0)
    run = consume(settings, bus=bus)  # puts nine
    assert (run.processed, run.left.total) == (9, 0)
    run = consume(settings, bus=bus, fill=False)
    assert (run.processed, run.deliveries) == (0, ())


def test_the_default_bus_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    consume(clock="virtual", scheduler=PriorityEventLoop)
    assert list(tmp_path.iterdir()) == []


# -- the consumer in real time -------------------------------------------------------


@pytest.mark.parametrize("scheduler", [None, PriorityEventLoop, PriorityGate])
def test_a_small_run_in_real_time(kind: Kind, scheduler: Any) -> None:
    settings = LeaseSettings(
        messages=4, rounds=2, cpu=0.002, io=0.002, receive=0.002,
        refresh_every=0.004, refresh=0.001, lease=LONG,
    )  # fmt: skip
    run = consume(settings, scheduler, bus=kind())
    assert (run.processed, run.redelivered, run.left.total) == (4, 0, 0)
    assert run.clock == "real"
    assert run.makespan > 2 * 0.002
    assert run.refresh_lateness


def test_leases_run_out_in_real_time(kind: Kind) -> None:
    # Six rounds one after the other take longer than a lease, on any machine.
    settings = LeaseSettings(
        messages=6, rounds=5, cpu=0.03, io=0.001, receive=0.001,
        refresh_every=0.04, refresh=0.001, lease=0.1,
    )  # fmt: skip
    run = consume(settings, bus=kind(settings.lease), budget=1)
    assert run.redelivered > 0
    assert run.wasted > 0
    assert run.processed + run.left.total == 6
    # The message that is delivered again is the same one.
    assert len({one.id for one in run.deliveries}) <= 6


def test_a_bus_that_fails_says_so_once(kind: Kind) -> None:
    settings = LeaseSettings(
        messages=30, rounds=1000, cpu=0.001, io=0.01, receive=0.001,
        refresh_every=0.005, refresh=0.001, lease=LONG,
    )  # fmt: skip
    bus: Any = kind(patience=0.2)
    calls = 0
    refresh = bus.refresh

    async def fails(delivery: Delivery) -> bool:
        nonlocal calls
        calls += 1
        if calls > 10:
            raise BusUnavailableError("gone")
        return bool(await refresh(delivery))

    bus.refresh = fails
    with pytest.raises(BusUnavailableError, match=r"^gone$"):
        consume(settings, PriorityEventLoop, bus=bus)
    del bus.refresh
    assert with_bus(bus, lambda bus: bus.counts()).total == 30


# -- wrong arguments -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"settings": 3}, TypeError, "takes LeaseSettings, not int"),
        ({"scheduler": 3}, TypeError, "3 is no scheduler"),
        ({"scheduler": int}, TypeError, "0 is no scheduler"),
        ({"bus": "work.db"}, TypeError, "'work.db', a str: give an SQLiteBus"),
        ({"bus": SQLiteBus}, TypeError, "give an SQLiteBus"),
        ({"receivers": 0}, ValueError, "receivers is 0: give 1 or more"),
        (
            {"receivers": 1.5},
            TypeError,
            "receivers as a whole number, got 1.5, a float",
        ),
        ({"budget": 0}, ValueError, "budget is 0: give a finite number, above 0"),
        ({"budget": "2"}, TypeError, "expected budget as a number, got '2', a str"),
        ({"stop_after": -1}, ValueError, "stop_after is -1"),
        ({"stop_after": float("nan")}, ValueError, "stop_after is nan"),
        ({"clock": "wall"}, ValueError, "clock is 'wall': give \"virtual\" or"),
        ({"jitter": 0.1}, ValueError, "a real clock has its own"),
    ],
)
def test_wrong_arguments(
    arguments: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        consume(**arguments)


def test_a_lease_of_two_lengths(kind: Kind) -> None:
    with pytest.raises(ValueError, match="600 s and the settings one of 2 s: make the"):
        consume(bus=kind())


def test_receiving_without_a_wait() -> None:
    with pytest.raises(ValueError, match="receive is 0 s: an empty bus"):
        consume(LeaseSettings(receive=0))


def test_redis_has_no_virtual_clock(server: RedisServer) -> None:
    bus = RedisBus(server.url, lease=SETTINGS.lease)
    with pytest.raises(ValueError, match="answers in real time: leave clock out"):
        consume(bus=bus, clock="virtual")


def test_wrong_arguments_of_compare() -> None:
    with pytest.raises(ValueError, match="there are no schedulers"):
        compare(schedulers=())
    with pytest.raises(TypeError, match="give a function that makes a bus"):
        compare(bus=3)  # type: ignore[arg-type]


# -- what is shown -------------------------------------------------------------------


def test_texts() -> None:
    runs = compare(clock="virtual")
    stock, urgent = runs
    assert repr(stock).endswith("first come first served, SQLite>")
    assert f" {stock.left.total} left in " in repr(stock)
    assert repr(urgent) == (
        f"<BusRun 20 processed, 0 delivered again in {urgent.makespan:.3f} s, "
        "the priority loop, SQLite>"
    )
    assert (len(runs), runs[1]) == (2, urgent)
    lines = repr(runs).splitlines()
    assert lines[0].split()[0] == "scheduler"
    assert lines[0].endswith("the priority loop")
    assert len({len(line) for line in lines}) == 1
    again = next(line for line in lines if line.startswith("delivered again"))
    assert again.split()[2:] == [str(stock.redelivered), "0"]
    html = runs._repr_html_()
    assert html.count("<tr>") == len(lines)
    assert f"<td>{stock.redelivered}</td><td>0</td>" in html
    assert urgent._repr_html_() == BusRuns((urgent,))._repr_html_()


def test_names_are_escaped() -> None:
    class Turns:
        name = "<b>&"

        async def turn(self, priority: int | None = None) -> None:
            pass

    html = consume(scheduler=Turns(), clock="virtual", stop_after=1)._repr_html_()
    assert "&lt;b&gt;&amp;" in html
    assert "<b>" not in html


def test_bus_errors_are_one_family() -> None:
    assert issubclass(NotABusError, RuntimeError)
