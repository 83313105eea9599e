"""A command and its group: what it gives back, and that nothing of it is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ontime.measuring import fresh, processes
from ontime.measuring.machine import free_cores
from tests.contract.left import (
    HAS_PROC,
    PATIENCE,
    SLOW,
    needs_groups,
    needs_proc,
    none_left,
    ours,
)
from tests.contract.looplab.fresh import python as fresh_python
from tests.contract.looplab.idle.opened import wait_until

ROOT = Path(__file__).parents[4]
SLEEPS = "import time; time.sleep(600)"


@pytest.fixture(autouse=True)
def nothing_is_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The processes of a test are told by a variable of their environment."""
    monkeypatch.setenv("ON_TIME_TEST", str(os.getpid()))
    monkeypatch.setenv("PYTHONPATH", f"{ROOT / 'src'}{os.pathsep}{ROOT}")
    yield
    if HAS_PROC:
        left = none_left()
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        assert left == {}


def python(code: str) -> subprocess.CompletedProcess[str]:
    return processes.run([sys.executable, "-c", code], timeout=SLOW)


# -- a command -------------------------------------------------------------------------


def test_what_it_printed_and_how_it_ends(tmp_path: Path) -> None:
    code = (
        "import os, sys; print(os.getcwd(), os.environ.get('A_WORD'), repr(sys.stdin."
        "read())); print('err', file=sys.stderr); sys.exit(3)"
    )
    command = [sys.executable, "-c", code]
    done = processes.run(command, {"A_WORD": "out"}, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (
        3,
        f"{tmp_path} out ''\n",
        "err\n",
    )
    with pytest.raises(ChildProcessError, match="no-such-program"):
        processes.run(["/no-such-program"])
    with pytest.raises(TimeoutError, match=r"not done after 0\.5 s"):
        processes.run([sys.executable, "-c", SLEEPS], timeout=0.5)


@needs_proc
@needs_groups
@pytest.mark.parametrize("died", [False, True], ids=["child", "parent has died"])
def test_what_the_command_leaves_behind_ends_with_it(died: bool) -> None:
    modules = "import subprocess, sys; "
    code = f"{modules}subprocess.Popen([sys.executable, '-c', {SLEEPS!r}])"
    if died:
        code = f"{modules}subprocess.run([sys.executable, '-c', {code!r}])"
    assert python(code).returncode == 0


@needs_proc
@needs_groups
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_nothing_outlives_a_caller_that_is_ended(
    number: signal.Signals, tmp_path: Path
) -> None:
    path = tmp_path / "program.py"
    target = f"{__name__}:starts_a_child_and_waits"
    path.write_text(
        "from ontime.measuring import fresh\n"
        f"fresh.call({target!r}, None, name='work', timeout=600)\n"
    )
    caller = subprocess.Popen(
        [sys.executable, str(path)],
        stderr=subprocess.DEVNULL,
        # pytest may itself run where interrupts are ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    # The caller, the supervisor, the fresh interpreter, and its child.
    wait_until(lambda: len(ours()) == 4)
    caller.send_signal(number)
    assert caller.wait(PATIENCE) != 0


# -- a fresh interpreter ---------------------------------------------------------------


class OddError(Exception):
    """An exception that pickle cannot make again."""

    def __init__(self, a: int, b: int) -> None:
        super().__init__(f"{a} and {b}")


def starts_a_child_and_waits(request: object) -> None:
    subprocess.run([sys.executable, "-c", SLEEPS], check=True)


def does(code: str) -> Any:
    """What a test wants done in the fresh interpreter."""
    space: dict[str, Any] = {"OddError": OddError}
    exec(code, space)
    return space.get("result")


def call(code: str) -> tuple[Any, str]:
    target = f"{__name__}:does"
    return fresh.call(target, code, name="work", timeout=SLOW)


def test_a_call_in_a_fresh_interpreter() -> None:
    path, printed = call("import sys; print('printed', flush=True); result = sys.path")
    assert path == list(map(str, sys.path))
    assert printed == "printed\n"
    assert free_cores(0.1) > 0


@pytest.mark.parametrize(
    ("code", "words", "cause"),
    [
        ("raise ValueError('no good\\nat all')", "ValueError: no good", ValueError),
        ("raise OddError(1, 2)", "OddError: 1 and 2", None),
        ("result = lambda: 0", "(PicklingError|AttributeError): Can't", None),
    ],
)
def test_what_the_work_raises(code: str, words: str, cause: type | None) -> None:
    with pytest.raises(fresh.WorkFailedError, match=f"^work raised {words}") as caught:
        call(code)
    if cause is not None:
        assert isinstance(caught.value.__cause__, cause)
        assert "exec(code, space)" in caught.value.traceback
    assert "In the fresh interpreter" in "".join(caught.value.__notes__)


@pytest.mark.parametrize(
    ("code", "how"),
    [
        ("import os; os.kill(os.getpid(), 9)", "signal 9"),
        ("import os; os.write(2, b'so\\nit is'); os._exit(0)", "status 0; it said: it"),
    ],
)
def test_an_interpreter_that_dies(code: str, how: str) -> None:
    with pytest.raises(fresh.MeasurementError, match=f"^work: .* ended with {how}"):
        call(code)


# -- how a function reaches it ---------------------------------------------------------

MINE = """
import threading
from ontime.cost import cpu_cost
from ontime.cpu_models import compare_models

lock = threading.Lock()
scale = 3

class Own: pass

def helper(number):
    return number * scale

async def mine(own=Own()):
    assert helper(2) == 6

async def guarded():
    with lock: pass

def measure():
    BRIEF = {"values": 1, "processes": 1, "calls": 9, "timeout": 600}
    print(cpu_cost(mine, **BRIEF)["mine"].calls)
    try:
        cpu_cost(guarded)
    except TypeError as error:
        print(error)
"""


GUARDED = MINE + "if __name__ == '__main__': measure()\n"


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["-"], MINE + "measure()\n"),  # at a prompt
        (["program.py"], MINE + "measure()\n"),
        (["-m", "program"], GUARDED),
    ],
)
def test_a_function_of_a_program_goes_as_a_copy(
    words: list[str], text: str, tmp_path: Path
) -> None:
    (tmp_path / "program.py").write_text(text)
    typed = text if words == ["-"] else None
    done = fresh_python(*words, input=typed, cwd=tmp_path)
    calls, refused = done.stdout.splitlines()
    assert calls == "9", done.stderr
    assert "coro_fn guarded cannot be sent to another process" in refused
