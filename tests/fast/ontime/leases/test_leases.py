"""The message-lease consumer: what it counts, exactness, schedulers and bad input."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from looplab.priority import PriorityGate
from ontime.leases import (
    EXPERIMENTS,
    LeaseRun,
    LeaseSettings,
    ThreadPool,
    consume,
    consume_many,
)


def by_hand(what: LeaseSettings) -> float:
    """The makespan of one message alone that needs no CPU, added up."""
    work = what.receive + what.rounds * what.io
    now = what.receive
    while now < work:
        now += what.refresh_every + what.refresh
    return now


def test_one_message_takes_the_sum_of_its_waits() -> None:
    what = LeaseSettings(messages=1, cpu=0.0, rounds=3)
    run = consume(what)
    assert (run.processed, run.lost, run.held) == (1, 0, 1)
    [message] = run.messages
    assert message.received_at == 0.25
    assert message.seconds == pytest.approx(3.0)
    assert run.makespan == pytest.approx(by_hand(what))
    assert run.times == (message.seconds,)
    assert message.rounds == 3 and not message.lost


def test_a_lease_older_than_its_time_is_lost_and_the_work_stops() -> None:
    what = LeaseSettings(messages=1, rounds=3, cpu=6.0, lease=5.0)
    run = consume(what)
    [message] = run.messages
    assert run.lost == 1 and run.processed == 0 and run.times == ()
    assert message.lost_at == pytest.approx(6.25), "the first check, after one round"
    assert message.rounds < 3
    assert run.oldest_lease == pytest.approx(6.0)
    assert run.worst_lateness == pytest.approx(4.0)


def test_a_lease_of_exactly_its_time_is_kept() -> None:
    what = LeaseSettings(messages=1, rounds=1, cpu=0.0, io=0.3, refresh_every=0.1)
    assert consume(replace(what, lease=0.1)).lost == 0
    assert consume(replace(what, lease=0.09)).lost == 1


@pytest.mark.parametrize("name", ["E1", "E2", "E3", "E4"])
def test_each_experiment_has_the_published_settings_and_repeats(name: str) -> None:
    experiment = EXPERIMENTS[name]
    first, second = experiment.run(), experiment.run()
    assert first == second
    what = first.settings
    assert (what.messages, what.rounds, what.io, what.lease) == (100, 20, 1.0, 5.0)
    assert first.processed + first.lost == 100
    if name in ("E1", "E2"):
        assert first.lost == 0
        assert first.threads is not None and first.threads > 4
    else:
        assert first.lost > 0
        worked = sum(message.rounds for message in first.messages)
        assert worked < 100 * 20, "work that was lost is work that was not done"


def test_the_collapse_holds_over_jitter() -> None:
    little = consume_many(LeaseSettings(cpu=0.1), runs=5)
    much = consume_many(LeaseSettings(), runs=5)
    assert max(run.lost for run in little) < min(run.lost for run in much)
    assert min(run.lost for run in much) > 80


def test_jitter_is_seeded() -> None:
    what = LeaseSettings(messages=20)
    assert consume_many(what, runs=3, seed=1) == consume_many(what, runs=3, seed=1)
    one = [run.makespan for run in consume_many(what, runs=3, seed=1)]
    other = [run.makespan for run in consume_many(what, runs=3, seed=2)]
    assert one != other


def test_a_pool_of_any_number_of_threads_loses_nothing() -> None:
    run = consume(LeaseSettings(messages=30, cpu=1.0), ThreadPool())
    assert run.lost == 0
    assert run.makespan < run.floor, "threads that sleep do not share a core"
    fewer = consume(LeaseSettings(messages=30, cpu=1.0), ThreadPool(2))
    assert fewer.makespan > run.makespan and fewer.threads == 2


def test_a_limit_bounds_what_is_held_and_saves_leases() -> None:
    free = consume(LeaseSettings(messages=30))
    bound = consume(LeaseSettings(messages=30, limit=2))
    assert bound.held == 2 < free.held
    assert bound.lost < free.lost


def test_a_trace_holds_the_turns_of_the_tasks() -> None:
    run = consume(LeaseSettings(messages=3, rounds=2), trace=True)
    names = {record.task for record in run.trace}
    assert {"receive", "message-0", "lease-2"} <= names
    busy = sum(record.duration for record in run.trace)
    assert busy == pytest.approx(run.floor)
    assert "lease" in run.timeline()._repr_html_()
    with pytest.raises(ValueError, match="give consume\\(\\) trace=True"):
        _ = consume(LeaseSettings(messages=1)).trace
    with pytest.raises(ValueError, match="one thread"):
        _ = consume(LeaseSettings(messages=1), ThreadPool(), trace=True).trace


def test_the_result_tells_itself() -> None:
    run = consume(LeaseSettings(messages=3, cpu=0.1))
    assert "3 processed, 0 lost" in repr(run)
    html = run._repr_html_()
    for word in ("processed", "makespan", "worst refresh lateness"):
        assert word in html
    runs = consume_many(LeaseSettings(messages=3), runs=2)
    assert "2 runs" in runs._repr_html_()


def test_the_result_is_a_table_in_a_terminal_too() -> None:
    run = consume(LeaseSettings(messages=3, cpu=0.1), PriorityGate())
    lines = run.table().splitlines()
    assert [line.split("  ")[0] for line in lines] == [name for name, _ in run._facts()]
    assert lines[0].split("  ")[-1].strip() == "the gate"
    assert lines[1].split() == ["processed", "3"]
    starts = {
        line.index(value) for line, (_, value) in zip(lines, run._facts(), strict=True)
    }
    assert len(starts) == 1, "the values are below one another"
    assert "\n" not in str(run), "one line, so that it fits into a sentence"


def test_many_runs_are_a_table_too() -> None:
    runs = consume_many(LeaseSettings(messages=20), runs=3)
    head, *lines = runs.table().splitlines()
    assert head.split() == ["3", "runs", "least", "median", "most"]
    figures = [line.split()[-3:] for line in lines]
    assert figures[0] == [
        f"{runs.lost.min:g}",
        f"{runs.lost.median:g}",
        f"{runs.lost.max:g}",
    ]
    assert figures[3] == [
        f"{runs.held.min:g}",
        f"{runs.held.median:g}",
        f"{runs.held.max:g}",
    ]
    assert len({len(line) for line in (head, *lines)}) == 1, "aligned to the right"
    assert max(map(len, lines)) < 80


def test_settings_scale_together() -> None:
    what = LeaseSettings(messages=10, cpu=1.0)
    small = what.scaled(1 / 64)  # a power of two scales exactly
    assert consume(small).lost == consume(what).lost
    assert consume(small).makespan * 64 == pytest.approx(consume(what).makespan)
    with pytest.raises(ValueError, match="factor is 0"):
        what.scaled(0)


@pytest.mark.parametrize(
    ("bad", "error", "words"),
    [
        ({"messages": 0}, ValueError, "messages is 0: give 1 or more"),
        ({"messages": 2.5}, TypeError, "messages as a whole number, got 2.5, a float"),
        ({"rounds": True}, TypeError, "rounds as a whole number, got True"),
        ({"cpu": -1}, ValueError, "cpu is -1 s"),
        ({"io": math.nan}, ValueError, "io is nan s"),
        ({"lease": math.inf}, ValueError, "lease is inf s"),
        ({"receive": "1"}, TypeError, "receive as a number of seconds, got '1', a str"),
        ({"limit": 0}, ValueError, "or None for any number"),
        ({"refresh_every": 0, "refresh": 0}, ValueError, "give one of them a time"),
        ({"lease_priority": "high"}, TypeError, "lease_priority"),
        ({"work_deadline": -1}, ValueError, "work_deadline is -1 s"),
    ],
)
def test_settings_that_cannot_be_meant_are_named(
    bad: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        LeaseSettings(**bad)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: consume("fast"), TypeError, "LeaseSettings, not str"),
        (lambda: consume(None, "fifo"), TypeError, "is no scheduler"),
        (lambda: consume(None, clock="wall"), ValueError, "clock is 'wall'"),
        (lambda: consume(None, clock="real", jitter=1), ValueError, "jitter is 1 s"),
        (lambda: consume(None, ThreadPool(), clock="real"), ValueError, "a model"),
        (lambda: consume_many(None, runs=0), ValueError, "runs is 0"),
        (lambda: ThreadPool(0), ValueError, "threads is 0"),
        (lambda: ThreadPool(4, grow_every=0), ValueError, "grow_every is 0 s"),
        (lambda: ThreadPool(None, grow_every=1), ValueError, "cannot grow"),
    ],
)
def test_a_call_that_cannot_be_meant_is_named(
    call: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        call()


@settings(max_examples=40)
@given(
    messages=st.integers(1, 12),
    rounds=st.integers(1, 4),
    cpu=st.sampled_from([0.0, 0.1, 0.5, 1.0, 3.0]),
    limit=st.none() | st.integers(1, 4),
    pool=st.sampled_from([None, ThreadPool(), ThreadPool(1), ThreadPool(2, 1.0)]),
)
def test_every_message_ends_in_one_of_two_ways(
    messages: int, rounds: int, cpu: float, limit: int | None, pool: ThreadPool | None
) -> None:
    what = LeaseSettings(messages=messages, rounds=rounds, cpu=cpu, limit=limit)
    run: LeaseRun = consume(what, pool)
    assert run.processed + run.lost == len(run.messages) == messages
    assert run.held <= (limit or messages)
    for message in run.messages:
        assert message.lost or message.rounds == rounds
        assert all(check.age >= 0 for check in message.checks)
    if pool is None:
        worked = sum(message.rounds for message in run.messages) * cpu
        assert run.makespan >= worked - 1e-9
