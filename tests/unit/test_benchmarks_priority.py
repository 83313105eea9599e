"""The benchmark of the priorities: its work, its arithmetic, the published file.

Nothing here asserts a speed: a loaded machine must not fail it.
"""

import asyncio
import gc
import json
import re
import subprocess
import sys

import benchmark_table
import pytest

from benchmarks import environment, priority, priority_worker, runner
from benchmarks.priority_worker import ASYNKIT, CHAINS, CLIENTS, OURS, STOCK
from looplab.priority import PriorityEventLoop
from tools.common import ROOT, ToolError

PUBLISHED = ROOT / "benchmarks" / "priority_results.json"


@pytest.fixture(autouse=True)
def thaw():
    """A measurement freezes what the garbage collector would look at."""
    yield
    gc.unfreeze()


@pytest.mark.parametrize("row", [STOCK, OURS])
@pytest.mark.parametrize("work", priority_worker.WORKS)
def test_the_work_is_done(work, row):
    assert priority_worker.measure(work, row, 1_000) > 0


@pytest.mark.parametrize("row", ["loop", "gate", "protocol"])
def test_the_consumer_does_its_work(row):
    assert priority_worker.measure("leases", row, 5) > 0


def test_a_loop_that_skips_work_is_caught(monkeypatch):
    async def lazy(size):
        return size - 1

    monkeypatch.setitem(priority_worker.WORKS, "soon", lazy)
    facts = priority_worker.answer("soon", STOCK, 1_000)
    assert facts["why"] == "failed with NotDoneError"
    assert "999 of 1000" in facts["detail"]


def test_a_missing_peer_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "asynkit", None)
    monkeypatch.setitem(sys.modules, "asynkit.experimental.priority", None)
    assert priority_worker.answer("soon", ASYNKIT, 1_000)["why"] == "not installed"


def test_the_rows_have_the_loops_that_they_name():
    stock = priority_worker.new_loop(STOCK)
    ours = priority_worker.new_loop(OURS)
    assert type(stock) is asyncio.SelectorEventLoop
    assert type(ours) is PriorityEventLoop
    stock.close()
    ours.close()


def test_under_valgrind_the_loop_looks_less_often():
    code = (
        "from benchmarks.priority_worker import new_loop, OURS;"
        "print(new_loop(OURS)._look_every)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=runner.environ() | {"LOOK_EVERY": "0.25"},
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    assert done.stdout == "0.25\n"
    assert PriorityEventLoop()._look_every == priority.LOOK_EVERY


def test_ratios_are_taken_round_by_round():
    # The machine was twice as slow in the second round; the ratios do not see it.
    values = {STOCK: [2.0, 4.0, 2.0], OURS: [2.2, 4.4, 3.0]}
    why = {ASYNKIT: "not installed"}
    group = priority.table("title", "µs", "method", values, why, at_most=1.3)
    rows = {row["name"]: row for row in group["rows"]}
    assert rows[OURS]["ratio"] == 1.1
    assert rows[OURS]["ratio_spread"] == [1.1, 1.5]
    assert rows[ASYNKIT] == {"name": ASYNKIT, "value": None, "note": "not installed"}
    data = {"machine": {"a": "b"}, "python": "x", "groups": [group]}
    assert benchmark_table.check(data) == data
    assert benchmark_table.verdict(group).endswith("Met: 1.10.")


def test_without_the_stock_loop_there_is_no_table():
    error = priority.NotDoneError("took longer than 1 s")
    with pytest.raises(ToolError, match="stock loop could not be measured"):
        priority.give_up(STOCK, error, {}, {})
    values, why = {ASYNKIT: [1.0]}, {}
    priority.give_up(ASYNKIT, error, values, why)
    assert (values, why) == ({}, {ASYNKIT: "took longer than 1 s"})


def test_the_growth_has_its_limit(monkeypatch):
    monkeypatch.setattr(priority, "seconds", lambda *words: (words[3] / 1_000, None))
    group = priority.growth("python", 3, 1)
    assert group["aim"]["at_most"] == pytest.approx(220)
    assert group["rows"][-1]["ratio"] == 100
    assert benchmark_table.verdict(group).endswith("Met: 100.00.")


def test_sizes_divide_evenly():
    for load in priority.WORKLOADS:
        step = CLIENTS if load.key == "echo" else CHAINS
        for size in (load.size, *load.counted):
            assert size % step == 0


@pytest.fixture
def published():
    return json.loads(PUBLISHED.read_text(encoding="utf-8"))


def test_the_published_file_is_whole(published):
    assert benchmark_table.check(published) == published
    titles = [group["title"] for group in published["groups"]]
    for load in priority.WORKLOADS:
        assert f"{load.title}: instructions" in titles
        assert f"{load.title}: time" in titles
    for group in published["groups"]:
        for row in group["rows"]:
            assert row["value"] is not None
        found = re.search(r"median of (\d+) r", group["method"])
        if found:
            assert int(found[1]) >= priority.ROUNDS
    assert published["command"] == priority.SPOKEN


def test_the_published_peer_is_the_pinned_one(published):
    text = (ROOT / environment.REQUIREMENTS).read_text(encoding="utf-8")
    pins = dict(re.findall(r"^([a-z-]+)==([\w.]+)", text, re.MULTILINE))
    assert published["packages"] == {ASYNKIT: pins[ASYNKIT]}


def test_the_published_file_names_no_machine(published):
    text = json.dumps(published)
    assert re.search(r"\d{4}-\d\d-\d\d", text) is None  # a date
    assert re.search(r"(?:^|[\s\"'])(?:/|[A-Z]:\\\\)\w", text) is None  # a path
    assert set(published["machine"]) <= {"Processor", "System", "Build of Python"}


def test_the_command_explains_itself():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.priority", "--help"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    assert "asynkit" in done.stdout
