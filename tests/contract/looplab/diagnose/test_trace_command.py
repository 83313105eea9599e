"""`looplab trace`: any program, unchanged, with its own exit status."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from looplab.diagnose import NotATraceError, load
from tests.contract.left import SLOW
from tools.common import ROOT

ENVIRON = {k: v for k, v in os.environ.items() if k != "LOOPLAB_TRACE"} | {
    "PYTHONPATH": str(ROOT / "src")
}
HOG = """
    import asyncio, sys, time

    async def victim():
        for _ in range(10):
            await asyncio.sleep(0.01)

    async def hog():
        await asyncio.sleep(0.02)
        time.sleep(3)

    async def main():
        await asyncio.gather(victim(), hog())

    if __name__ == "__main__":
        asyncio.run(main())
        sys.exit(7)
"""


@pytest.fixture
def program(tmp_path):
    def write(text, name="program.py"):
        path = tmp_path / name
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    return write


def looplab(tmp_path, *words, env=None, **options):
    return subprocess.run(
        [sys.executable, "-m", "looplab", *map(str, words)],
        cwd=tmp_path,
        env=ENVIRON | (env or {}),
        capture_output=True,
        text=True,
        timeout=SLOW,
        check=False,
        **options,
    )


def start(tmp_path, *words):
    return subprocess.Popen(
        [sys.executable, "-m", "looplab", "trace", "-o", "t.jsonl", *map(str, words)],
        cwd=tmp_path,
        env=ENVIRON,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(condition):
    """Wait for a state, however long it takes a slow machine."""
    while not condition():
        time.sleep(0.05)


def child_of(process):
    path = f"/proc/{process.pid}/task/{process.pid}/children"
    with open(path, encoding="ascii") as file:  # noqa: PTH123
        return int(file.read().split()[0])


def test_a_script(tmp_path, program):
    done = looplab(tmp_path, "trace", "-o", "t.jsonl", program(HOG))
    assert (done.returncode, done.stdout) == (7, "")
    assert done.stderr == "looplab: recorded; next: looplab who t.jsonl\n"
    [recording] = load(tmp_path / "t.jsonl")
    assert recording.complete
    [row] = [row for row in recording.blame() if row.name == "hog"]
    line = HOG.split("\n").index("        time.sleep(3)") + 1
    assert (row.place, row.function) == (f"{tmp_path / 'program.py'}:{line}", "hog")
    said = looplab(tmp_path, "who", "t.jsonl")
    assert said.returncode == 0
    assert "callback hog at" in said.stdout


def test_a_module_with_arguments_sees_nothing_of_it(tmp_path, program):
    program(
        """
        import asyncio, sys
        asyncio.run(asyncio.sleep(0.01))
        print(sys.argv[1:], [path for path in sys.path if "shim" in path])
        """,
        "one.py",
    )
    words = ("trace", "-o", "t.jsonl", "-m", "one", "-o", "theirs", "--for", "x")
    done = looplab(tmp_path, *words)
    assert done.stdout == "['-o', 'theirs', '--for', 'x'] []\n"
    assert done.returncode == 0
    assert len(load(tmp_path / "t.jsonl")) == 1


def test_a_sitecustomize_of_the_environment_runs_too(tmp_path, program):
    (tmp_path / "site").mkdir()
    program("import builtins; builtins.seen = 'yes'", "site/sitecustomize.py")
    path = program("import asyncio; asyncio.run(asyncio.sleep(0)); print(seen)")
    env = {"PYTHONPATH": os.pathsep.join([str(tmp_path / "site"), str(ROOT / "src")])}
    done = looplab(tmp_path, "trace", "-o", "t.jsonl", path, env=env)
    assert done.stdout == "yes\n"
    assert load(tmp_path / "t.jsonl")


@pytest.mark.parametrize("how", ["spawn", "fork", "command"])
def test_child_processes_have_files_of_their_own(tmp_path, program, how):
    text = f"""
        import asyncio, multiprocessing, os, subprocess, sys

        def work():
            asyncio.run(asyncio.sleep(0.01))

        if __name__ == "__main__":
            if {how!r} == "command":
                code = "import asyncio; asyncio.run(asyncio.sleep(0.01))"
                subprocess.run([sys.executable, "-c", code], check=True)
            else:
                context = multiprocessing.get_context({how!r})
                one = context.Process(target=work)
                one.start()
                one.join()
            work()
    """
    done = looplab(tmp_path, "trace", "-o", "t.jsonl", program(text))
    assert done.returncode == 0, done.stderr
    assert "recorded 2 processes" in done.stderr
    files = sorted(tmp_path.glob("t*.jsonl"))
    assert len(files) == 2
    pids = {load(one)[0].about["pid"] for one in files}
    assert len(pids) == 2


def test_a_loop_that_runs_several_times_and_one_in_a_thread(tmp_path, program):
    text = """
        import asyncio, threading
        loop = asyncio.new_event_loop()
        for _ in range(3):
            loop.run_until_complete(asyncio.sleep(0.01))
        loop.close()
        work = lambda: asyncio.run(asyncio.sleep(0.01))
        thread = threading.Thread(target=work, name="side")
        thread.start()
        thread.join()
    """
    path = program(text)
    for _ in range(2):  # the second recording replaces the first
        looplab(tmp_path, "trace", "-o", "t.jsonl", path)
    found = load(tmp_path / "t.jsonl")
    assert {one.about["thread"]: one.loop for one in found} == {
        "MainThread": 1,
        "side": 2,
    }
    timers = [sum(one.cause == "timer" for one in each) for each in found]
    assert sorted(timers) == [1, 3]
    assert len(list(tmp_path.glob("t*.jsonl"))) == 1


SERVE = """
    import asyncio, pathlib

    async def main():
        while True:
            await asyncio.sleep(0.001)

    asyncio.run(main())
"""


def has_many(path):
    """Whether more than ten callbacks are in a recording by now."""
    try:
        return sum(map(len, load(path))) > 10
    except (OSError, NotATraceError):  # it has not begun
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc for the child")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_what_ends_the_program_leaves_its_recording(tmp_path, program, number):
    process = start(tmp_path, program(SERVE))
    wait_for(lambda: has_many(tmp_path / "t.jsonl"))
    killed = number == signal.SIGKILL  # else it is passed on, and ends the recording
    os.kill(child_of(process) if killed else process.pid, number)
    _, err = process.communicate(timeout=SLOW)
    assert process.returncode == -number
    assert "next: looplab who t.jsonl" in err
    assert ("not to the end" in err) == killed
    [recording] = load(tmp_path / "t.jsonl")
    assert recording.complete != killed
    assert len(recording) > 10


def test_recording_stops_and_the_program_goes_on(tmp_path, program):
    text = """
        import asyncio, pathlib

        async def main():
            path = pathlib.Path("t.jsonl")
            while not (path.exists() and '"end"' in path.read_text()):
                await asyncio.sleep(0.01)
            for _ in range(500):
                await asyncio.sleep(0)
            print("on")

        asyncio.run(main())
    """
    words = ("trace", "-o", "t.jsonl", "--for", "5s", program(text))
    done = looplab(tmp_path, *words)
    assert (done.returncode, done.stdout) == (0, "on\n")
    [recording] = load(tmp_path / "t.jsonl")
    assert recording.complete


def test_no_loop(tmp_path, program):
    done = looplab(tmp_path, "trace", "-o", "t.jsonl", program("raise SystemExit(3)"))
    assert done.returncode == 3
    assert done.stderr.startswith("looplab: nothing recorded")
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "t.jsonl").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="a limit of the system")
@pytest.mark.parametrize(
    "fault",
    [
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))",  # a full disk
        'shutil.rmtree("sub")',
    ],
)
def test_a_place_that_cannot_be_written_any_more(tmp_path, program, fault):
    (tmp_path / "sub").mkdir()
    text = f"""
        import asyncio, resource, shutil
        {fault}

        async def main():
            for _ in range(2000):
                await asyncio.sleep(0)

        asyncio.run(main())
        print("ended")
        raise SystemExit(5)
    """
    done = looplab(tmp_path, "trace", "-o", "sub/t.jsonl", program(text))
    assert (done.returncode, done.stdout) == (5, "ended\n")
    first, *_ = done.stderr.splitlines()
    assert first.startswith("looplab: cannot write ")
    assert first.endswith("the program goes on without a record")
    assert "Traceback" not in done.stderr
