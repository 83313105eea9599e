"""The example of chapter 6: what it reads, what it writes, how it fails.

No test here uses the network; ``ON_TIME_FULL=1`` in the environment adds one that runs
the published test with both sets of libraries, which pip fetches.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import platform
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "book" / "examples" / "spinning_loop"
LAB = EXAMPLE.parents[2] / "notebooks" / "06_going_deeper.ipynb"
CAPTURES = EXAMPLE / "captures"
FULL = bool(os.environ.get("ON_TIME_FULL"))

pytestmark = [
    pytest.mark.skipif(
        not EXAMPLE.is_dir(), reason="the book is not here, only the package"
    ),
    pytest.mark.skipif(os.name != "posix", reason="the captures need Unix"),
]


def loaded() -> ModuleType:
    """The example as a package, without a change of the path."""
    if "spinning_loop" not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            "spinning_loop",
            EXAMPLE / "__init__.py",
            submodule_search_locations=[str(EXAMPLE)],
        )
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["spinning_loop"] = module
        spec.loader.exec_module(module)
    return sys.modules["spinning_loop"]


if EXAMPLE.is_dir() and os.name == "posix":
    loaded()
    from spinning_loop import (  # type: ignore[import-not-found]
        commands,
        distilled,
        environments,
        free,
        fresh,
        guard,
        idle_guard,
        programs,
        realcase,
        toolbox,
        watching,
        yields,
    )


def only_on_path(name: str, fix: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise programs.SkippedError(f"{name} is not installed ({fix})")
    return found


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with one empty folder; nothing is found beside the interpreter."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    for module in (realcase, toolbox):
        monkeypatch.setattr(module, "find", only_on_path)
    return folder


def fake(folder: Path, name: str, script: str) -> None:
    """A program of that name."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    path.chmod(0o755)


def capture_py(
    *arguments: object, env: dict[str, str] | None = None, **options: Any
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-B", str(EXAMPLE / "capture.py"), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=options.pop("timeout", 60),
        check=False,
        env=env,
        **options,
    )


# ------------------------------------------------------------------ what is read


STRACE = """\
% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 92.79    1.244123          38     32490      3295 futex
  5.15    0.069111          12      5327           epoll_wait
------ ----------- ----------- --------- --------- ----------------
100.00    1.340000          30     37817      3295 total
"""


def test_the_table_of_strace() -> None:
    found = watching.parse_strace(STRACE)
    assert found["futex_percent"] == 92.79
    assert found["futex_calls"] == 32490
    assert found["calls"] == {
        "futex": {"percent": 92.79, "seconds": 1.244123, "calls": 32490},
        "epoll_wait": {"percent": 5.15, "seconds": 0.069111, "calls": 5327},
    }


def test_a_trace_without_futex_has_no_share() -> None:
    lines = [line for line in STRACE.splitlines() if "futex" not in line]
    assert watching.parse_strace("\n".join(lines))["futex_percent"] == 0


def test_a_trace_without_a_table() -> None:
    with pytest.raises(programs.CaptureError, match="no table of calls"):
        watching.parse_strace("strace: hm\n")


def test_the_innermost_functions_of_a_dump() -> None:
    text = (
        "Timeout (0:00:00.010000)!\n"
        'Thread 0x00007f01 (most recent call first):\n  File "a.py", line 3 in sleep\n'
        '  File "b.py", line 4 in poll\n\n'
        "Thread 0x00007f02 (most recent call first):\n  <no Python frame>\n\n"
        'Current thread 0x00007f03 (most recent call first):\n  File "c" in wait'
    )
    assert watching.innermost(text) == ["sleep", "no Python frame", "wait"]
    assert watching.innermost("") == []


GDB = """\
[Thread debugging using libthread_db enabled]

Thread 2 (Thread 0x7fb7424d56c0 (LWP 26238) "python"):
Traceback (most recent call first):
  Waiting for the GIL
  File "/usr/lib/python3.12/selectors.py", line 468, in select

Thread 1 (Thread 0x7fb744d33b80 (LWP 26150)):
Traceback (most recent call first):
  File "/usr/lib/python3.12/threading.py", line 355, in wait
"""


def test_what_gdb_says_of_the_threads() -> None:
    assert watching.gdb_threads(GDB) == {"2": "Waiting for the GIL", "1": "other"}
    assert watching.gdb_threads("ptrace: No such process.") == {}


def test_the_leaves_of_a_profile() -> None:
    folded = (
        "thread (11864): loop-2;_bootstrap (threading.py:1);select (selectors.py:4) 7\n"
        "thread (11864): loop-2;_bootstrap (threading.py:1);select (selectors.py:9) 2\n"
        "thread (0x7F01): MainThread;wait (threading.py:355) 5\n"
    )
    assert toolbox.leaves(folded) == {
        ("loop-2", "select (selectors.py)"): 9,
        ("MainThread", "wait (threading.py)"): 5,
    }


def test_the_last_whole_screen() -> None:
    def screen(samples: int) -> str:
        return f"\x1b[2J\x1b[1mTotal Samples {samples}\x1b[0m\r\nGIL: 9.00%\r\n\r\nf"

    drawn = screen(100) + screen(200) + "\x1b[2JTotal Samp"
    assert toolbox.last_screen(drawn) == "Total Samples 200\nGIL: 9.00%\nf\n"
    assert toolbox.last_screen("nothing") == "\n"


@pytest.mark.parametrize(
    ("printed", "cleaned"),
    [
        (
            'File "/x/old-3.12/lib/python3.12/site-packages/anyio/a.py", line 1',
            'File "anyio/a.py", line 1',
        ),
        ('File "/opt/py/lib/python3.13t/asyncio/b.py"', 'File "asyncio/b.py"'),
        ('File "/r/book/examples/spinning_loop/distilled.py"', 'File "distilled.py"'),
        ("wait (spinning_loop/distilled.py:50)", "wait (distilled.py:50)"),
        ("Thread 0x00007f6cdeafb6c0 (most", "Thread 0x… (most"),
        ("$ strace -p 4711 --four 47110", "$ strace -p PID --four 47110"),
        ("\x1b[1mbold\x1b[0m   ", "bold"),
        ("(/home/me/venv/bin/python3.12)", "(python3.12)"),
        ("Thread 4 (Thread 0x7fb741cd46c0 (LWP 99))", "Thread 4 (Thread 0x… (LWP …))"),
    ],
)
def test_what_is_cleaned(printed: str, cleaned: str) -> None:
    assert programs.clean(printed, {4711: "PID"}) == cleaned + "\n"


def test_the_spread_of_some_figures() -> None:
    assert realcase.spread([4.0, 1.0, 2.0, 3.0, 5.0]) == {
        "median": 3.0,
        "quartiles": [2.0, 4.0],
        "least": 1.0,
        "most": 5.0,
        "tests": 5,
    }
    assert realcase.spread([2.0])["quartiles"] == [2.0, 2.0]
    with pytest.raises(programs.CaptureError, match="budget of time"):
        realcase.spread([])


def block(others: float | None, *seconds: float) -> dict[str, Any]:
    return {"first": 1.0, "seconds": list(seconds), "others": others}


def test_blocks_that_others_disturbed_are_left_out() -> None:
    found = realcase.summary([block(0.5, 9.0), block(0.0, 1.0), block(0.02, 3.0)])
    assert (found["median"], found["blocks"], found["quiet"]) == (2.0, 2, True)


def test_too_few_quiet_blocks_and_all_are_kept() -> None:
    blocks = [block(0.5, 9.0), block(0.6, 7.0), block(0.0, 1.0)]
    found = realcase.summary(blocks)  # one quiet block says nothing of the spread
    assert (found["median"], found["blocks"], found["quiet"]) == (7.0, 3, False)
    found = realcase.summary([*blocks, *blocks, block(0.7, 8.0)])  # under a third
    assert (found["median"], found["blocks"], found["quiet"]) == (7.0, 7, False)


def test_where_the_load_is_unknown_all_blocks_count() -> None:
    found = realcase.summary([block(None, 9.0), block(None, 1.0)])
    assert (found["median"], found["quiet"]) == (5.0, True)


def test_one_block_is_never_called_quiet_by_itself() -> None:
    found = realcase.summary([block(0.0, 9.0)])
    assert (found["median"], found["blocks"], found["quiet"]) == (9.0, 1, False)


@pytest.mark.parametrize(
    ("done", "message"),
    [
        ((1, "", "Traceback\nValueError: no"), "exit status 1: ValueError: no"),
        ((-11, "", ""), "signal 11: no words"),
        ((0, "ready\n", ""), "printed no result"),
        ((0, "{broken", ""), "printed no result"),
    ],
)
def test_a_test_that_failed(done: tuple[int, str, str], message: str) -> None:
    with pytest.raises(programs.CaptureError, match=message):
        realcase.parsed(programs.Done(*done))


# ------------------------------------------------------------------ the pins


def test_the_pins_are_exact_and_of_their_time() -> None:
    old, new = environments.pins("old"), environments.pins("new")
    assert (old["fastapi"], old["starlette"]) == ("0.110.0", "0.36.3")
    assert tuple(map(int, new["starlette"].split("."))) >= (0, 45, 1)
    assert {"anyio", "httpx"} <= set(old)
    assert set(environments.pins("tools")) == {"py-spy"}


@pytest.mark.parametrize("line", ["fastapi", "fastapi>=0.110", "fastapi=="])
def test_a_pin_that_is_not_exact(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environments, "HERE", tmp_path)
    (tmp_path / "requirements-old.txt").write_text(f"# pins\n\n{line}\n", "utf-8")
    with pytest.raises(programs.CaptureError, match=r"not of the form name==1\.2\.3"):
        environments.pins("old")


def test_no_pins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environments, "HERE", tmp_path)
    with pytest.raises(programs.CaptureError, match=r"requirements-old\.txt cannot be"):
        environments.ensure("old", tmp_path)


# ------------------------------------------------------------------ environments


@pytest.mark.parametrize(
    ("words", "kind", "message"),
    [
        (
            "WARNING: Retrying (Retry(total=0)) after connection broken by "
            "'NewConnectionError(...): [Errno 111] Connection refused'\n"
            "ERROR: No matching distribution found for fastapi==0.110.0",
            "skipped",
            "the package index cannot be reached",
        ),
        (
            "ERROR: Could not find a version that satisfies the requirement x==9 "
            "(from versions: 1, 2)\nERROR: No matching distribution found for x==9",
            "skipped",
            "the package index has no x==9",
        ),
        ("ERROR: ResolutionImpossible: for help visit", "failed", "contradict"),
        ("ERROR: [Errno 28] No space left on device", "failed", "the disk is full"),
        ("notice\nERROR: something else\nhint", "failed", "ERROR: something else"),
        ("", "failed", "it said nothing"),
    ],
)
def test_what_pip_means(words: str, kind: str, message: str) -> None:
    error = environments._reason("old", words)
    assert isinstance(error, programs.SkippedError) is (kind == "skipped")
    assert message in str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("version", "words"),
    [
        (
            (3, 12),
            r"for Python 3\.12 .*\): point PIP_INDEX_URL at an index that has it$",
        ),
        (
            (3, 13),
            r"for Python 3\.13 .*\): use Python 3\.12, or point PIP_INDEX_URL at",
        ),
    ],
)
def test_the_python_that_runs_is_not_proposed(
    version: tuple[int, int], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environments.sys, "version_info", version)
    error = environments._reason(
        "old", "ERROR: No matching distribution found for x==9"
    )
    assert re.search(words, str(error))


def a_made_environment(side: str, venv: Path) -> None:
    """Stands in for the creation."""
    python = environments.python_of(venv)
    python.parent.mkdir(parents=True)
    python.touch()


def test_an_environment_is_made_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def create(side: str, venv: Path) -> None:
        assert not (venv / environments.STAMP).exists()  # it is written last
        made.append(side)
        shutil.rmtree(venv, ignore_errors=True)
        a_made_environment(side, venv)

    monkeypatch.setattr(environments, "_create", create)
    said: list[str] = []
    first = environments.ensure("old", tmp_path, said.append)
    assert first.exists()
    assert environments.ensure("old", tmp_path, said.append) == first
    assert made == ["old"]
    assert len(said) == 1
    assert said[0].startswith("making the environment old-")
    # Other pins, another environment.
    other = tmp_path / "pins"
    other.mkdir()
    (other / "requirements-old.txt").write_text("fastapi==0.1\n", "utf-8")
    monkeypatch.setattr(environments, "HERE", other)
    (first.parent.parent / environments.STAMP).rename(tmp_path / "stamp")
    environments.ensure("old", tmp_path, said.append)
    assert made == ["old", "old"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_a_creation_that_is_cut_short_leaves_nothing(
    error: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def create(side: str, venv: Path) -> None:
        a_made_environment(side, venv)
        raise error

    monkeypatch.setattr(environments, "_create", create)
    with pytest.raises(error):
        environments.ensure("old", tmp_path, None)
    assert [path.suffix for path in tmp_path.iterdir()] == [".lock"]


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(programs.CaptureError, match="give another with --folder"):
        environments.ensure("old", tmp_path / "file" / "envs", None)


def test_a_link_is_not_removed(tmp_path: Path) -> None:
    tag = f"old-{sys.version_info.major}.{sys.version_info.minor}"
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        tag += "t"
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / tag).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(programs.CaptureError, match="is a link"):
        environments._create("old", tmp_path / tag)
    assert (tmp_path / "elsewhere").is_dir()


def test_no_index(tmp_path: Path) -> None:
    """The whole command with an index that nobody serves: one line, no traceback."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: refused
        index = f"http://127.0.0.1:{taken.getsockname()[1]}/simple"
        env = {**os.environ, "PIP_INDEX_URL": index, "PIP_CONFIG_FILE": os.devnull}
        env = {k: v for k, v in env.items() if k != "PIP_EXTRA_INDEX_URL"}
        done = capture_py(
            "real", "--folder", tmp_path / "e", "--output", tmp_path / "o", env=env
        )
    assert done.returncode == 3
    assert "real left out: the package index cannot be reached" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "o").exists()
    assert [path.suffix for path in (tmp_path / "e").iterdir()] == [".lock"]


@pytest.mark.full
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_while_pip_waits(number: int, tmp_path: Path) -> None:
    """An index that never answers, and a reader who has had enough."""
    with socket.socket() as index:
        index.bind(("127.0.0.1", 0))
        index.listen()
        index.settimeout(50)
        url = f"http://127.0.0.1:{index.getsockname()[1]}/simple"
        env = {**os.environ, "PIP_INDEX_URL": url, "PIP_CONFIG_FILE": os.devnull}
        env = {k: v for k, v in env.items() if k != "PIP_EXTRA_INDEX_URL"}
        with subprocess.Popen(
            [
                *(sys.executable, "-B", str(EXAMPLE / "capture.py"), "real"),
                *("--folder", str(tmp_path / "e"), "--output", str(tmp_path / "o")),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=env,
        ) as program:
            connection, _ = index.accept()
            with connection:
                program.send_signal(number)
                _, err = program.communicate(timeout=30)
    assert program.returncode == 130
    assert "interrupted; nothing is left running" in err
    assert "Traceback" not in err
    assert [path.suffix for path in (tmp_path / "e").iterdir()] == [".lock"]
    assert not processes_with(str(tmp_path))


def processes_with(text: str, *, mine: bool = False) -> list[str]:
    """The command lines of running programs that contain a text.

    With *mine* only those that this process or one of its children started: somebody
    else may make captures on this machine meanwhile.
    """
    lines, parents = {}, {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            line = (path / "cmdline").read_bytes().replace(b"\0", b" ")
            # After the name, which may hold anything: the state, then the parent.
            parents[int(path.name)] = int(
                (path / "stat")
                .read_text("utf-8", "replace")
                .rpartition(")")[2]
                .split()[1]
            )
        except OSError:
            continue
        lines[int(path.name)] = line.decode("utf-8", "replace")

    def started_here(number: int) -> bool:
        while number > 1 and number != os.getpid():
            number = parents.get(number, 0)
        return number == os.getpid()

    return [
        line
        for number, line in lines.items()
        if text in line and (not mine or started_here(number))
    ]


def test_processes_of_others_are_not_mine() -> None:
    """A child of ours is; a program whose parent has ended is not."""
    mark = f"{os.getpid()} of our own"
    idle = "import sys, time; print(flush=True); time.sleep(60)"
    detach = (
        "import subprocess, sys; "
        f"print(subprocess.Popen([sys.executable, '-c', {idle!r}, sys.argv[1]], "
        "stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).pid)"
    )
    with programs.Running([sys.executable, "-c", idle, mark]) as child:
        child.wait_for("\n", 20)
        assert len(processes_with(mark, mine=True)) == 1
    assert not processes_with(mark, mine=True)
    done = subprocess.run(
        [sys.executable, "-c", detach, mark],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    try:
        assert processes_with(mark)
        assert not processes_with(mark, mine=True)
    finally:
        os.kill(int(done.stdout), signal.SIGKILL)


# ------------------------------------------------------------------ other programs


def test_a_program_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    mark = f"sleep 987{os.getpid() % 1000}"
    with pytest.raises(programs.CaptureError, match=r"ran for more than 0\.5 s"):
        programs.run(["sh", "-c", f"{mark} & {mark}; :"], timeout=0.5)
    deadline = time.monotonic() + 5
    while processes_with(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not processes_with(mark)


@pytest.mark.skipif(
    not Path("/proc/self/autogroup").exists(), reason="Linux with groups of sessions"
)
def test_the_priority_goes_to_the_session_that_is_started(tmp_path: Path) -> None:
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); "
        "from spinning_loop.programs import run; "
        "print(run(['sh', '-c', 'sleep 0.5; cat /proc/self/autogroup'], timeout=9).out)"
    )
    command = [sys.executable, "-B", "-c", program, str(EXAMPLE.parent)]
    done = subprocess.run(
        ["nice", "-n", "5", *command],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    assert done.stdout.strip().endswith("nice 5")


def test_a_program_that_is_not_there() -> None:
    with pytest.raises(programs.SkippedError, match="cannot be started"):
        programs.run(["/nowhere/program"], timeout=1)


def test_a_program_that_never_gets_ready() -> None:
    with (
        pytest.raises(programs.CaptureError, match="ended too soon: oh no"),
        programs.spawn(["sh", "-c", "echo oh no >&2"]),
    ):
        pass
    with (
        pytest.raises(programs.CaptureError, match=r"was not ready after 0\.2 s"),
        programs.spawn(["sleep", "20"], timeout=0.2),
    ):
        pass


@pytest.mark.parametrize(
    ("tool", "program"),
    [
        ("strace", "strace"),
        ("taskset", "taskset"),
        ("gdb", "gdb"),
    ],
)
def test_a_tool_that_is_missing(
    tool: str,
    program: str,
    bin_folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(toolbox, "gdb_script", lambda: Path("python-gdb.py"))
    (tmp_path / f"{tool}.txt").write_text("what was there\n", "utf-8")
    status = toolbox.capture(tmp_path, tmp_path / "e", lambda line: None, [tool])
    err = capsys.readouterr().err
    assert status == 3
    assert err == (
        f"capture.py: {tool} left out: {program} is not installed "
        f"(on Debian and Ubuntu: apt install {'util-linux' * (tool == 'taskset')}"
        f"{tool * (tool != 'taskset')})\n"
    )
    assert (tmp_path / f"{tool}.txt").read_text("utf-8") == "what was there\n"


DENIED = {
    "strace": "echo 'strace: attach: ptrace(PTRACE_SEIZE, 1): Operation not permitted'"
    " >&2; exit 1",
    "gdb": "echo 'ptrace: Operation not permitted.'",
    "py-spy": "echo 'Permission Denied: Try running again with elevated permissions'"
    " >&2; exit 1",
}


@pytest.mark.parametrize(
    ("tool", "program"),
    [
        ("strace", "strace"),
        ("gdb", "gdb"),
        ("pyspy_dump", "py-spy"),
        ("pyspy_record", "py-spy"),
        ("pyspy_top", "py-spy"),
    ],
)
def test_tracing_is_not_allowed(
    tool: str,
    program: str,
    bin_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake(bin_folder, program, DENIED[program])
    monkeypatch.setattr(toolbox, "gdb_script", lambda: Path("python-gdb.py"))
    monkeypatch.setattr(toolbox, "terminal", lambda command, seconds: DENIED["py-spy"])
    with pytest.raises(programs.SkippedError, match="CAP_SYS_PTRACE"):
        toolbox.TOOLS[tool](toolbox.Context(tmp_path))
    assert not processes_with("distilled.py hops", mine=True)


def test_tracing_its_own_child_is_not_allowed(bin_folder: Path) -> None:
    fake(
        bin_folder,
        "strace",
        "echo 'strace: test_ptrace_get_syscall_info: PTRACE_TRACEME: "
        "Operation not permitted' >&2; exit 1",
    )
    with pytest.raises(programs.SkippedError, match="CAP_SYS_PTRACE"):
        toolbox.strace_one(toolbox.Context(Path()))


def test_a_program_that_never_had_two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it prints would be the case of one core, under another name."""
    runs: list[int] = []

    def told(work: str, *, loops: int, **rest: Any) -> dict[str, Any]:
        runs.append(loops)
        return {"process_cpu_share": 0.992 if len(runs) != 3 else 1.6}

    monkeypatch.setattr(toolbox, "told", told)
    assert toolbox.on_several_cores(2)["process_cpu_share"] == 1.6
    assert runs == [2, 2, 2]
    with pytest.raises(programs.CaptureError, match=r"10 runs .*no more than one core"):
        toolbox.on_several_cores(2)
    monkeypatch.setattr(toolbox, "cores", lambda: [0])
    with pytest.raises(programs.SkippedError, match="only one core"):
        toolbox.getrusage(toolbox.Context(Path()))


def test_a_debugger_without_the_helper(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "base_prefix", "/nowhere")
    monkeypatch.setattr(sys, "executable", "/nowhere/bin/python3.99")
    version = SimpleNamespace(major=3, minor=99)
    monkeypatch.setattr(sys, "version_info", version)
    with pytest.raises(programs.SkippedError, match=r"python3\.99-gdb\.py"):
        watching.gdb_script()


def test_a_debugger_without_python(bin_folder: Path) -> None:
    fake(bin_folder, "gdb", 'echo \'Undefined command: "py-bt".  Try "help".\' >&2')
    with pytest.raises(programs.SkippedError, match="without Python"):
        watching.gdb_run(watching.gdb_command("py-bt"))


def test_one_core(bin_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(bin_folder, "taskset", "exit 0")
    monkeypatch.setattr(realcase, "cores", lambda: [3])
    with pytest.raises(programs.SkippedError, match="only one core"):
        realcase.pinned()
    monkeypatch.setattr(realcase, "cores", lambda: [3, 5])
    assert realcase.pinned() == [str(bin_folder / "taskset"), "-c", "3"]


# ------------------------------------------------------------------ the distilled case


def test_the_distilled_case_runs() -> None:
    found = toolbox.told("hops", loops=1, seconds=0.2)
    assert found["hops"] > 0
    assert 0 < found["median_ms"] <= found["worst_ms"]
    found = toolbox.told("frames", loops=1, seconds=0.5)
    assert set(found["innermost"]) == {"loop", "main"}
    assert any("select" in place for place in found["innermost"]["loop"])


@pytest.mark.full
def test_debug_mode_is_silent() -> None:
    for _ in range(5):
        begun, used_before = time.perf_counter(), cpu_of_children()
        done = toolbox.debug_mode(toolbox.Context(Path()))
        share = (cpu_of_children() - used_before) / (time.perf_counter() - begun)
        assert done.figures["debug"] is True
        assert "PYTHONASYNCIODEBUG=1 python distilled.py debug" in done.text
        if done.figures["warnings"] * 10 < done.figures["hops"]:
            return
        # Its threads turn all the time. A busy machine can take the core away from a
        # callback, and asyncio then warns of that one: its clock is the wall's.
        assert share <= 1, done.figures
    pytest.skip(f"others used the machine: the program had {share:.2f} of a core")


def cpu_of_children() -> float:
    """CPU time of the processes that this one waited for, in seconds."""
    used = os.times()
    return used.children_user + used.children_system


def test_a_stack_dump_names_the_threads() -> None:
    done = toolbox.faulthandler(toolbox.Context(Path()))
    assert done.figures["threads"] >= 2
    assert "most recent call first" in done.text
    assert str(Path.home()) not in done.text


def test_the_short_guard() -> None:
    """It fails beside a loop that polls, passes beside one that waits."""
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        waits = threading.Thread(target=loop.run_forever, daemon=True)
        waits.start()
        idle_guard.assert_idle(0.1)
        polls = distilled.PollingLoop(1)
        polls.start()
        with pytest.raises(
            AssertionError, match=r"turned [\d,]+ times in .* something"
        ):
            idle_guard.assert_idle(0.1)
        once = asyncio.BaseEventLoop.__dict__["_run_once"]
        assert once.__name__ == "_run_once"  # the stock one is back
        polls.stop()
        idle_guard.assert_idle(0.1)
        loop.call_soon_threadsafe(loop.stop)
        waits.join()


def test_the_short_guard_passes_over_a_loop_that_was_never_made() -> None:
    half_made = asyncio.SelectorEventLoop.__new__(asyncio.SelectorEventLoop)
    half_made._closed = True  # type: ignore[attr-defined]  # for its __del__()
    assert half_made not in idle_guard.running_loops()


def test_the_short_guard_that_could_not_fail_is_refused() -> None:
    with pytest.raises(RuntimeError, match=r"no loop of asyncio ran.* sessions are op"):
        idle_guard.assert_idle(0.1)

    async def inside() -> None:  # its own loop stands still meanwhile
        with pytest.raises(RuntimeError, match="in another thread"):
            idle_guard.assert_idle(0.1)

    asyncio.run(inside())


def test_the_short_guard_and_a_loop_that_ends() -> None:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    over = threading.Timer(0.2, loop.call_soon_threadsafe, (loop.stop,))
    over.start()
    try:
        with pytest.raises(RuntimeError, match="all the time"):
            idle_guard.assert_idle(0.6)
    finally:
        over.join()
        thread.join()
        loop.close()


@pytest.mark.parametrize(
    "options",
    [
        {"seconds": 0},
        {"seconds": "x"},
        {"seconds": float("nan")},
        {"seconds": float("inf")},
        {"turns": "x"},
        {"turns": 1.5},
        {"turns": -1},
    ],
)
def test_settings_of_the_short_guard(options: dict[str, Any]) -> None:
    value = next(iter(options.values()))
    with pytest.raises(ValueError, match=f"must be .* not .*{re.escape(repr(value))}"):
        idle_guard.assert_idle(**options)


# ------------------------------------------------------------------ the table of tools


def test_every_tool_has_a_row_and_every_row_a_capture() -> None:
    rows = toolbox.read_table()
    assert sorted(row["capture"] for row in rows) == sorted(toolbox.TOOLS)


def test_the_rendered_table_is_fresh() -> None:
    text = (CAPTURES / "tools.md").read_text("utf-8")
    assert text == toolbox.rendered(toolbox.read_table())
    assert {line.count("|") for line in text.splitlines()} == {5}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[[tool]]\nname = 'x'\n", "x lacks 'capture'"),
        ("[[tool]]\nname = ' '\n", "lacks 'name'"),
        ("[[tool]\n", "cannot be read"),
        ("", "cannot be read"),
    ],
)
def test_a_broken_table(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "tools.toml"
    path.write_text(content, "utf-8")
    with pytest.raises(programs.CaptureError, match=message):
        toolbox.read_table(path)


# ------------------------------------------------------------------ the command


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["everything"], "no part 'everything': choose from fresh, real, tools"),
        (["tools", "--only", "perf"], "no tool 'perf': choose from strace"),
    ],
)
def test_wrong_usage(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        commands.main(arguments)
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The parts, each of which does what the test says."""
    results: dict[str, Any] = {
        "fresh": 0,
        "real": 0,
        "tools": 0,
        "guard": 0,
        "free": 0,
        "yields": 0,
    }

    def result(name: str) -> Callable[..., int]:
        def work(*arguments: object) -> int:
            if isinstance(results[name], BaseException):
                raise results[name]
            assert isinstance(results[name], int)
            return results[name]

        return work

    monkeypatch.setattr(commands, "fresh_processes", result("fresh"))
    monkeypatch.setattr(commands, "real", result("real"))
    monkeypatch.setattr(toolbox, "capture", result("tools"))
    monkeypatch.setattr(guard, "capture", result("guard"))
    monkeypatch.setattr(free, "capture", result("free"))
    monkeypatch.setattr(yields, "capture", result("yields"))
    monkeypatch.setattr(commands, "start_up", lambda: None)
    return results


def test_the_exit_status(
    parts: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    every = ["fresh", "real", "tools", "guard", "free", "yields"]
    line = [*every, "--output", str(tmp_path), "--folder", str(tmp_path)]
    assert commands.main(line) == 0
    parts["tools"] = 3
    assert commands.main(line) == 3
    parts["real"] = programs.CaptureError("the disk is full")
    assert commands.main(line) == 1  # and the others still ran
    parts["guard"] = programs.SkippedError("no network")
    assert commands.main(line) == 1
    err = capsys.readouterr().err
    assert "capture.py: real failed: the disk is full\n" in err
    assert "capture.py: guard left out: no network\n" in err
    parts["tools"] = KeyboardInterrupt()
    assert commands.main(line) == 130


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (True, True, "the guard passed with the old libraries"),
        (False, False, r"the guard failed \(turned\) with the new libraries"),
    ],
)
def test_a_guard_that_is_wrong(
    old: bool, new: bool, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = {"old": old, "new": new}

    def check(side: str, *rest: object) -> dict[str, Any]:
        words = "" if results[side] else "turned"
        found = {"passed": results[side], "words": words, "versions": {"x": "1"}}
        return found | {"short_passed": results[side], "short_words": words}

    monkeypatch.setattr(guard, "check", check)
    with pytest.raises(programs.CaptureError, match=message):
        guard.capture(tmp_path, tmp_path, lambda line: None)
    assert not list(tmp_path.iterdir())


def test_the_words_of_a_guard_keep_their_lines() -> None:
    words = "two loops turned:\n  " + "a task " * 12 + "\nSomething polls."
    rows = guard.wrapped(words).splitlines()
    assert rows[0] == "two loops turned:"
    assert rows[1].startswith("  a task")
    assert rows[2].startswith("    a task")
    assert rows[-1] == "Something polls."
    assert max(map(len, rows)) <= 79


def test_render_needs_nothing(tmp_path: Path) -> None:
    done = capture_py("render", "--output", tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "tools.md").read_text("utf-8") == (
        CAPTURES / "tools.md"
    ).read_text("utf-8")


def test_a_folder_for_the_output_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = capture_py("render", "--output", tmp_path / "file")
    assert done.returncode == 1
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr


def test_figures_that_are_not_readable_are_kept(tmp_path: Path) -> None:
    (tmp_path / "captures.json").write_text("{", "utf-8")
    with pytest.raises(programs.CaptureError, match="remove it"):
        toolbox.remember(tmp_path, "gdb", {})
    assert (tmp_path / "captures.json").read_text("utf-8") == "{"


# ------------------------------------------------------------------ without the GIL


FREE = """\
case "$*" in
  *_is_gil_enabled*) echo {answer};;
  *-VV*) echo 'Python 3.14.9 free-threading build';;
  *) {measures};;
esac"""
MEASURES = """echo '{"hops": {"median_s": 0.25}, "idle": {"share_of_a_core": 0.5}}'"""


def test_no_free_threaded_python(bin_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(programs.SkippedError, match=r"no free-threaded .*disable-gil"):
        free.capture(tmp_path / "o", lambda line: None)
    # One that is named so and has the lock all the same.
    fake(bin_folder, "python3.14t", FREE.format(answer="True", measures=":"))
    with pytest.raises(programs.SkippedError, match="no free-threaded"):
        free.interpreter()
    assert not (tmp_path / "o").exists()


def test_a_free_threaded_python(bin_folder: Path, tmp_path: Path) -> None:
    script = FREE.format(answer="False", measures=MEASURES)
    fake(bin_folder, "python3.14t", script)
    assert free.capture(tmp_path, lambda line: None) == 0
    text = (tmp_path / "free.txt").read_text("utf-8")
    assert text.startswith("Python 3.14.9, free-threaded")
    assert "poll   8  gil=0  250.000  250.000  250.000     50%   50%   50%\n" in text
    known = json.loads((tmp_path / "captures.json").read_text("utf-8"))["free"]
    assert text == free.table(known)
    fake(
        bin_folder, "python3.14t", script.replace(MEASURES, "echo 'no: why' >&2; false")
    )
    with pytest.raises(programs.CaptureError, match="failed: no: why"):
        free.capture(tmp_path, lambda line: None)


@pytest.mark.skipif(sys.platform != "linux", reason="LD_PRELOAD is of Linux")
def test_a_yield_that_does_nothing(
    bin_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(yields, "find", only_on_path)
    hops = """echo "{\\"hops\\": {\\"mean_s\\": 0.0${LD_PRELOAD:+0}5}}\""""
    fake(
        bin_folder,
        "python3.14t",
        FREE.replace("{answer}", "False").replace("{measures}", hops),
    )
    monkeypatch.setattr(sys, "executable", str(bin_folder / "python3.14t"))
    with pytest.raises(programs.SkippedError, match=r"cc is not installed .*gcc"):
        yields.capture(tmp_path, lambda line: None)
    fake(bin_folder, "cc", "echo 'no: why' >&2; false")
    with pytest.raises(programs.CaptureError, match="cc failed: no: why"):
        yields.capture(tmp_path, lambda line: None)
    fake(bin_folder, "cc", ":")
    assert yields.capture(tmp_path, lambda line: None) == 0
    text = (tmp_path / "yields.txt").read_text("utf-8")
    row = "1 polling, free-threaded, with the lock    50.00   50.00   50.00"
    assert row + "    5.00    5.00    5.00\n" in text
    known = json.loads((tmp_path / "captures.json").read_text("utf-8"))["yields"]
    assert text == yields.table(known)


# ------------------------------------------------------------------ what is committed


def committed() -> list[Path]:
    return sorted(CAPTURES.iterdir()) if CAPTURES.is_dir() else []


@pytest.mark.parametrize("path", committed(), ids=lambda path: path.name)
def test_a_capture_names_no_place(path: Path) -> None:
    text = path.read_text("utf-8").replace("/usr/bin/time", "time")
    assert text.strip()
    assert not re.search(r"(?<![\w…])/(root|home|tmp|work|usr|var|opt|Users)\b", text)
    assert platform.node() not in text or len(platform.node()) < 4
    assert not re.search(r"0x[0-9a-f]{5,}", text)
    assert max(map(len, text.splitlines())) < 1_000 or path.suffix == ".json"


def test_every_capture_is_there() -> None:
    names = {path.name for path in committed()}
    wanted = {f"{tool}.txt" for tool in toolbox.TOOLS}
    wanted |= {"real.json", "real.txt", "captures.json", "tools.md"}
    wanted |= {"guard_old.txt", "guard_new.txt"}
    wanted |= {"fresh.json", "fresh.txt", "fresh_stacks.txt", "fresh_core.txt"}
    # Captures that need a build without the GIL, where they could be made.
    assert names - {"free.txt", "yields.txt"} == wanted


def test_every_capture_is_shown() -> None:
    """On the page, or printed or drawn in going deeper."""
    page = (EXAMPLE.parents[1] / "06_spinning_loop.md").read_text("utf-8")
    cells = json.loads(LAB.read_text("utf-8"))["cells"]
    code = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")
    shown = set(re.findall(r"examples/spinning_loop/captures/([\w.]+)", page + code))
    shown |= set(re.findall(r'(?:captures|found) / "([\w.]+)"', code))
    assert {path.name for path in committed()} - shown == set()


def test_the_yields_and_their_text_are_of_one_run() -> None:
    found = json.loads((CAPTURES / "captures.json").read_text("utf-8"))["yields"]
    assert yields.table(found) == (CAPTURES / "yields.txt").read_text("utf-8")


def test_the_figures_and_the_text_are_of_one_run() -> None:
    found = json.loads((CAPTURES / "real.json").read_text("utf-8"))
    text = (CAPTURES / "real.txt").read_text("utf-8")
    assert found["table"] == text
    assert realcase.table(found) == text
    assert found["versions"]["old"]["starlette"] == "0.36.3"
    assert not realcase.failed(found)


def test_the_captures_support_what_the_table_of_tools_says() -> None:
    found = json.loads((CAPTURES / "captures.json").read_text("utf-8"))
    assert found["debug_mode"]["debug"] is True
    # A busy machine can take its core away from a callback: then it warns of that one.
    assert found["debug_mode"]["warnings"] * 20 < found["debug_mode"]["hops"]
    assert found["guard_old"]["passed"] is False
    assert found["guard_new"]["passed"] is True
    assert found["gdb"]["any_waiting"] > 0
    # All cores and one core are two cases: the first used more than one.
    shares = {
        name: part["process_cpu_share"]
        for name, part in found["getrusage"].items()
        if name != "machine"
    }
    assert shares.pop("2_pinned") < toolbox.MORE_THAN_ONE
    assert sorted(shares) == ["2", "4"]
    assert min(shares.values()) > toolbox.MORE_THAN_ONE
    # strace of the loops' call alone is the cure: most hops of all four cases.
    hops = {
        name: sum(part["hops"])
        for name, part in found["strace_one"].items()
        if isinstance(part, dict) and "hops" in part
    }
    assert set(hops) == {"nothing", "every", "epoll", "futex"}
    assert hops["epoll"] > 3 * max(hops["nothing"], hops["every"], hops["futex"])
    holders = found["pyspy_record"]["gil"]
    loops = sum(n for name, n in holders.items() if name.startswith("loop"))
    assert holders.get("MainThread", 0) < loops
    assert (
        max(
            found["strace"]["calls"],
            key=lambda c: found["strace"]["calls"][c]["percent"],
        )
        == "futex"
    )


def test_a_part_that_did_not_run_is_a_line_of_the_table() -> None:
    found = json.loads((CAPTURES / "real.json").read_text("utf-8"))
    assert realcase.failed(found) == []
    found["growth"]["pinned"] = {"status": "skipped", "why": "one core"}
    text = realcase.table(found)
    assert "the same on one core               skipped: one core" in text
    assert "pinned" not in text
    assert realcase.skipped(found) == ["growth pinned"]


def test_fresh_processes_and_their_text_are_of_one_run() -> None:
    found = json.loads((CAPTURES / "fresh.json").read_text("utf-8"))
    text = (CAPTURES / "fresh.txt").read_text("utf-8")
    assert found["table"] == text == fresh.table(found)
    assert found["versions"]["old"]["starlette"] == "0.36.3"
    assert realcase.failed(found) == realcase.skipped(found) == []
    # Each figure is of as many processes, and of the first test in each.
    assert {found[name]["tests"] for name in fresh.VARIANTS} == {fresh.Size().rounds}
    # Without -f the loops are not seen; with it they look into their selectors.
    assert found["D2"]["epoll_wait_calls"] < 5 < found["D2_all"]["epoll_wait_calls"]
    assert found["D1_third"]["median"] > found["D1"]["median"]
    stacks = (CAPTURES / "fresh_stacks.txt").read_text("utf-8")
    assert stacks == found["D4"]["example"]
    assert stacks.count(" in run_forever") == 2
    core = (CAPTURES / "fresh_core.txt").read_text("utf-8")
    assert core == found["D5"]["example"]
    assert "Waiting for the GIL" in core
    assert "  take_gil\n" in core


def test_a_fresh_part_that_did_not_run_is_a_line_of_the_table() -> None:
    found = json.loads((CAPTURES / "fresh.json").read_text("utf-8"))
    found["D2"] = {"status": "skipped", "why": "strace is not installed"}
    found["D5"] = {"status": "failed", "why": "gdb showed no threads"}
    text = fresh.table(found)
    assert "D2 strace -c, main thread alone    skipped: strace is not installed" in text
    assert "D5 Waiting for the GIL, 3 clients  failed: gdb showed no threads" in text
    assert realcase.failed(found) == ["D5"]
    assert realcase.skipped(found) == ["D2"]


def test_the_calls_of_several_processes() -> None:
    rows = [
        {
            "futex": {"percent": 90.0, "seconds": 0.3, "calls": 30},
            "epoll_wait": {"percent": 10.0, "seconds": 0.1, "calls": 2},
        },
        {"futex": {"percent": 100.0, "seconds": 0.1, "calls": 10}},
    ]
    found = fresh.added(rows)
    assert found["futex_percent"] == 80.0
    assert found["epoll_wait_calls"] == 1.0
    assert found["calls"]["futex"] == {"percent": 80.0, "calls": 20.0}
    nothing = fresh.added([{"read": {"percent": 0.0, "seconds": 0.0, "calls": 1}}])
    assert (nothing["futex_percent"], nothing["epoll_wait_calls"]) == (0.0, 0.0)


FRAMES = """\
Thread 2 (Thread 0x7fe2 (LWP 21)):
#0  0x00007fe2c5f14ff0 in Py_INCREF (op=0x7f) at ./Include/object.h:644

Thread 1 (Thread 0x7fe3 (LWP 20)):
#0  __futex_abstimed_wait_common64 (private=0) at ./nptl/futex-internal.c:57
#1  0x00007fe2c60aeaa5 in PyCOND_TIMEDWAIT (us=<optimized out>) at Python/a.h:73
#2  take_gil (tstate=tstate@entry=0x56) at Python/ceval_gil.c:376
#3  0x00007fe2c60af0de in PyEval_RestoreThread (tstate=0x56) at Python/b.c:1
"""


def test_the_functions_of_the_main_thread() -> None:
    called = watching.frames_of(FRAMES, 20)
    assert called == [
        "__futex_abstimed_wait_common64",
        "PyCOND_TIMEDWAIT",
        "take_gil",
        "PyEval_RestoreThread",
    ]
    assert watching.frames_of(FRAMES, 21) == ["Py_INCREF"]
    assert watching.frames_of(FRAMES, 22) == []
    text = fresh.shown_core("Thread 1 (LWP 20):\n  Waiting for the GIL\n", called)
    assert "  take_gil\n  PyEval_RestoreThread\n" in text


def test_the_python_stack_of_one_thread() -> None:
    assert "Waiting for the GIL" in fresh.thread_of(GDB, 26238)
    assert "in wait" in fresh.thread_of(GDB, 26150)
    assert fresh.thread_of(GDB, 1) == ""


def test_two_dumps_that_are_alike() -> None:
    assert fresh.alike("select; sleep; wait", "select; select; wait") == 2


# ------------------------------------------------------------------ the lab's cells


def run_cell(name: str, change: tuple[str, str], env: dict[str, str]) -> str:
    """What a cell of the lab prints with one word changed, in a process of its own."""
    cells = json.loads(LAB.read_text("utf-8"))["cells"]
    head, source = (
        "".join(next(c for c in cells if c.get("id") == one)["source"])
        for one in ("setup", name)
    )
    assert source.count(change[0]) == 1
    done = subprocess.run(
        [sys.executable, "-B", "-c", f"{head}\n{source.replace(*change)}"],
        capture_output=True,
        text=True,
        check=False,
        timeout=90,
        cwd=LAB.parent,
        env=env,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.full
@pytest.mark.skipif(not LAB.is_file(), reason="the lab is not here")
def test_the_lab_without_an_index(tmp_path: Path) -> None:
    """The reader asks for the real case: one line says why not, nothing is changed."""
    before = {path: path.read_bytes() for path in committed()}
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: refused
        env = {k: v for k, v in os.environ.items() if k != "PIP_EXTRA_INDEX_URL"}
        env["PIP_INDEX_URL"] = f"http://127.0.0.1:{taken.getsockname()[1]}/simple"
        env |= {"PIP_CONFIG_FILE": os.devnull, "XDG_CACHE_HOME": str(tmp_path)}
        env["HOME"] = str(tmp_path)
        out = run_cell("real-run", ("AGAIN = False", "AGAIN = True"), env)
    first, second = out.splitlines()[:2]
    assert first.startswith("capture.py: real left out: the package index cannot be")
    assert second == "shown instead: what is committed"
    assert (CAPTURES / "fresh.txt").read_text("utf-8") in out
    assert {path: path.read_bytes() for path in committed()} == before


@pytest.mark.skipif(not LAB.is_file(), reason="the lab is not here")
def test_the_lab_without_a_tool(tmp_path: Path) -> None:
    env = {**os.environ, "PATH": str(tmp_path)}
    out = run_cell("tools-outside-run", ('"strace"', '"gdb"'), env)
    assert out.startswith("not run: capture.py: gdb left out: gdb")
    assert len(out.splitlines()) == 1


# ------------------------------------------------------------------ for real


@pytest.mark.skipif(not FULL, reason="ON_TIME_FULL=1 runs it, with pip's network")
def test_the_real_case(tmp_path: Path) -> None:
    """About a minute: both environments, and a quick run of everything."""
    done = capture_py(
        "fresh",
        "real",
        "guard",
        "--quick",
        "--folder",
        tmp_path / "e",
        "--output",
        tmp_path / "o",
        timeout=600,
    )
    assert done.returncode in (0, 3), done.stderr
    assert "Traceback" not in done.stderr
    found = json.loads((tmp_path / "o" / "real.json").read_text("utf-8"))
    if found["idle"]["old"]["status"] == "ran":
        assert found["idle"]["old"]["turns"] > 200
        assert found["idle"]["new"]["turns"] <= 20
    assert "idle event loop turned" in (tmp_path / "o" / "guard_old.txt").read_text()
    assert "passed" in (tmp_path / "o" / "guard_new.txt").read_text("utf-8")
    assert not processes_with(str(tmp_path))
