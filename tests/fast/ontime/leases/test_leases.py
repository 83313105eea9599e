"""The message-lease consumer: what it counts, exactness, schedulers and bad input."""

from __future__ import annotations

import math
import re
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
    first = [run.makespan for run in consume_many(what, runs=3, seed=1)]
    other = [run.makespan for run in consume_many(what, runs=3, seed=2)]
    assert first != other


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


def test_the_results_tell_themselves() -> None:
    run = consume(LeaseSettings(messages=3, cpu=0.1), PriorityGate())
    assert "3 processed, 0 lost" in repr(run)
    facts = dict(run._facts())
    assert facts["scheduler"] == "the gate"
    assert (facts["processed"], facts["lost"]) == ("3", "0")
    assert facts["oldest lease at a check"] == "2.05 s"
    assert facts["makespan"].endswith("(exact)")
    html = run._repr_html_()
    assert all(word in html for pair in facts.items() for word in pair)
    runs = consume_many(LeaseSettings(messages=20), runs=3)
    lost, held = runs.lost, runs.held
    assert f"lost {lost.min:g} to {lost.max:g}, median {lost.median:g} of 20" in repr(
        runs
    )
    cells = re.findall("<t[dh][^>]*>([^<]*)</t", runs._repr_html_())
    assert cells[:4] == ["3 runs", "least", "median", "most"]
    for name, spread in ("lost", lost), ("messages held at once", held):
        row = cells.index(name)
        figures = spread.min, spread.median, spread.max
        assert cells[row + 1 : row + 4] == [f"{figure:g}" for figure in figures]


def test_settings_scale_together() -> None:
    what = LeaseSettings(messages=10, cpu=1.0)
    small = what.scaled(1 / 64)  # a power of two scales exactly
    assert consume(small).lost == consume(what).lost
    assert consume(small).makespan * 64 == pytest.approx(consume(what).makespan)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: LeaseSettings(messages=0), ValueError, "messages is 0"),
        (lambda: LeaseSettings(cpu=-1), ValueError, "cpu is -1 s"),
        (lambda: LeaseSettings(work_deadline=math.nan), ValueError, "deadline is nan"),
        (lambda: LeaseSettings(limit=0), ValueError, "limit .* None"),
        (
            lambda: LeaseSettings(refresh_every=0, refresh=0),
            ValueError,
            "refresh_every and refresh",
        ),
        (lambda: consume(None, "fifo"), TypeError, "is no scheduler"),
        (lambda: consume(None, clock="wall"), ValueError, "clock is 'wall'"),
        (lambda: consume(None, clock="real", jitter=1), ValueError, "jitter is 1 s"),
        (lambda: consume(None, ThreadPool(), clock="real"), ValueError, "a model"),
        (lambda: consume_many(None, runs=0), ValueError, "runs is 0"),
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
