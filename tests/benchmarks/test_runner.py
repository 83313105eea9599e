"""The benchmarks: the arithmetic, the error paths, the published file, one small run.

Nothing here asserts a speed: a loaded machine must not fail it.
"""

import dataclasses
import json
import math
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from benchmarks import __main__ as command
from benchmarks import environment, report, runner, schema, worker
from benchmarks.workloads import LOOPS, OURS, STOCK, TRACERS, WORKLOADS, Contestant
from tests.left import SLOW
from tools.common import ROOT, ToolError

PUBLISHED = ROOT / "benchmarks" / "results.json"
PEERS = {"looptime", "async-solipsism", "aiotools", "seedloop", "simloop"}
BY_KEY = {workload.key: workload for workload in WORKLOADS}


def quiet(text):
    pass


def measured(key, values, why=None, size=1000):
    return runner.Results(BY_KEY[key], size, values, why or {})


def rows_of(group):
    return {row["name"]: row for row in group["rows"]}


# -- who takes part ------------------------------------------------------------------


def test_every_contestant_of_the_plan_takes_part():
    loops = {row.name for row in LOOPS}
    assert loops == PEERS | {OURS, "trio MockClock"}
    assert {row.name for row in LOOPS if row.peer} == PEERS
    tracers = {row.name for row in TRACERS}
    assert {"untraced", "LoopTracer", "asyncio debug mode", "VizTracer"} <= tracers
    assert BY_KEY["sleeps"].size == 100_000
    assert BY_KEY["soon"].size == 1_000_000
    assert STOCK in BY_KEY["soon"].contestants


def test_every_package_is_pinned_exactly():
    text = (ROOT / "benchmarks" / "requirements.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    pins = {}
    for line in lines:
        found = re.fullmatch(r"([a-z0-9-]+)==[\w.]+(?: ; (.+))?", line)
        assert found, f"not an exact pin: {line}"
        pins[found[1]] = found[2] or ""
    for row in (*LOOPS, *TRACERS):
        if row.package:
            marker = pins[row.package]
            assert bool(marker) == (row.needs > environment.OLDEST)
            assert not marker or '"{}.{}"'.format(*row.needs) in marker


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda one: one.key)
def test_sizes_divide_evenly(workload):
    step = worker.CHAINS if workload.choice == "soon" else worker.TASKS
    for size in (workload.size, workload.quick, *workload.counted):
        assert size % step == 0
    assert workload.counted[0] < workload.counted[1]


# -- the work ------------------------------------------------------------------------


def test_delays_are_seeded_and_different():
    delays = worker.delays_of(4000, equal=False)
    assert delays == worker.delays_of(4000, equal=False)
    assert len(delays) == worker.TASKS
    assert len({one for some in delays for one in some}) == 4000
    assert {one for some in worker.delays_of(4000, equal=True) for one in some} == {0.1}


def test_a_clock_that_did_not_move_is_caught():
    worker.check_clock(3.0, [[1.0, 2.0], [0.5]])
    with pytest.raises(worker.NotDoneError, match="instead of 3 s"):
        worker.check_clock(0.0, [[1.0, 2.0], [0.5]])


def test_a_loop_that_skips_the_sleeps_gets_no_time(monkeypatch):
    async def skip(delay):
        pass

    monkeypatch.setattr(worker.asyncio, "sleep", skip)
    monkeypatch.setattr(worker, "settle", lambda: None)
    answer = worker.answer("sleeps", OURS, 2000)
    assert answer["why"] == "failed with NotDoneError"


# -- the arithmetic ------------------------------------------------------------------


def test_ratios_are_taken_round_by_round():
    assert runner.ratios([1.0, 6.0], [2.0, 3.0]) == [0.5, 2.0]
    with pytest.raises(ValueError, match="zip"):
        runner.ratios([1.0], [1.0, 2.0])


def test_the_group_has_medians_and_spreads():
    # The machine was twice as slow in the second round; the ratios do not see it.
    values = {OURS: [1.0, 2.0, 1.2], "seedloop": [2.0, 4.0, 2.0], "looptime": [9, 9, 9]}
    group = runner.group(measured("sleeps", values, {"simloop": "not installed"}))
    assert group["baseline"] == "seedloop"
    rows = rows_of(group)
    assert rows[OURS]["value"] == 1.2
    assert rows[OURS]["spread"] == [1.0, 2.0]
    assert rows[OURS]["ratio"] == 0.5
    assert rows[OURS]["ratio_spread"] == [0.5, 0.6]
    assert rows["seedloop"]["ratio"] == 1
    assert rows["simloop"] == {
        "name": "simloop",
        "value": None,
        "note": "not installed",
    }
    assert group["aim"]["at_most"] == 0.9


def test_the_fastest_peer_is_the_baseline_and_never_trio_or_ourselves():
    values = {OURS: [0.1], "trio MockClock": [0.2], "aiotools": [2.0], "looptime": [3]}
    assert runner.baseline_of(measured("sleeps", values)) == "aiotools"
    assert runner.baseline_of(measured("soon", values | {"stock loop": [1.0]})) == (
        "aiotools"
    )


def test_without_any_peer_there_is_still_a_table():
    alone = measured("sleeps", {OURS: [1.0]}, dict.fromkeys(PEERS, "not installed"))
    group = runner.group(alone)
    assert group["baseline"] == OURS
    nothing = measured("sleeps", {}, dict.fromkeys([*PEERS, OURS], "failed"))
    group = runner.group(nothing)
    assert "baseline" not in group
    for one in (group, runner.group(alone)):
        schema.check({"machine": {"a": "b"}, "python": "x", "groups": [one]})


def test_a_tracer_is_given_per_callback_in_microseconds():
    values = {"untraced": [0.001], "LoopTracer": [0.0015]}
    group = runner.group(measured("trace-stock", values, size=1000))
    assert group["unit"] == "µs per callback"
    assert rows_of(group)["untraced"]["value"] == 1.0
    assert rows_of(group)["LoopTracer"]["ratio"] == 1.5
    assert "aim" not in group  # it is about instructions


def test_instructions_have_an_aim_and_no_spread():
    counter = runner.Counter("counter", (), "")
    values = {"untraced": [1000.0], "LoopTracer": [1300.0]}
    group = runner.group(measured("trace-virtual", values), counter)
    assert group["unit"] == "instructions per callback"
    assert group["aim"] == {
        "name": "LoopTracer",
        "at_most": 1.4,
        "text": "at most 1.4 of an untraced null callback",
    }
    assert rows_of(group)["LoopTracer"]["ratio"] == 1.3
    assert "spread" not in rows_of(group)["LoopTracer"]


@pytest.mark.parametrize(("ratio", "word"), [(0.9, "met"), (0.91, "missed")])
def test_the_table_says_whether_the_aim_was_met(ratio, word):
    values = {OURS: [ratio], "seedloop": [1.0]}
    group = runner.group(measured("sleeps", values))
    assert f": {word}, {ratio:.2f}." in report.as_text(group)
    assert word.capitalize() in schema.verdict(group)


def test_the_table_is_aligned():
    values = {OURS: [0.5, 0.6], "seedloop": [12000.0, 12000.0]}
    group = runner.group(measured("sleeps", values, {"simloop": "not installed"}))
    lines = report.as_text(group).splitlines()[2:6]
    assert [line.split("  ")[0].rstrip() for line in lines[1:]] == [
        OURS,
        "seedloop",
        "simloop",
    ]
    ends = {
        line.index(word) + len(word)
        for line, word in zip(
            lines, ["s  ", "0.550  ", "12,000  ", "not run  "], strict=True
        )
    }
    assert len(ends) == 1


def test_without_a_counter_there_is_one_clear_line():
    nowhere = runner.Counter("nowhere", ("no-such-counter",), "")
    with pytest.raises(ToolError, match="install Valgrind, or leave the option out"):
        runner.find_counter([sys.executable], [nowhere])


def test_instructions_are_a_difference(monkeypatch):
    asked = []

    def call(words, timeout):
        asked.append(words)
        size = int(words[words.index(OURS) + 1])
        return 0, '{"cpu": 1.0, "version": null}', f"I refs: {500 + 30 * size}"

    monkeypatch.setattr(runner, "call", call)
    counter = runner.Counter("counter", ("counter",), r"I refs: (\d+)")
    results = runner.count(
        ["python"], BY_KEY["sleeps"], counter, timeout=1, rows=LOOPS[:1], say=quiet
    )
    assert results.values == {OURS: [30.0]}
    assert [words[-1] == "bare" for words in asked] == [False, True, True]


# -- the processes -------------------------------------------------------------------


def test_a_small_run_of_our_loop_and_the_stock_loop():
    python = [sys.executable]
    ours = (LOOPS[0],)
    for key, rows in [("sleeps", ours), ("equal", ours), ("soon", (*ours, STOCK))]:
        results = runner.time(
            python, BY_KEY[key], size=2000, rounds=2, timeout=SLOW, rows=rows, say=quiet
        )
        assert results.why == {}
        assert list(results.values) == [row.name for row in rows]
        for values in results.values.values():
            assert len(values) == 2
            assert all(0 < value < math.inf for value in values)
        group = runner.group(results)
        schema.check({"machine": {"a": "b"}, "python": "x", "groups": [group]})


def test_a_small_run_of_our_tracer():
    rows = TRACERS[:3]
    for key in ("trace-stock", "trace-virtual"):
        results = runner.time(
            [sys.executable],
            BY_KEY[key],
            size=1000,
            rounds=1,
            timeout=SLOW,
            rows=rows,
            say=quiet,
        )
        assert results.why == {}
        assert len(results.values) == len(rows)


def test_the_rounds_take_turns(monkeypatch):
    asked = []

    def call(words, timeout):
        asked.append(words[-2])
        return 0, '{"cpu": 1.0, "version": null}', ""

    monkeypatch.setattr(runner, "call", call)
    rows = LOOPS[:3]
    runner.time(
        ["python"], BY_KEY["sleeps"], size=1, rounds=3, timeout=1, rows=rows, say=quiet
    )
    a, b, c = (row.name for row in rows)
    assert asked == [a, b, c, b, c, a, c, a, b]


def test_what_is_missing_or_fails_has_a_row_that_says_why():
    said = []
    unknown = Contestant("no such row")
    results = runner.time(
        [sys.executable, "-S"],  # no site-packages: nothing is installed
        BY_KEY["sleeps"],
        size=1000,
        rounds=2,
        timeout=SLOW,
        rows=[*LOOPS[:2], LOOPS[4], unknown],
        say=said.append,
    )
    assert list(results.values) == [OURS]
    assert results.why["looptime"] == "not installed"
    too_old = sys.version_info < (3, 12)
    assert results.why["seedloop"] == (
        "needs Python 3.12 or newer" if too_old else "not installed"
    )
    assert results.why["no such row"] == "ended with status 1"
    assert any("No module named 'looptime'" in line for line in said)
    names = [row["name"] for row in runner.group(results)["rows"]]
    assert names == [OURS, "seedloop", "looptime"]


def test_a_measurement_that_hangs_is_ended():
    began = time.monotonic()
    program = f"import time; time.sleep({2 * SLOW})"
    assert runner.call([sys.executable, "-c", program], 0.5) is None
    assert time.monotonic() - began < SLOW
    assert runner.read(None, 2) == {"why": "took longer than 2 s"}


def test_the_users_settings_stay_outside(monkeypatch):
    monkeypatch.setenv("PYTHONASYNCIODEBUG", "1")
    monkeypatch.setenv("PYTHONSTARTUP", "x")
    variables = runner.environ()
    assert variables["PYTHONHASHSEED"] == "0"
    assert "PYTHONASYNCIODEBUG" not in variables
    assert "PYTHONSTARTUP" not in variables


# -- the command ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--only", "naps"], "invalid choice: 'naps'"),
        (["--rounds", "0"], "0 is not between 1 and 1000"),
        (["--rounds", "few"], "'few' is not a whole number"),
        (["--timeout", "-1"], "-1 is not over 0"),
        (["--timeout", "nan"], "nan is not over 0"),
        (["--timeout", "soon"], "'soon' is not a number"),
        (["--faster"], "unrecognized arguments: --faster"),
    ],
)
def test_a_bad_option_is_named(words, said, capsys):
    with pytest.raises(SystemExit) as caught:
        command.main(words)
    assert caught.value.code == 2
    assert said in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--python", "no-such-python"], "there is no Python at no-such-python"),
        (["--output", "no-such-folder/x.json"], "in a folder that exists"),
        (["--output", "."], "give the path of a file"),
    ],
)
def test_a_bad_value_gives_one_line(words, said, capsys):
    assert command.main(["--quick", *words]) == 1
    error = capsys.readouterr().err
    assert said in error
    assert error.startswith("error: ")
    assert error.count("\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="needs a shell script")
@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo hello", "is not a Python"),
        (
            'echo \'{"version": [3, 10, 1], "name": "CPython 3.10.1", "base": "/"}\'',
            "Python 3.11 or newer is needed",
        ),
    ],
)
def test_a_python_that_will_not_do(tmp_path, script, said):
    fake = tmp_path / "python"
    fake.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    fake.chmod(0o755)
    with pytest.raises(ToolError, match=said):
        environment.about(str(fake))


def test_only_a_full_run_touches_the_published_file(tmp_path):
    read = command.parser().parse_args
    assert command.place(read([])) == PUBLISHED
    assert command.place(read(["--instructions"])) == PUBLISHED
    assert command.place(read(["--quick"])) is None
    assert command.place(read(["--only", "soon"])) is None
    path = tmp_path / "x.json"
    assert command.place(read(["--quick", "--output", str(path)])) == path


def test_the_reader_is_told_the_command():
    read = command.parser().parse_args
    assert command.spoken(read([])) == "make bench"
    given = read(["--instructions", "--python", "/some/where"])
    assert command.spoken(given) == "make bench ARGS=--instructions"
    given = read(["--quick", "--only", "soon"])
    assert command.spoken(given) == "make bench ARGS='--only soon --quick'"


def test_the_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "results.json"
    report.write({"a": "µ"}, path)
    assert json.loads(path.read_text(encoding="utf-8")) == {"a": "µ"}

    def fail(self, target):
        raise OSError("disk full")

    monkeypatch.setattr(report.Path, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        report.write({"a": 2}, path)
    assert json.loads(path.read_text(encoding="utf-8")) == {"a": "µ"}
    assert list(tmp_path.iterdir()) == [path]


def test_a_whole_command_from_options_to_file(tmp_path, monkeypatch, capsys):
    small = dataclasses.replace(BY_KEY["soon"], contestants=(LOOPS[0], STOCK))
    small = dataclasses.replace(small, quick=1000)
    monkeypatch.setattr(command, "WORKLOADS", (small,))
    monkeypatch.setattr(environment, "ensure", lambda python: python)
    path = tmp_path / "out.json"
    assert command.main(["--quick", "--rounds", "1", "--output", str(path)]) == 0
    results = schema.check(json.loads(path.read_text(encoding="utf-8")))
    assert results["groups"][0]["title"] == "1,000 calls of call_soon"
    assert "1,000 calls of call_soon" in capsys.readouterr().out


def test_a_failure_of_our_own_is_an_error_and_writes_nothing(
    tmp_path, monkeypatch, capsys
):
    small = dataclasses.replace(BY_KEY["soon"], contestants=(LOOPS[0], STOCK))
    monkeypatch.setattr(command, "WORKLOADS", (small,))
    monkeypatch.setattr(environment, "ensure", lambda python: python)
    said = '{"why": "failed with ImportError", "detail": "ImportError: no"}'
    monkeypatch.setattr(runner, "call", lambda words, timeout: (0, said, ""))
    path = tmp_path / "out.json"
    assert command.main(["--quick", "--output", str(path)]) == 1
    assert "VirtualTimeLoop failed with ImportError" in capsys.readouterr().err
    assert not path.exists()


@pytest.mark.skipif(os.name == "nt", reason="sends a signal")
def test_an_interrupt_ends_the_measurement_too(tmp_path):
    # It notes the child where it waits for it: an interrupt before has none to end.
    program = """\
import subprocess, sys
from pathlib import Path
from benchmarks import runner

class Noted(subprocess.Popen):
    def communicate(self, *args, **settings):
        Path(sys.argv[1]).write_text(str(self.pid))
        return super().communicate(*args, **settings)

subprocess.Popen = Noted
runner.call([sys.executable, "-c", "import time; time.sleep(600)"], 600)
"""
    note = tmp_path / "pid"
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(note)],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    limit = time.monotonic() + 300
    while not (note.exists() and note.read_text()):
        assert time.monotonic() < limit and process.poll() is None
        time.sleep(0.05)
    child = int(note.read_text())
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=300)
    assert b"KeyboardInterrupt" in error
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


# -- the environment -----------------------------------------------------------------


class Pip:
    """Takes the place of venv and pip; some packages cannot be installed."""

    def __init__(self, broken=()):
        self.broken = broken
        self.calls = []

    def __call__(self, words, root, environ=None):
        self.calls.append(words)
        if words[1:3] == ["-m", "venv"]:
            python = environment.venv_python(root / environment.NAME)
            python.parent.mkdir(parents=True)
            python.touch()
            return False
        if words[-2] == "-r":
            return bool(self.broken)
        return words[-1] in self.broken


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "benchmarks").mkdir()
    pins = tmp_path / environment.REQUIREMENTS
    pins.write_text("# pins\n\na==1\nb==2\n", encoding="utf-8")

    def use(**settings):
        pip = Pip(**settings)
        monkeypatch.setattr(environment, "_call", pip)
        return pip

    return tmp_path, use


def test_the_environment_is_made_once_and_again_when_the_pins_change(project):
    root, use = project
    pip = use()
    inside = environment.ensure(root=root)
    assert len(pip.calls) == 2
    assert environment.ensure(root=root) == inside
    assert len(pip.calls) == 2
    (root / environment.REQUIREMENTS).write_text("a==2\n", encoding="utf-8")
    environment.ensure(root=root)
    assert len(pip.calls) == 4


def test_an_interrupted_creation_is_not_taken_for_good(project, monkeypatch):
    root, use = project

    def interrupted(words, folder, environ=None):
        if words[1:3] != ["-m", "venv"]:
            raise KeyboardInterrupt
        return Pip()(words, folder)

    monkeypatch.setattr(environment, "_call", interrupted)
    with pytest.raises(KeyboardInterrupt):
        environment.ensure(root=root)
    assert environment.venv_python(root / environment.NAME).exists()
    pip = use()
    environment.ensure(root=root)
    assert len(pip.calls) == 2


def test_one_package_without_a_build_does_not_cost_the_others(project, capsys):
    root, use = project
    pip = use(broken=("b==2",))
    environment.ensure(root=root)
    assert "Left out: b==2." in capsys.readouterr().out
    assert [words[-1] for words in pip.calls[2:]] == ["a==1", "b==2"]
    before = len(pip.calls)
    environment.ensure(root=root)  # tried again, as it is not complete
    assert len(pip.calls) > before


def test_without_a_network_there_is_one_clear_line(project):
    root, use = project
    use(broken=("a==1", "b==2"))
    with pytest.raises(ToolError, match="no package could be installed"):
        environment.ensure(root=root)


# -- what is published ---------------------------------------------------------------


@pytest.fixture(scope="module")
def published():
    text = PUBLISHED.read_text(encoding="utf-8")
    return schema.check(json.loads(text))


def test_every_contestant_has_a_row_in_each_group(published):
    groups = {group["title"]: group for group in published["groups"]}
    counted = any(one.counted_about in groups for one in WORKLOADS)
    for workload in WORKLOADS:
        wanted = [row.name for row in workload.contestants]
        titles = [workload.title()] + [workload.counted_about] * counted
        for title in titles:
            assert [row["name"] for row in groups[title]["rows"]] == wanted, title
    assert len(groups) == len(WORKLOADS) * (1 + counted)


def test_every_row_has_a_figure_or_says_why(published):
    for group in published["groups"]:
        for row in group["rows"]:
            if row["value"] is None:
                assert row["note"]
            else:
                assert row["ratio"] > 0
        assert rows_of(group)[group["baseline"]]["ratio"] == 1


def test_the_published_rounds_are_enough(published):
    for group in published["groups"]:
        found = re.search(r"median of (\d+) rounds", group["method"])
        if found:
            assert int(found[1]) >= 5
        else:
            assert group["unit"].startswith("instructions per ")


def test_the_published_packages_are_the_pinned_ones(published):
    text = (ROOT / "benchmarks" / "requirements.txt").read_text(encoding="utf-8")
    pins = dict(re.findall(r"^([a-z-]+)==([\w.]+)", text, re.MULTILINE))
    assert published["packages"]
    for name, version in published["packages"].items():
        assert pins[name] == version


def test_the_published_file_names_no_machine(published):
    text = json.dumps(published)
    assert re.search(r"\d{4}-\d\d-\d\d", text) is None  # a date
    assert re.search(r"(?:^|[\s\"'])(?:/|[A-Z]:\\\\)\w", text) is None  # a path
    assert set(published["machine"]) <= {"Processor", "System", "Build of Python"}


def test_the_command_runs_as_a_module():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "--instructions" in done.stdout
