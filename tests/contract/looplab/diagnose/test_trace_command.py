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
LOOPLAB = [sys.executable, "-m", "looplab"]
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
        print(sys.argv[1:], [path for path in sys.path if "shim" in path], seen)
        sys.exit(7)
"""


@pytest.fixture
def program(tmp_path):
    def write(text, name="program.py"):
        path = tmp_path / name
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    return write


def looplab(tmp_path, *words, **env):
    return subprocess.run(
        [*LOOPLAB, *map(str, words)],
        cwd=tmp_path,
        env=ENVIRON | env,
        capture_output=True,
        text=True,
        timeout=SLOW,
        check=False,
    )


def wait_for(condition):
    """Wait for a state, however long it takes a slow machine."""
    while not condition():
        time.sleep(0.05)


def child_of(process):
    path = f"/proc/{process.pid}/task/{process.pid}/children"
    with open(path, encoding="ascii") as file:  # noqa: PTH123
        return int(file.read().split()[0])


def test_a_module_that_sees_nothing_of_it(tmp_path, program):
    (tmp_path / "site").mkdir()
    program("import builtins; builtins.seen = 'yes'", "site/sitecustomize.py")
    program(HOG)
    path = os.pathsep.join([str(tmp_path / "site"), str(ROOT / "src")])
    words = ("-m", "program", "-o", "theirs", "--for", "x")
    done = looplab(tmp_path, "trace", "-o", "t.jsonl", *words, PYTHONPATH=path)
    assert done.returncode == 7
    assert done.stdout == "['-o', 'theirs', '--for', 'x'] [] yes\n"
    assert done.stderr == "looplab: recorded; next: looplab who t.jsonl\n"
    [recording] = load(tmp_path / "t.jsonl")
    assert recording.complete
    [row] = [row for row in recording.blame() if row.name == "hog"]
    line = HOG.split("\n").index("        time.sleep(3)") + 1
    assert (row.place, row.function) == (f"{tmp_path / 'program.py'}:{line}", "hog")
    who = looplab(tmp_path, "who", "t.jsonl")
    assert who.returncode == 0
    assert "callback hog at" in who.stdout


def test_child_processes_and_threads(tmp_path, program):
    text = """
        import asyncio, multiprocessing, subprocess, sys, threading

        def work():
            asyncio.run(asyncio.sleep(0.01))

        if __name__ == "__main__":
            code = "import asyncio; asyncio.run(asyncio.sleep(0.01))"
            subprocess.run([sys.executable, "-c", code], check=True)
            loop = asyncio.new_event_loop()
            for _ in range(3):
                loop.run_until_complete(asyncio.sleep(0.01))
            loop.close()
            for how in "spawn", "fork":
                child = multiprocessing.get_context(how).Process(target=work)
                child.start()
                child.join()
            threading.Thread(target=work, name="side").start()
    """
    done = looplab(tmp_path, "trace", "-o", "t.jsonl", program(text))
    assert done.returncode == 0, done.stderr
    assert "recorded 4 processes" in done.stderr
    files = sorted(tmp_path.glob("t*.jsonl"))
    loaded = {path: load(path) for path in files}
    assert len({loops[0].about["pid"] for loops in loaded.values()}) == 4
    [several] = [loops for loops in loaded.values() if len(loops) > 1]
    names = {each.about["thread"]: each.loop for each in several}
    assert names == {"MainThread": 1, "side": 2}
    timers = [sum(ran.cause == "timer" for ran in each) for each in several]
    assert sorted(timers) == [1, 3]


SERVE = """
    import asyncio

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
    words = [*LOOPLAB, "trace", "-o", "t.jsonl", program(SERVE)]
    how = {"cwd": tmp_path, "env": ENVIRON, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(words, **how)
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


def test_a_loop_that_is_closed_is_let_go_of(tmp_path, program):
    text = """
        import asyncio, gc, time

        def loops():
            return sum(isinstance(it, asyncio.BaseEventLoop) for it in gc.get_objects())

        for _ in range(9):
            asyncio.run(asyncio.sleep(0))
        end = time.monotonic() + 60
        while loops() > 1 and time.monotonic() < end:  # a look may still hold the last
            time.sleep(0.05)
            gc.collect()
        raise SystemExit(loops() > 1)
    """
    done = looplab(tmp_path, "trace", "-o", "t.jsonl", program(text))
    assert (done.returncode, "recorded; next" in done.stderr) == (0, True)


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


def test_lag(tmp_path, program):
    done = looplab(tmp_path, "lag", "--every", "1h", program(HOG.replace("seen", "1")))
    assert done.returncode == 7
    [line] = done.stderr.splitlines()
    assert "late p50" in line
    assert "longest" in line


UVLOOP = """
    import asyncio, time
    import uvloop

    async def hog():
        await asyncio.sleep(0.02)
        time.sleep(0.05)

    async def main():
        print(type(asyncio.get_running_loop()).__module__)
        await asyncio.gather(hog(), asyncio.sleep(0.05))

    uvloop.run(main())
"""


def test_uvloop(tmp_path, program):
    pytest.importorskip("uvloop")
    done = looplab(tmp_path, "trace", "-o", "t.jsonl", program(UVLOOP))
    assert (done.returncode, done.stdout) == (0, "asyncio.unix_events\n")
    assert "uvloop is replaced" in done.stderr
    names = [ran.code.name for ran in load(tmp_path / "t.jsonl")[0]]
    assert names.count("hog") == 2  # up to its sleep, and the rest


@pytest.mark.skipif(
    not hasattr(sys, "remote_exec"), reason="sys.remote_exec came with Python 3.14"
)
def test_attaching(tmp_path, program):
    text = """
        import asyncio, pathlib, time

        async def hog():
            time.sleep(0.05)

        async def main():
            pathlib.Path("ready").touch()
            while not pathlib.Path("stop").exists():
                await asyncio.gather(hog(), asyncio.sleep(0.01))

        asyncio.run(main())
    """
    running = [sys.executable, program(text)]
    process = subprocess.Popen(running, cwd=tmp_path, env=ENVIRON)
    try:
        wait_for(lambda: (tmp_path / "ready").exists() or process.poll() is not None)
        done = looplab(tmp_path, "attach", process.pid, "--for", "1s", "-o", "t.jsonl")
        assert done.returncode == 0, done.stderr
        (tmp_path / "stop").touch()
        assert process.wait(timeout=SLOW) == 0
    finally:
        process.kill()
        process.wait()
    recording = load(tmp_path / "t.jsonl")[0]
    assert recording.complete
    assert "hog" in {ran.code.name for ran in recording}


def test_reading_needs_nothing_that_a_browser_lacks():
    code = """
import sys
from looplab.diagnose import endpoints, load, predict, record, replay, report
needs = ['session', 'commands', 'arrival', 'sampler', 'hook', 'writer']
sys.exit([name for name in needs if 'looplab.diagnose.' + name in sys.modules] or 0)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
