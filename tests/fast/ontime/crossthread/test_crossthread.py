"""What sessions tell and refuse without a thread."""

from __future__ import annotations

import os

import pytest

from ontime.crossthread import Case, Idle, Waits, measure, missing, unable


def test_words_of_a_result() -> None:
    waits = Waits((0.001, 0.003, 0.002), 6)
    assert waits.voluntary_each == 2
    assert repr(waits) == (
        "3 waits: median 2.000 ms, worst 3.000 ms, 2.0 voluntary switches each"
    )
    unknown = Waits((0.001,), None)
    assert repr(unknown) == "1 waits: median 1.000 ms, worst 1.000 ms"
    idle = Idle((3, 5), 0.3, 0.1, 0.4)
    assert (idle.most, idle.share) == (5, 0.25)
    assert repr(idle) == "2 idle loops for 0.30 s: 8 turns, 25.00% of a core"


def test_what_a_case_tells() -> None:
    case = Case(8, 2, 0.008, 0.004, 0.001, for_lock=5.0, for_core=1.5)
    assert (case.by_lock, case.by_both) == (2, 8)
    assert "wait for the lock 5.0, for a core 1.5" in repr(case)
    unknown = Case(8, 2, 0.008, 0.004, 0.001, for_lock=None, for_core=None)
    assert "wait" not in repr(unknown)


def test_why_an_experiment_cannot_run_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert missing("poll") == ""
    assert "pip install janus" in missing("janus")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 4}, raising=False)
    assert unable() == unable(cores=2) == ""
    assert "needs 3 cores, and this process may use 2" in unable(cores=3)
    monkeypatch.setattr(measure, "voluntary", lambda: None)
    assert "does not count" in unable(counts=True)
    monkeypatch.delattr(os, "sched_getaffinity")
    assert "cannot pin" in unable(cores=2)
