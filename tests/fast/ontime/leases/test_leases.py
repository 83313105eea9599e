"""The message-lease consumer: what it counts, exactness and schedulers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from looplab.priority import PriorityGate
from ontime.leases import EXPERIMENTS, LeaseSettings, ThreadPool, consume, consume_many


def test_one_message_takes_the_sum_of_its_waits() -> None:
    run = consume(LeaseSettings(messages=1, cpu=0.0, rounds=3))
    assert (run.processed, run.lost, run.held) == (1, 0, 1)
    [message] = run.messages
    assert (message.received_at, message.rounds, message.lost) == (0.25, 3, False)
    assert run.times == (message.seconds,) == (pytest.approx(3.0),)
    assert run.makespan == pytest.approx(0.25 + 2 * (2.0 + 0.25))


def test_a_lease_older_than_its_time_is_lost_and_the_work_stops() -> None:
    run = consume(LeaseSettings(messages=1, rounds=3, cpu=6.0))
    [message] = run.messages
    assert (run.lost, run.processed, run.times) == (1, 0, ())
    assert message.lost_at == pytest.approx(6.25), "the first check, after one round"
    assert message.rounds < 3
    assert max(check.age for check in message.checks) == pytest.approx(6.0)
    assert run.worst_lateness == pytest.approx(4.0)


def test_a_lease_of_exactly_its_time_is_kept() -> None:
    what = LeaseSettings(messages=1, rounds=1, cpu=0.0, io=0.3, refresh_every=0.1)
    assert consume(replace(what, lease=0.1)).lost == 0
    assert consume(replace(what, lease=0.09)).lost == 1


@pytest.mark.parametrize("name", ["E2", "E3", "E4"])
def test_an_experiment_repeats_and_loses_work_only_on_one_thread(name: str) -> None:
    experiment = EXPERIMENTS[name]
    first, second = (
        consume(experiment.settings, experiment.scheduler, jitter=0.004)
        for _ in range(2)
    )
    assert first == second and first.processed + first.lost == 100
    worked = sum(message.rounds for message in first.messages)
    if name == "E2":
        assert first.lost == 0 and (first.threads or 0) > 4
    else:
        assert first.lost > 0 and worked < 100 * 20


def test_jitter_is_seeded_and_the_collapse_holds_over_it() -> None:
    much = consume_many(LeaseSettings(), runs=5)
    assert much == consume_many(LeaseSettings(), runs=5)
    assert len({run.makespan for run in much}) == 5
    assert consume_many(LeaseSettings(cpu=0.1), runs=5).lost.max < 80 < much.lost.min


def test_threads_that_sleep_do_not_share_a_core() -> None:
    free = consume(LeaseSettings(messages=30), ThreadPool())
    assert free.lost == 0 and free.makespan < free.settings.floor
    fewer = consume(LeaseSettings(messages=30), ThreadPool(2))
    assert fewer.makespan > free.makespan and fewer.threads == 2


def test_a_limit_bounds_what_is_held_and_saves_leases() -> None:
    free = consume(LeaseSettings(messages=30))
    bound = consume(LeaseSettings(messages=30, limit=2))
    assert bound.held == 2 < free.held
    assert bound.lost < free.lost


def test_a_trace_holds_the_turns_of_the_tasks() -> None:
    run = consume(LeaseSettings(messages=3, rounds=2), trace=True)
    assert run.trace is not None
    assert {"receive", "message-0", "lease-2"} <= {call.task for call in run.trace}
    assert sum(call.duration for call in run.trace) == pytest.approx(run.settings.floor)
    assert "lease" in run.timeline()._repr_html_()
    assert consume(LeaseSettings(messages=1)).trace is None


def test_the_results_tell_themselves() -> None:
    run = consume(LeaseSettings(messages=3, cpu=0.1), PriorityGate())
    assert repr(run) == "<LeaseRun 3 processed, 0 lost in 23.6 s, the gate>"
    facts = dict(run._facts())
    assert facts["scheduler"] == "the gate" and facts["makespan"] == "23.6 s (exact)"
    assert (facts["processed"], facts["lost"]) == ("3", "0")
    assert facts["yields"] == f"{run.yields:,}" and "threads" not in facts
    assert facts["oldest lease at a check"] == "2.05 s"
    html = run._repr_html_()
    assert all(word in html for pair in facts.items() for word in pair)
    runs = consume_many(LeaseSettings(messages=20), runs=3)
    low, high = f"{runs.lost.min:g}", f"{runs.lost.max:g}"
    assert f"lost {low} to {high}, median {runs.lost.median:g} of 20" in repr(runs)


def test_settings_scale_together() -> None:
    what = LeaseSettings(messages=10)
    small = consume(what.scaled(1 / 64))  # a power of two scales exactly
    assert small.lost == consume(what).lost
    assert small.makespan * 64 == pytest.approx(consume(what).makespan)


@settings(max_examples=40)
@given(
    messages=st.integers(1, 12),
    rounds=st.integers(1, 4),
    cpu=st.sampled_from([0.0, 0.1, 0.5, 1.0, 3.0]),
    limit=st.none() | st.integers(1, 4),
    pool=st.sampled_from([None, ThreadPool(), ThreadPool(1), ThreadPool(2, 1.0)]),
)
def test_every_message_ends_in_one_of_two_ways(
    messages: int, rounds: int, cpu: float, limit: int | None, pool: Any
) -> None:
    what = LeaseSettings(messages=messages, rounds=rounds, cpu=cpu, limit=limit)
    run = consume(what, pool)
    assert run.processed + run.lost == len(run.messages) == messages
    assert run.held <= (limit or messages)
    for message in run.messages:
        assert message.lost or message.rounds == rounds
        assert all(check.age >= 0 for check in message.checks)
    if pool is None:
        worked = sum(message.rounds for message in run.messages) * cpu
        assert run.makespan >= worked - 1e-9
