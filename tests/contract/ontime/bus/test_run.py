"""The consumer that works on a bus, on the virtual clock and in real time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from looplab.priority import (
    ByDeadline,
    ByPriority,
    PriorityEventLoop,
    PriorityGate,
    PriorityProtocol,
)
from ontime.bus import (
    SETTINGS,
    BusUnavailableError,
    Counts,
    Delivery,
    RedisBus,
    compare,
    consume,
)
from ontime.leases import LeaseSettings
from tests.contract.ontime.bus.redis_server import RedisServer
from tests.fast.ontime.bus.buses import LONG, Kind, with_bus


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
    bus: Any = kind(patience=LONG)
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


def test_a_lease_of_two_lengths(kind: Kind) -> None:
    with pytest.raises(ValueError, match="600 s and the settings one of 2 s: make the"):
        consume(bus=kind())


def test_redis_has_no_virtual_clock(server: RedisServer) -> None:
    bus = RedisBus(server.url, lease=SETTINGS.lease)
    with pytest.raises(ValueError, match="answers in real time: leave clock out"):
        consume(bus=bus, clock="virtual")
