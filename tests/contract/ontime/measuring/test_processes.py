"""A command under a supervisor: what it gives back, and that nothing of it is left."""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ontime.measuring import processes
from ontime.measuring.supervisor import GROUPS
from tests.contract.left import HAS_PROC, SLOW, none_left, ours

needs_proc = pytest.mark.skipif(
    not HAS_PROC or not GROUPS,
    reason="needs /proc and process groups",
)


@pytest.fixture
def env() -> Iterator[dict[str, str]]:
    """An environment by which the processes of a test are told."""
    yield {**os.environ, "ON_TIME_TEST": str(os.getpid())}
    if HAS_PROC:
        left = none_left()
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        assert left == {}


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_status_and_what_it_printed(env: dict[str, str]) -> None:
    code = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
    status, said = processes.run(python(code), env, SLOW)
    assert status == 3
    assert sorted(said.split()) == ["err", "out"]


def test_it_reads_nothing(env: dict[str, str]) -> None:
    code = "import sys; print(repr(sys.stdin.read()))"
    assert processes.run(python(code), env, SLOW) == (0, "''\n")


def test_the_environment_is_the_given_one(env: dict[str, str]) -> None:
    code = "import os; print(os.environ['A_WORD'])"
    assert processes.run(python(code), {**env, "A_WORD": "here"}, SLOW)[1] == "here\n"


def test_a_program_that_is_not_there(env: dict[str, str]) -> None:
    with pytest.raises(ChildProcessError, match="no-such-program"):
        processes.run(["/no-such-program"], env, SLOW)


@pytest.mark.parametrize("timeout", [1e300, math.inf])
def test_a_limit_that_no_clock_can_hold(env: dict[str, str], timeout: float) -> None:
    assert processes.run(python("pass"), env, timeout) == (0, "")


@needs_proc
def test_a_timeout_ends_the_children_too(env: dict[str, str]) -> None:
    code = (
        "import subprocess, sys, time\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "time.sleep(600)"
    )
    begun = time.monotonic()
    with pytest.raises(TimeoutError, match=r"not done after 1\.5 s"):
        processes.run(python(code), env, 1.5)
    assert time.monotonic() - begun < 300
    assert none_left() == {}


@needs_proc
def test_what_the_command_leaves_behind_ends_with_it(env: dict[str, str]) -> None:
    code = (
        "import subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])"
    )
    assert processes.run(python(code), env, SLOW)[0] == 0
    assert none_left() == {}


@needs_proc
def test_a_process_in_a_session_of_its_own_ends_too(env: dict[str, str]) -> None:
    """No signal to the group reaches it; it descends from the command."""
    code = (
        "import subprocess, sys, time\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'],\n"
        "    start_new_session=True)\n"
        "print('started', flush=True)\n"
        "time.sleep(600)"
    )
    with pytest.raises(TimeoutError):
        processes.run(python(code), env, 5)
    assert none_left() == {}


@needs_proc
def test_a_process_whose_parent_has_died_ends_too(
    env: dict[str, str], tmp_path: Path
) -> None:
    """It descends from nobody here; it is in the group."""
    code = (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    if os.fork() == 0:\n"
        f"        open({str(tmp_path / 'there')!r}, 'w').close()\n"
        "        time.sleep(600)\n"
        "    os._exit(0)\n"
        "os.wait()\n"
        f"while not os.path.exists({str(tmp_path / 'there')!r}): time.sleep(0.01)"
    )
    assert processes.run(python(code), env, SLOW)[0] == 0
    assert none_left() == {}


@needs_proc
def test_the_supervisor_is_killed(env: dict[str, str]) -> None:
    caught: list[BaseException] = []

    def call() -> None:
        try:
            processes.run(python("import time; time.sleep(600)"), env, 600)
        except BaseException as error:
            caught.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    limit = time.monotonic() + SLOW
    supervisors: list[int] = []
    others = 0
    # Until the process it has started is another program, there seem to be two of it.
    while not (len(supervisors) == 1 and others) and time.monotonic() < limit:
        time.sleep(0.01)
        found = ours()
        supervisors = [pid for pid, line in found.items() if "supervisor" in line]
        others = len(found) - len(supervisors)
    (supervisor,) = supervisors
    os.kill(supervisor, signal.SIGKILL)
    thread.join(SLOW)
    assert isinstance(caught[0], ChildProcessError)
    assert none_left() == {}


@needs_proc
def test_an_interrupt(env: dict[str, str]) -> None:
    import _thread

    timer = threading.Timer(0.5, _thread.interrupt_main)
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        processes.run(python("import time; time.sleep(600)"), env, SLOW)
        pytest.fail("it was not interrupted")
    timer.join()
    assert none_left() == {}
