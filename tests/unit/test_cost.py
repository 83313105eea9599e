"""What a coroutine costs: the figures, the errors, and that no process outlives them.

The times themselves are judged in the chapter's notebook; here are orders of size that
hold on any machine, and counts.
"""

from __future__ import annotations

import asyncio
import functools
import importlib.util
import json
import os
import platform
import re
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from looplab import cost
from looplab.cost import (
    VARIANTS,
    Cost,
    CostError,
    CostTable,
    MissingPackageError,
    UnsendableError,
    WorkFailedError,
    child,
    clients_per_core,
    compare_costs,
    compare_variants,
    cores_needed,
    cpu_cost,
    variant_source,
)
from looplab.cost import measure as measuring
from looplab.cost.__main__ import _names, main
from looplab.cost.send import describe, load
from looplab.cost.table import seconds, this_machine
from looplab.cost.works import compute, nap, nothing
from tests.unit.cost_works import (
    Thing,
    agen,
    dies,
    double,
    fails_in_pyperf,
    in_two_threads,
    inner_of_another,
    kills_itself,
    leaves,
    mark,
    only_alone,
    plain,
    raises,
    replaced,
    slow_at_first,
    speaks,
    spins,
    waits_for_ever,
    wants_the_mark,
)

ROOT = Path(__file__).resolve().parents[2]
QUICK: dict[str, Any] = {"values": 1, "processes": 1, "timeout": 60}
BRIEF: dict[str, Any] = QUICK | {"calls": 20}

needs_pyperf = pytest.mark.skipif(
    importlib.util.find_spec("pyperf") is None, reason="pyperf is not installed"
)
needs_groups = pytest.mark.skipif(
    not hasattr(os, "killpg"), reason="no process groups here"
)


def gone(pid: int) -> bool:
    """Whether a process has ended, within two seconds."""
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        stat = Path(f"/proc/{pid}/stat")
        if stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.01)
    return False


# ------------------------------------------------------------------ figures


@needs_pyperf
def test_the_cost_of_a_call() -> None:
    table = cpu_cost(nothing, values=3, processes=2)
    (row,) = table
    assert row.name == "nothing"
    assert len(row.cpus) == len(row.walls) == 6
    assert row.low <= row.cpu <= row.high
    assert 5e-9 < table.cpu < 2e-5
    # One value took some 20 ms, less of them on a busy machine.
    assert 0.0005 < row.cpu * row.calls < 0.2
    assert row.tasks == "_asyncio"
    assert table.note == ""


@needs_pyperf
def test_the_works_take_turns(tmp_path: Path) -> None:
    """A machine that is slow for some seconds is then slow for all of them."""
    book = tmp_path / "book"
    works = [f"tests.unit.cost_works:signs_{name}" for name in ("first", "second")]
    table = compare_costs(works, args=(str(book),), calls=1, values=2, processes=3)
    assert [len(row.cpus) for row in table] == [6, 6]
    signed = dict.fromkeys(book.read_text().splitlines())
    names = [line.split()[0] for line in signed]
    assert names == ["first", "second"] * 4, "a trial of each, then three rounds"


@needs_pyperf
def test_a_slow_first_call_does_not_make_one_call_a_value() -> None:
    table = cpu_cost(slow_at_first, values=1, processes=1)
    assert table.rows[0].calls > 10
    assert table.cpu < 0.01


@pytest.mark.parametrize(
    ("samples", "least", "tries"),
    [
        ([(0.001, 0.03), (0.001, 0.002)], (0.001, 0.002), 2),  # it had to wait
        ([(0.0, 0.03), (0.0, 0.04), (0.0, 0.05)], (0.0, 0.03), 3),  # it waits
        ([(0.02, 0.03)], (0.02, 0.03), 1),  # it computes
        ([(0.0, 1.0)], (0.0, 1.0), 1),  # long enough to tell
    ],
)
def test_a_stop_of_the_process_is_told_from_waiting(
    monkeypatch: pytest.MonkeyPatch,
    samples: list[tuple[float, float]],
    least: tuple[float, float],
    tries: int,
) -> None:
    calls: list[int] = []

    def sample(order: object, number: int) -> tuple[float, float]:
        calls.append(number)
        return samples[len(calls) - 1]

    monkeypatch.setattr(child, "_sample", sample)
    assert child._undisturbed({}, 7) == least
    assert calls == [7] * tries


@needs_pyperf
def test_waiting_costs_wall_time_and_hardly_any_cpu_time() -> None:
    (row,) = cpu_cost(nap, args=(0.05,), **QUICK)
    assert row.wall >= 0.05
    assert row.cpu < 0.02
    assert row.calls == 1


@needs_pyperf
def test_work_costs_in_proportion() -> None:
    table = compare_costs(
        {
            "small": "looplab.cost.works:compute",
            "same": compute,
        },
        args=(20_000,),
        **QUICK,
    )
    assert 0.3 < table.ratio("same") < 3


@needs_pyperf
def test_other_threads_of_the_process_count() -> None:
    (row,) = cpu_cost(in_two_threads, **BRIEF)
    assert row.cpu > 2e-4


@needs_pyperf
def test_arguments_reach_the_function() -> None:
    assert cpu_cost(double, args=(21,), **BRIEF).cpu > 0
    with pytest.raises(WorkFailedError, match="AssertionError"):
        cpu_cost(double, args=(22,), **BRIEF)


@needs_pyperf
def test_a_setup_runs_first() -> None:
    assert cpu_cost(wants_the_mark, setup=mark, **BRIEF).cpu > 0
    with pytest.raises(WorkFailedError, match="KeyError: 'MARKED'"):
        cpu_cost(wants_the_mark, **BRIEF)


@needs_pyperf
def test_what_the_work_prints_is_not_taken_for_a_result(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert cpu_cost(speaks, **BRIEF).cpu > 0
    assert capfd.readouterr() == ("", "")


@needs_pyperf
def test_a_static_method_has_a_name() -> None:
    assert cpu_cost(Thing.static, **BRIEF)["Thing.static"].cpu > 0


@needs_pyperf
def test_it_works_beside_a_running_loop() -> None:
    async def main() -> float:
        return cpu_cost(nothing, **BRIEF).cpu

    assert asyncio.run(main()) > 0


@needs_pyperf
def test_variants_cost_more_than_a_sequence() -> None:
    """A wide margin: the ratios are some 35 and 60."""
    table = compare_variants(variants=("in sequence", "tasks", "gather"), **QUICK)
    assert table.ratio("in sequence") == 1
    assert 4 < table.ratio("tasks") < 400
    assert 4 < table.ratio("gather") < 400
    low, high = table.ratio_range("gather")
    assert low <= table.ratio("gather") <= high


@needs_pyperf
def test_variants_that_are_not_to_be_had_say_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "anyio", None)
    monkeypatch.setitem(sys.modules, "uvloop", None)
    table = compare_variants(
        variants=("in sequence", "anyio group"),
        loops=("asyncio", "uvloop"),
        **BRIEF,
    )
    assert table["anyio group"].unavailable.startswith("anyio is not installed")
    assert "pip install uvloop" in table["in sequence", "uvloop"].unavailable
    with pytest.raises(ValueError, match="anyio group was not measured: anyio is not"):
        table.ratio("anyio group")
    assert "pip install anyio" in repr(table)
    assert "pip install anyio" in table._repr_html_()


EAGER = ("tasks", "tasks, eager", "gather", "gather, eager")


@needs_pyperf
@pytest.mark.skipif(sys.version_info < (3, 12), reason="eager tasks are new in 3.12")
def test_eager_tasks_save_the_way_through_the_loop() -> None:
    """They take about a third, and as much as plain ones if they are not eager."""
    table = compare_variants(variants=EAGER, values=3, processes=1, timeout=60)
    for way in "tasks", "gather":
        assert table[f"{way}, eager"].cpu < 0.7 * table[way].cpu


@needs_pyperf
@pytest.mark.skipif(sys.version_info >= (3, 12), reason="eager tasks are in 3.12")
def test_without_eager_tasks_the_table_says_so() -> None:
    table = compare_variants(variants=EAGER, **BRIEF)
    for way in "tasks", "gather":
        eager = table[f"{way}, eager"]
        assert eager.unavailable == "needs Python 3.12 or newer"
        assert table[way].cpu > 0


@needs_pyperf
def test_a_variant_that_fails_has_a_row_that_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As eager tasks do on uvloop 0.23.0 with Python 3.13.0."""
    table = compare_variants(only_alone, variants=("in sequence", "tasks"), **BRIEF)
    assert table["in sequence"].cpu > 0
    assert table["tasks"].unavailable == "failed: RuntimeError: not in a task of mine"
    with pytest.raises(WorkFailedError, match="in sequence raised ValueError: no good"):
        compare_variants(raises, variants=("in sequence", "tasks"), **BRIEF)


@needs_pyperf
@pytest.mark.skipif(
    importlib.util.find_spec("nest_asyncio") is None or sys.version_info >= (3, 14),
    reason="needs nest_asyncio, which leaves the tasks alone from Python 3.14 on",
)
def test_a_patched_asyncio_is_reported() -> None:
    table = cpu_cost(nothing, setup="nest_asyncio:apply", **BRIEF)
    assert table.rows[0].tasks == "asyncio.tasks"
    assert "asyncio was patched" in repr(table)


@needs_pyperf
@pytest.mark.skipif(
    measuring._find_counter(60) is None, reason="nothing counts instructions here"
)
def test_instructions_are_counted() -> None:
    table = cpu_cost(nothing, instructions=True, **BRIEF)
    counted = table.rows[0].instructions
    # Some 1,100 on 3.11; no clock has a part in it.
    assert counted is not None
    assert 100 < counted < 10_000
    assert "Instructions counted by" in table.note
    assert f"{counted:,.0f}" in repr(table)


@needs_pyperf
def test_without_a_counter_the_table_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "_COUNTERS", ())
    table = cpu_cost(nothing, instructions=True, **BRIEF)
    assert table.rows[0].instructions is None
    assert "Instructions were not counted" in repr(table)


def test_a_counter_that_cannot_count_is_passed_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As perf says on a machine without hardware counters."""
    refuses = measuring._Counter(
        "a", (sys.executable, "-c", "print('<not supported>;;instructions:u')"), r"^\d+"
    )
    counts = measuring._Counter("b", (sys.executable, "-c", "print(12)"), r"^(\d+)")
    monkeypatch.setattr(measuring, "_COUNTERS", (refuses, counts))
    assert measuring._find_counter(20) is counts
    monkeypatch.setattr(measuring, "_COUNTERS", (refuses,))
    assert measuring._find_counter(20) is None


# ------------------------------------------------------------------- errors


@needs_pyperf
def test_a_function_that_raises() -> None:
    with pytest.raises(WorkFailedError) as caught:
        cpu_cost(raises, **BRIEF)
    assert str(caught.value) == "raises raised ValueError: no good"
    assert 'raise ValueError("no good' in caught.value.traceback
    assert "In the clean interpreter" in "".join(caught.value.__notes__)


@needs_pyperf
@pytest.mark.parametrize("work", [waits_for_ever, spins])
def test_a_timeout(work: Callable[[], Any]) -> None:
    start = time.monotonic()
    with pytest.raises(TimeoutError, match=r"was not done after 0.5 s: give it less"):
        cpu_cost(work, timeout=0.5)
    assert time.monotonic() - start < 10


@needs_pyperf
def test_a_process_that_dies() -> None:
    with pytest.raises(CostError, match=r"dies: .* ended with status 3"):
        cpu_cost(dies, **BRIEF)
    with pytest.raises(CostError, match=r"kills_itself: .* ended with signal 9"):
        cpu_cost(kills_itself, **BRIEF)


@needs_pyperf
def test_a_function_that_fails_only_later() -> None:
    """In a process of pyperf, after the trial went well."""
    with pytest.raises(WorkFailedError, match="fails_in_pyperf raised OSError: later"):
        cpu_cost(fails_in_pyperf, **BRIEF)


@needs_pyperf
@pytest.mark.parametrize(
    ("work", "says"),
    [
        (plain, "plain is a plain function: a coroutine function is made with async"),
        (agen, "agen is an async generator function"),
        (print, "must be a function, not <built-in function print>"),
        (Thing, "must be a function, not <class .*Thing'>"),
        (functools.partial(double, 21), "hand over the function, and its arguments as"),
        (None, "must be a function, not None$"),
    ],
)
def test_what_is_not_a_coroutine_function(work: Any, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        cpu_cost(work)


@needs_pyperf
@pytest.mark.filterwarnings("error")
def test_a_coroutine_instead_of_a_function() -> None:
    with pytest.raises(TypeError, match="hand over the function, without calling it"):
        cpu_cost(nothing())  # type: ignore[arg-type]


@needs_pyperf
def test_what_cannot_be_sent() -> None:
    inner = asyncio.run(inner_of_another())
    with pytest.raises(UnsendableError, match="is defined inside another function"):
        cpu_cost(inner)
    with pytest.raises(UnsendableError, match="is a method of an object"):
        cpu_cost(Thing().method)
    with pytest.raises(UnsendableError, match="a later definition took its place"):
        cpu_cost(replaced)
    with pytest.raises(UnsendableError, match="args cannot be sent"):
        cpu_cost(double, args=(lambda: 0,))


@needs_pyperf
@pytest.mark.parametrize("text", ["nothing", "module:", ":name", "a b:c", "a:b c", ""])
def test_a_name_of_another_form(text: str) -> None:
    with pytest.raises(ValueError, match="write module:function"):
        cpu_cost(text)


@needs_pyperf
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("no_such_module:f", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("looplab.cost.works:absent", "has no absent"),
        ("looplab.cost.table:seconds", "not a coroutine function"),
    ],
)
def test_a_name_of_nothing(text: str, says: str) -> None:
    with pytest.raises(WorkFailedError, match=says):
        cpu_cost(text, **BRIEF)


@needs_pyperf
@pytest.mark.parametrize("name", ["calls", "values", "processes"])
def test_counts(name: str) -> None:
    for count in 0, -1:
        with pytest.raises(ValueError, match=f"{name} must be at least 1, not {count}"):
            cpu_cost(nothing, **{name: count})
    for other, said in (1.5, "1.5 (float)"), ("3", "'3' (str)"), (True, "True (bool)"):
        says = re.escape(f"{name} must be a whole number, not {said}")
        with pytest.raises(TypeError, match=says):
            cpu_cost(nothing, **{name: other})  # type: ignore[arg-type]


@needs_pyperf
def test_other_wrong_arguments() -> None:
    for seconds_ in 0, -1, float("nan"), float("inf"):
        with pytest.raises(ValueError, match="timeout must be above 0 s and finite"):
            cpu_cost(nothing, timeout=seconds_)
    with pytest.raises(TypeError, match=r"timeout must be seconds, not '1' \(str\)"):
        cpu_cost(nothing, timeout="1")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"args must be a tuple, not 1: write args="):
        cpu_cost(nothing, args=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="loop is 'trio': there are asyncio and uv"):
        cpu_cost(nothing, loop="trio")
    with pytest.raises(TypeError, match="setup nothing must be a plain function"):
        cpu_cost(nothing, setup=nothing)
    with pytest.raises(TypeError, match="for one take cpu_cost"):
        compare_costs(nothing)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="coro_fns is empty"):
        compare_costs({})
    with pytest.raises(ValueError, match="two coro_fns have the same name"):
        compare_costs([nothing, "looplab.cost.works:nothing"])
    with pytest.raises(TypeError, match=r"variants=\('gather',\)"):
        compare_variants(variants="gather")
    with pytest.raises(ValueError, match="loops is empty"):
        compare_variants(loops=())
    with pytest.raises(ValueError, match="variants has a word twice"):
        compare_variants(variants=("gather", "gather"))
    with pytest.raises(KeyError, match="no variant 'threads'; there are: in sequence"):
        compare_variants(variants=("threads",))
    for times in 0, -2, 1001:
        with pytest.raises(ValueError, match="times must be 1 to 1,000"):
            compare_variants(times=times)
    with pytest.raises(TypeError, match=r"whole number, not 2.0 \(float\)"):
        compare_variants(times=2.0)  # type: ignore[arg-type]


def test_a_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvloop", None)
    with pytest.raises(MissingPackageError, match=r"pip install (uvloop|pyperf)"):
        cpu_cost(nothing, loop="uvloop")
    monkeypatch.setitem(sys.modules, "pyperf", None)
    with pytest.raises(MissingPackageError, match="pip install pyperf"):
        cpu_cost(nothing)
    with pytest.raises(ImportError):
        compare_variants()


# ---------------------------------------------------- nothing outlives a measurement


@needs_pyperf
@needs_groups
def test_a_timeout_ends_what_the_work_started(tmp_path: Path) -> None:
    path = tmp_path / "pid"
    with pytest.raises(TimeoutError):
        cpu_cost(leaves, args=(str(path),), timeout=1.5)
    assert gone(int(path.readlink().name))


@pytest.fixture
def measuring_program(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A program that measures for ever, once its work has started a process."""
    path = tmp_path / "pid"
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent(
            f"""
            from looplab.cost import cpu_cost
            if __name__ == "__main__":
                cpu_cost("tests.unit.cost_works:leaves", args=({str(path)!r},))
            """
        )
    )
    process = subprocess.Popen(
        [sys.executable, str(program)],
        # What it leaves behind when it is killed goes with the test.
        env=os.environ
        | {
            "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
            "TMPDIR": str(tmp_path),
        },
        stderr=subprocess.PIPE,
        text=True,
        # pytest may itself run where interrupts are ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        for _ in range(1000):
            if path.is_symlink():
                break
            time.sleep(0.01)
        yield process, path
    finally:
        process.kill()
        process.communicate()


@needs_pyperf
@needs_groups
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_nothing_outlives_a_caller_that_is_ended(
    measuring_program: tuple[subprocess.Popen[str], Path], number: signal.Signals
) -> None:
    process, path = measuring_program
    assert process.poll() is None
    process.send_signal(number)
    process.wait(10)
    assert gone(int(path.readlink().name))


# ------------------------------------------------------- scripts and notebooks


def run_program(text: str, path: Path) -> subprocess.CompletedProcess[str]:
    path.write_text(textwrap.dedent(text))
    return subprocess.run(
        [sys.executable, str(path)],
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@needs_pyperf
def test_a_function_of_a_script(tmp_path: Path) -> None:
    done = run_program(
        """
        from looplab.cost import cpu_cost

        async def mine():
            pass

        if __name__ == "__main__":
            print(cpu_cost(mine, values=1, processes=1, calls=9)["mine"].calls)
        """,
        tmp_path / "script.py",
    )
    assert (done.returncode, done.stdout) == (0, "9\n"), done.stderr


@needs_pyperf
def test_a_function_of_a_module_that_runs_as_a_program(tmp_path: Path) -> None:
    package = tmp_path / "some_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "other.py").write_text("answer = 42\n")
    (package / "__main__.py").write_text(
        "from looplab.cost import cpu_cost\n"
        "from .other import answer\n"
        "async def mine():\n"
        "    assert answer == 42\n"
        "if __name__ == '__main__':\n"
        "    print(len(cpu_cost(mine, values=1, processes=1, calls=9)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "some_package"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr


@needs_pyperf
def test_a_script_without_a_guard_is_told(tmp_path: Path) -> None:
    done = run_program(
        """
        from looplab.cost import cpu_cost

        async def mine():
            pass

        cpu_cost(mine, values=1, processes=1, calls=9)
        """,
        tmp_path / "script.py",
    )
    assert done.returncode == 1
    assert 'put the call under if __name__ == "__main__":' in done.stderr


NOTEBOOK = """
import asyncio
import os.path as ospath
from collections import OrderedDict as Ordered
import linecache, textwrap

class Own:
    pass

def cell(number, source):
    # As a kernel does it: the source of each cell can be looked up.
    name = f"<cell {number}>"
    lines = textwrap.dedent(source).splitlines(True)
    linecache.cache[name] = len(source), None, lines, name
    exec(compile(textwrap.dedent(source), name, "exec"), globals())
"""


def in_notebook(*cells: str) -> str:
    """Run cells in a program whose ``__main__`` has no file; what it printed."""
    parts = [NOTEBOOK]
    parts += [f"cell({number}, {text!r})" for number, text in enumerate(cells)]
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(parts)],
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@needs_pyperf
def test_a_function_of_a_notebook_goes_as_source() -> None:
    said = in_notebook(
        """
        scale = 3
        names = ("a", "b")

        def helper(number):
            return number * scale if number else again(1)

        def again(number):
            return helper(number)

        async def mine(number: Own = 2) -> Own:
            assert helper(number) == 6 and again(0) == 3
            assert ospath.join(*names) and Ordered(a=1)
            await asyncio.sleep(0)
            return [name for name in names if scale]
        """,
        """
        from looplab.cost import cpu_cost
        print(cpu_cost(mine, values=1, processes=1, calls=9)["mine"].calls)
        """,
    )
    assert said == "9"


@needs_pyperf
@pytest.mark.parametrize(
    ("cell", "says"),
    [
        (
            "own = Own()\nasync def mine():\n    return own",
            "mine uses own, a Own of this notebook",
        ),
        ("async def mine():\n    return Own()", "mine uses Own, a type of this note"),
        (
            "lock = asyncio.Lock()\nasync def mine():\n    async with lock: pass",
            "uses lock, a Lock of this notebook",
        ),
        (
            "def deco(f): return f\nown = Own()\n@deco\nasync def mine(x=own): pass",
            "mine uses own",
        ),
        ("mine = lambda: 0", "mine is a plain|<lambda> is a plain"),
    ],
)
def test_what_a_notebook_cannot_send(cell: str, says: str) -> None:
    said = in_notebook(
        cell,
        """
        from looplab.cost import cpu_cost
        try:
            cpu_cost(mine)
        except TypeError as error:
            print(error)
        """,
    )
    assert re.search(says, said), said


def test_source_that_nobody_kept() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "async def f(): pass\n" + _ASK],
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    # Python 3.13 keeps the source of -c.
    assert "%%writefile" in done.stdout or sys.version_info >= (3, 13), done


_ASK = """
from looplab.cost.send import describe
try:
    describe(f)
except TypeError as error:
    print(error)
"""


def test_describe_and_load_are_inverse() -> None:
    for function in nothing, Thing.static:
        assert load(json.loads(json.dumps(describe(function)))) is function
    assert load(describe(plain, is_async=False), is_async=False) is plain
    with pytest.raises(TypeError, match="not a plain function"):
        load(describe(nothing), is_async=False)


# ------------------------------------------------------------------ variants


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("times", [1, 2, 5])
def test_every_variant_awaits_so_often(name: str, times: int) -> None:
    variant = VARIANTS[name]
    if sys.version_info < variant.needs:
        pytest.skip("needs a newer Python")
    anyio = pytest.importorskip("anyio") if variant.package else None
    called = 0

    async def work() -> None:
        nonlocal called
        called += 1
        await asyncio.sleep(0)
        called += 100

    space: dict[str, Any] = {"asyncio": asyncio, "anyio": anyio, "work": work}
    exec(variant_source(name, times), space)
    asyncio.run(space["variant"]())
    assert called == 101 * times


def test_the_source_of_a_variant() -> None:
    assert variant_source("in sequence") == (
        "async def variant():\n    await work()\n    await work()\n"
    )
    assert variant_source("gather", 3) == (
        "async def variant():\n    await asyncio.gather(work(), work(), work())\n"
    )
    assert max(map(len, variant_source("wait").splitlines())) < 79


# ------------------------------------------------------------------- tables


TABLE = CostTable(
    (
        Cost("in sequence", "asyncio", (1e-6, 2e-6, 3e-6), (4e-6,), 10, 1000),
        Cost("a <b>", "asyncio", (8e-6, 10e-6), (1e-3, 2e-3), 5, 30_000),
        Cost("in sequence", "uvloop", (1e-6,), (1e-6,), 10),
        Cost("a <b>", "uvloop", unavailable="it is <gone>"),
    ),
    baseline="in sequence",
    machine={"python": "Python 3.99", "cores": "2 cores"},
    note="Look & see.",
)


def test_the_figures_of_a_table() -> None:
    assert TABLE["in sequence"].cpu == 2e-6
    assert TABLE["a <b>"].cpu == pytest.approx(9e-6)
    assert TABLE["a <b>"].wall == pytest.approx(1.5e-3)
    assert TABLE["in sequence"].spread == pytest.approx(1e-6)
    assert TABLE["in sequence", "uvloop"].spread == 0
    assert TABLE.ratio("a <b>") == pytest.approx(4.5)
    assert TABLE.ratio_range("a <b>") == pytest.approx((8 / 3, 10))
    assert TABLE.instruction_ratio("a <b>") == 30
    assert TABLE.instruction_ratio("in sequence", "uvloop") is None
    assert len(TABLE) == 4


def test_a_table_in_a_terminal() -> None:
    assert repr(TABLE).splitlines() == [
        "what         loop     CPU a call         low to high  ratio  instructions"
        "   ratio  wall a call",
        "in sequence  asyncio     2.00 µs  1.00 µs to 3.00 µs  1.0 ×         1,000"
        "   1.0 ×      4.00 µs",
        "a <b>        asyncio     9.00 µs  8.00 µs to 10.0 µs  4.5 ×        30,000"
        "  30.0 ×      1.50 ms",
        "in sequence  uvloop      1.00 µs  1.00 µs to 1.00 µs  1.0 ×             -"
        "       -      1.00 µs",
        "a <b>        uvloop   it is <gone>",
        "Measured on Python 3.99, 2 cores.",
        "Look & see.",
    ]


def test_a_table_on_a_page() -> None:
    page = TABLE._repr_html_()
    assert "call. Measured on Python 3.99, 2 cores. Look &amp; see.</caption>" in page
    assert '<th scope="row">a &lt;b&gt;</th>' in page
    assert '<td>uvloop</td><td colspan="6">it is &lt;gone&gt;</td></tr>' in page
    assert page.count("<tr>") == 5
    assert "<td>8.00\N{NO-BREAK SPACE}µs to 10.0\N{NO-BREAK SPACE}µs</td>" in page
    assert "<td>4.5\N{NO-BREAK SPACE}×</td>" in page


def test_a_table_of_one_loop_on_a_page() -> None:
    rows = (
        Cost("f", "uvloop", (1e-3,), (1e-3,), 1),
        Cost("g", "uvloop", unavailable="no"),
    )
    page = CostTable(rows, baseline="f", machine={"cores": "2 cores"})._repr_html_()
    assert "CPU time of a call on uvloop. Measured on 2 cores.</caption>" in page
    assert "<td>uvloop</td>" not in page
    assert '<th scope="row">g</th><td colspan="4">no</td></tr>' in page
    assert page.count('scope="col"') == 5


def test_a_table_of_one_row() -> None:
    table = CostTable(
        (Cost("f", "asyncio", (1e-3,), (1e-3,), 1),), baseline="f", machine={}
    )
    assert "ratio" not in repr(table)
    assert "Measured on" not in repr(table) + table._repr_html_()
    assert table.cpu == 1e-3
    assert repr(table.rows[0]) == (
        "f, asyncio: 1.00 ms of CPU a call (1.00 ms to 1.00 ms), wall 1.00 ms"
    )


def test_a_table_as_data() -> None:
    data = json.loads(TABLE.to_json())
    assert data["rows"][0]["cpus"] == [1e-6, 2e-6, 3e-6]
    assert data["machine"]["cores"] == "2 cores"


def test_a_kept_table(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    TABLE.save(path)
    again = CostTable.load(path)
    assert again.rows == TABLE.rows
    assert again.as_dict() == TABLE.as_dict()
    assert (tmp_path / "table.txt").read_text("utf-8") == f"{TABLE!r}\n"


def test_where_no_table_can_be_kept(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"table.txt' must end in .json"):
        TABLE.save(tmp_path / "table.txt")
    with pytest.raises(FileNotFoundError, match=r"no folder '.*absent': make"):
        TABLE.save(tmp_path / "absent" / "table.json")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(ValueError, match=r"folder.json' is a folder: give the name"):
        TABLE.save(tmp_path / "folder.json")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.json"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"rows": [{"name": "f"}]}'])
def test_what_is_no_kept_table(tmp_path: Path, text: str) -> None:
    path = tmp_path / "table.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"table.json is not a saved table \("):
        CostTable.load(path)
    with pytest.raises(FileNotFoundError):
        CostTable.load(tmp_path / "absent.json")


def test_the_machine_of_a_table() -> None:
    found = this_machine({"uvloop": "9.9"})
    assert found["python"] == f"Python {platform.python_version()}"
    assert found["system"] == platform.system()
    assert found["processor"]
    assert found["uvloop"] == "uvloop 9.9"


def test_what_a_table_does_not_have() -> None:
    with pytest.raises(KeyError, match="there are: 'in sequence' on asyncio"):
        TABLE["gather"]
    with pytest.raises(ValueError, match="was not measured: it is <gone>"):
        _ = TABLE["a <b>", "uvloop"].cpu
    with pytest.raises(ValueError, match="4 rows: say which one"):
        _ = TABLE.cpu
    assert repr(TABLE.rows[3]) == "a <b>, uvloop: not measured, it is <gone>"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0.00 ns"),
        (1.234e-9, "1.23 ns"),
        (478e-9, "478 ns"),
        (999.4e-9, "999 ns"),
        (999.7e-9, "1.00 µs"),
        (20.72e-6, "20.7 µs"),
        (9.996e-3, "10.0 ms"),
        (1.5, "1.50 s"),
        (1234, "1234 s"),
    ],
)
def test_times_in_words(value: float, text: str) -> None:
    assert seconds(value) == text


# ------------------------------------------------------------- the command


#: What chapter 3 shows of a Python that the lab did not run on.
KEPT = ROOT / "book" / "figures" / "task_cost_newer.json"
SHORT = ("--values", "1", "--processes", "1")


@needs_pyperf
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "table.json"
    words = ["tests.unit.cost_works:speaks", "--variants", "in sequence, tasks"]
    assert main([*words, *SHORT, "--times", "3", "--save", str(path)]) == 0
    said = capsys.readouterr().out
    assert said == path.with_suffix(".txt").read_text("utf-8")
    table = CostTable.load(path)
    assert [row.name for row in table] == ["in sequence", "tasks"]
    assert table.where in said
    assert main(["--variants", "in sequence", *SHORT, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["baseline"] == "in sequence"


def test_the_names_of_ways_hold_commas() -> None:
    names = ["in sequence", "tasks", "tasks, eager", "gather, eager"]
    assert _names(", ".join(names)) == _names(",".join(names)) == names
    assert _names(",".join(VARIANTS)) == list(VARIANTS)


@needs_pyperf
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--save", "table.txt"], "'table.txt' must end in .json"),
        (["--save", "absent/table.json"], "there is no folder 'absent': make it"),
        (["--variants", "threads"], "no variant 'threads'; there are: in sequence"),
        (["--loops", "trio"], "loop is 'trio': there are asyncio and uvloop"),
        (["--times", "0"], "times must be 1 to 1,000, not 0"),
        (["--values", "0"], "values must be at least 1, not 0"),
        (["--timeout", "-1"], "timeout must be above 0 s and finite, not -1"),
        (["handle"], "coro_fn is 'handle': write module:function"),
        (["tests.unit.cost_works:raises"], "raised ValueError: no good"),
    ],
)
def test_wrong_words(
    words: list[str],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    monkeypatch.chdir(tmp_path)
    assert main(words) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert says in err
    assert list(tmp_path.iterdir()) == []


@needs_pyperf
@needs_groups
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_nothing_outlives_the_command(tmp_path: Path, number: signal.Signals) -> None:
    path = tmp_path / "pid"
    (tmp_path / "one.py").write_text(
        f"from tests.unit.cost_works import leaves\n"
        f"async def work():\n    await leaves({str(path)!r})\n"
    )
    command = subprocess.Popen(
        [sys.executable, "-m", "looplab.cost", "one:work"],
        cwd=tmp_path,
        env=os.environ
        | {
            "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
            "TMPDIR": str(tmp_path),
        },
        # pytest may itself run where interrupts are ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        for _ in range(1000):
            if path.is_symlink():
                break
            time.sleep(0.01)
        command.send_signal(number)
        status = command.wait(10)
    finally:
        command.kill()
        command.wait()
    assert status == (130 if number == signal.SIGINT else -number)
    assert gone(int(path.readlink().name))


def test_the_kept_table_has_what_the_chapter_shows() -> None:
    table = CostTable.load(KEPT)
    assert table.machine["python"] > "Python 3.12"
    assert KEPT.with_suffix(".txt").read_text("utf-8") == f"{table!r}\n"
    for way in "tasks", "gather":
        assert 0 < table[f"{way}, eager"].cpu < 0.7 * table[way].cpu
    assert table["wait_for"].cpu < table["tasks"].cpu


# ----------------------------------------------------------------- capacity


def test_clients_per_core() -> None:
    assert clients_per_core(0.001) == 1000
    assert clients_per_core(1) == 1
    assert clients_per_core(0.004, rate=0.5) == 500
    assert clients_per_core(0.001, utilisation=0.7) == 700


def test_cores_needed() -> None:
    assert cores_needed(0.001, 1000) == 1
    assert cores_needed(0.001, 1001) == 2
    assert cores_needed(0.0001, 10) == 1
    assert cores_needed(0.1, 30, utilisation=0.5) == 6


@pytest.mark.parametrize("function", [clients_per_core, cores_needed])
def test_wrong_capacities(function: Callable[..., float]) -> None:
    more = (1000,) if function is cores_needed else ()
    for cpu in 0, -1, float("nan"), float("inf"):
        with pytest.raises(ValueError, match="cpu must be above 0 s and finite, not"):
            function(cpu, *more)
    with pytest.raises(TypeError, match=r"cpu must be a number, not '1' \(str\)"):
        function("1", *more)
    with pytest.raises(ValueError, match=r"utilisation must be at most 1, not 1.5"):
        function(1, *more, utilisation=1.5)
    with pytest.raises(ValueError, match="utilisation must be above 0"):
        function(1, *more, utilisation=0)
    with pytest.raises(ValueError, match=r"rate must be above 0|requests_per_second"):
        clients_per_core(1, rate=0) if function is clients_per_core else function(1, 0)


def test_the_face_of_the_package() -> None:
    for name in cost.__all__:
        assert getattr(cost, name).__doc__
