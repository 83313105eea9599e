"""The benchmark of the priorities: its work, its arithmetic, the published file.

Nothing here asserts a speed: a loaded machine must not fail it.
"""

import asyncio
import gc
import json
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest

from benchmarks import environment, runner, schema
from benchmarks.priority import __main__ as command
from benchmarks.priority import leases, loops, rows, worker
from benchmarks.priority.worker import (
    ASYNKIT,
    CHAINS,
    CLIENTS,
    IN_USE,
    OURS,
    STOCK,
    WAYS,
)
from looplab.clock import handles
from looplab.priority import PriorityEventLoop
from ontime.leases import LeaseSettings, consume
from tools.common import ROOT, ToolError

PUBLISHED = ROOT / "benchmarks" / "priority_results.json"


@pytest.fixture(autouse=True)
def thaw():
    """A measurement freezes what the garbage collector would look at."""
    yield
    gc.unfreeze()


@pytest.mark.parametrize("row", [STOCK, OURS])
@pytest.mark.parametrize("work", worker.WORKS)
def test_the_work_is_done(work, row):
    assert worker.measure(work, row, 1_000) > 0


@pytest.mark.parametrize("row", ["loop", "gate", "protocol"])
def test_the_consumer_does_its_work(row):
    assert worker.measure("leases", row, 5) > 0


def test_a_loop_that_skips_work_is_caught(monkeypatch):
    async def lazy(size):
        return size - 1

    monkeypatch.setitem(worker.WORKS, "soon", lazy)
    facts = worker.answer("soon", STOCK, 1_000)
    assert facts["why"] == "failed with NotDoneError"
    assert "999 of 1000" in facts["detail"]


def test_a_missing_peer_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "asynkit", None)
    monkeypatch.setitem(sys.modules, "asynkit.experimental.priority", None)
    assert worker.answer("soon", ASYNKIT, 1_000)["why"] == "not installed"


def test_the_rows_have_the_loops_that_they_name():
    stock = worker.new_loop(STOCK)
    ours = worker.new_loop(OURS)
    assert type(stock) is asyncio.SelectorEventLoop
    assert type(ours) is PriorityEventLoop
    stock.close()
    ours.close()


def test_under_valgrind_the_loop_looks_less_often():
    code = (
        "from benchmarks.priority.worker import new_loop, OURS;"
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
    assert PriorityEventLoop()._look_every == loops.LOOK_EVERY


def test_ratios_are_taken_round_by_round():
    # The machine was twice as slow in the second round; the ratios do not see it.
    values = {STOCK: [2.0, 4.0, 2.0], OURS: [2.1, 4.2, 3.0]}
    why = {ASYNKIT: "not installed", IN_USE: "took too long"}
    group = rows.table("title", "µs", "method", values, why, judged=OURS)
    found = {row["name"]: row for row in group["rows"]}
    assert found[OURS]["ratio"] == 1.05
    assert found[OURS]["ratio_spread"] == [1.05, 1.5]
    assert found[ASYNKIT] == {"name": ASYNKIT, "value": None, "note": "not installed"}
    data = {"machine": {"a": "b"}, "python": "x", "groups": [group]}
    assert schema.check(data) == data
    assert schema.verdict(group).endswith("Met: 1.05.")


def test_priorities_in_use_have_an_aim_of_their_own(monkeypatch):
    counts = {STOCK: 1000.0, OURS: 1040.0, IN_USE: 1120.0, ASYNKIT: 2000.0}
    monkeypatch.setattr(loops, "instructions", lambda *words: counts[words[2]])
    counter = SimpleNamespace(name="perf")
    load = next(one for one in loops.WORKLOADS if one.is_judged)
    plain, in_use = loops.counted("python", load, counter, 1)
    assert [row["name"] for row in plain["rows"]] == list(rows.ROWS)
    assert schema.verdict(plain).endswith("Met: 1.04.")
    assert [row["name"] for row in in_use["rows"]] == [STOCK, IN_USE]
    assert schema.verdict(in_use).endswith("Missed: 1.12.")
    assert len(loops.counted("python", loops.WORKLOADS[1], counter, 1)) == 1


def test_without_the_stock_loop_there_is_no_table():
    error = rows.NotDoneError("took longer than 1 s")
    with pytest.raises(ToolError, match="stock loop could not be measured"):
        rows.give_up(STOCK, error, {}, {})
    values, why = {ASYNKIT: [1.0]}, {}
    rows.give_up(ASYNKIT, error, values, why)
    assert (values, why) == ({}, {ASYNKIT: "took longer than 1 s"})


def test_the_growth_has_its_limit(monkeypatch):
    monkeypatch.setattr(leases, "seconds", lambda *words: (words[3] / 1_000, None))
    group = leases.growth("python", 3, 1)
    assert group["aim"]["at_most"] == pytest.approx(220)
    assert group["rows"][-1]["ratio"] == 100
    assert schema.verdict(group).endswith("Met: 100.00.")


# ---------------------------------------------------------------- callbacks


@pytest.mark.parametrize("row", WAYS)
def test_the_ways_do_the_same_messages(row):
    run = worker.replay(row)
    assert (run.lost, run.processed) == (0, 100)
    if row != STOCK:  # as with the published lease
        published = consume(LeaseSettings(), worker.way(row))
        assert run.yields == published.yields
        assert run.makespan == published.makespan


def test_every_callback_is_counted_once(monkeypatch):
    """Against another count: every callback notes itself."""
    monkeypatch.setattr(
        worker, "replay", lambda row: consume(LeaseSettings(messages=2))
    )
    counted = worker.count_callbacks(STOCK)
    ran = 0
    make = handles.Handle.__init__
    make_timer = handles.TimerHandle.__init__

    def note(callback, *args):
        nonlocal ran
        ran += 1
        callback(*args)

    def handle(self, callback, args, *rest):
        make(self, note, (callback, *args), *rest)

    def timer(self, due, callback, args, *rest):
        make_timer(self, due, note, (callback, *args), *rest)

    monkeypatch.setattr(handles.Handle, "__init__", handle)
    monkeypatch.setattr(handles.TimerHandle, "__init__", timer)
    worker.replay(STOCK)
    assert counted == ran > 100


def test_a_lost_message_ends_the_count(monkeypatch):
    monkeypatch.setattr(worker, "LONG_LEASE", 5)
    facts = worker.answer("callbacks", STOCK, 1)
    assert facts["why"] == "failed with NotDoneError"


def test_the_rate_is_callbacks_for_each_second(monkeypatch):
    seen = []

    def read(done, timeout):
        row, runs = done
        seen.append(row)
        slow = 1 + seen.count(row)  # each round is slower, for all
        factor = 1 + WAYS.index(row)
        return {"cpu": slow * factor * runs / 1_000, "callbacks": runs * 1_000}

    monkeypatch.setattr(leases.runner, "call", lambda words, _: tuple(words[-2:]))
    monkeypatch.setattr(leases, "command", lambda python, *words: list(words))
    monkeypatch.setattr(leases.runner, "read", read)
    counts, rates = leases.callbacks("python", 3, 1)
    assert seen[:5] == list(WAYS) and seen[5] == WAYS[1], "nobody is always first"
    assert [row["value"] for row in counts["rows"]] == [1_000] * len(WAYS)
    assert rates["rows"][0]["value"] == pytest.approx(1_000_000 / 3, rel=1e-3)
    ratios = [row["ratio"] for row in rates["rows"]]
    assert ratios == pytest.approx([1 / n for n in range(1, 6)], rel=1e-3)
    data = {"machine": {"a": "b"}, "python": "x", "groups": [counts, rates]}
    assert schema.check(data) == data


def test_a_count_that_changes_is_an_error(monkeypatch):
    numbers = iter(range(100, 200))
    monkeypatch.setattr(
        leases.runner,
        "read",
        lambda *_: {"cpu": 1.0, "callbacks": next(numbers) * leases.REPLAYS},
    )
    monkeypatch.setattr(leases.runner, "call", lambda *_: None)
    with pytest.raises(ToolError, match="protocol: 105 callbacks, and 101 before"):
        leases.callbacks("python", 2, 1)


def test_only_some_tables_are_replaced(tmp_path):
    old = [{"title": "a", "rows": 1}, {"title": "b", "rows": 2}]
    new = [{"title": "b", "rows": 3}, {"title": "c", "rows": 4}]
    assert command.merged(old, new) == [old[0], *new]
    assert command.merged([], new) == new

    file = tmp_path / "results.json"
    here = {"machine": {"Processor": "x"}, "python": "CPython 3.13.0"}
    with pytest.raises(ToolError, match=r"is missing: leave --only out"):
        command.published(file, here)
    file.write_text(json.dumps(here | {"groups": old}), encoding="utf-8")
    assert command.published(file, here)["groups"] == old
    with pytest.raises(ToolError, match=r"the python of .* is CPython 3\.13\.0"):
        command.published(file, here | {"python": "CPython 3.14.0"})
    with pytest.raises(ToolError, match=r"the machine of .*leave --only out"):
        command.published(file, here | {"machine": {"Processor": "y"}})


def test_sizes_divide_evenly():
    for load in loops.WORKLOADS:
        step = CLIENTS if load.key == "echo" else CHAINS
        for size in (load.size, *load.counted):
            assert size % step == 0


@pytest.fixture
def published():
    return json.loads(PUBLISHED.read_text(encoding="utf-8"))


def test_the_published_file_is_whole(published):
    assert schema.check(published) == published
    titles = [group["title"] for group in published["groups"]]
    for load in loops.WORKLOADS:
        assert f"{load.title}: instructions" in titles
        assert f"{load.title}: time" in titles
    rows = {group["title"]: group["rows"] for group in published["groups"]}
    for title in (
        "Callbacks of the lease consumer",
        "Callbacks of the lease consumer in a second",
    ):
        assert [row["name"] for row in rows[title]] == list(WAYS)
    for group in published["groups"]:
        for row in group["rows"]:
            assert row["value"] is not None
        found = re.search(r"median of (\d+) r", group["method"])
        if found:
            assert int(found[1]) >= command.ROUNDS
    assert published["command"] == command.SPOKEN


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
