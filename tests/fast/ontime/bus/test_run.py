"""The consumer that works on a bus, on the virtual clock; a fake of Redis' package."""

from __future__ import annotations

from typing import Any

import pytest

from looplab.priority import ByDeadline, ByPriority, PriorityGate, PriorityProtocol
from ontime.bus import SETTINGS, Counts, RedisBus, compare, consume
from ontime.leases import LeaseSettings


def test_the_stock_loop_delivers_again_and_the_priority_loop_does_not() -> None:
    stock, urgent = compare(clock="virtual")
    assert stock.redelivered > 10
    assert stock.left.total == SETTINGS.messages - stock.processed > 0
    assert (urgent.processed, urgent.redelivered) == (20, 0)
    assert urgent.left == Counts(0, 0)
    lost, facts = dict(stock._facts()), dict(urgent._facts())
    assert int(lost["leases lost"]) > 10 and facts["leases lost"] == "0"
    assert lost["CPU for nothing"] > facts["CPU for nothing"] == "0.000 s"
    each = SETTINGS.rounds * SETTINGS.cpu
    for run, row in (stock, lost), (urgent, facts):
        finished = float(row["CPU for finished work"].removesuffix(" s"))
        assert finished == pytest.approx(run.processed * each)
    # A refresh waits for one round at most.
    assert urgent.worst_lateness <= SETTINGS.cpu < stock.worst_lateness


@pytest.mark.parametrize("jitter", [0, 0.001])
@pytest.mark.parametrize(
    "scheduler",
    [
        ByPriority(),
        ByPriority(ageing=60),
        PriorityGate,
        PriorityProtocol(settle=2),
        ByDeadline,
    ],
)
def test_every_scheduler_keeps_the_leases(scheduler: Any, jitter: float) -> None:
    run = consume(scheduler=scheduler, clock="virtual", jitter=jitter)
    assert (run.processed, run.redelivered) == (20, 0)


def test_only_the_last_delivery_of_a_message_is_done() -> None:
    # Four messages at once are too much for a lease.
    settings = LeaseSettings(
        messages=4, rounds=4, cpu=1, io=0.5, receive=0.5,
        refresh_every=1, refresh=0, lease=3.5,
    )  # fmt: skip
    run = consume(settings, clock="virtual")
    assert run.redelivered > 0
    by_id: dict[str, list[Any]] = {}
    for delivery in run.messages:
        by_id.setdefault(delivery.token.id, []).append(delivery)
    for records in by_id.values():
        numbers = [record.token.number for record in records]
        assert numbers == [*range(1, len(records) + 1)]
        assert all(record.outcome != "done" for record in records[:-1])
    assert run.redelivered == len(run.messages) - len(by_id)


def test_the_budget_ends_a_run_that_loses_every_lease() -> None:
    rounds = SETTINGS.messages * SETTINGS.rounds
    for budget in 1, 2:
        run = consume(clock="virtual", budget=budget, jitter=0.001, seed=budget)
        again = consume(clock="virtual", budget=budget, jitter=0.001, seed=budget)
        assert run == again
        computed = sum(record.rounds for record in run.messages)
        assert budget * rounds <= computed < (budget + 0.5) * rounds
        assert run.left.total


def test_a_lease_of_less_than_a_millisecond_counts_as_one() -> None:
    pytest.importorskip("redis")
    for lease, milliseconds in (0.0001, 1), (0.0011, 2), (0.003, 3):
        assert RedisBus(lease=lease)._lease_ms == milliseconds
