"""`pytest --late-max`, `looplab lag`, metrics, uvloop and attaching."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from importlib.metadata import entry_points

import pytest

from looplab.diagnose import load
from tests.contract.left import SLOW
from tools.common import ROOT

ENVIRON = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")} | {
    "PYTHONPATH": str(ROOT / "src")
}


def run(tmp_path, *words, **env):
    return subprocess.run(
        [sys.executable, *map(str, words)],
        cwd=tmp_path,
        env=ENVIRON | env,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def write(tmp_path, text, name="program.py"):
    path = tmp_path / name
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return path


TESTS = """
    import asyncio, time
    import pytest

    async def hog():
        await asyncio.sleep(0)
        time.sleep(0.05)

    def test_good():
        asyncio.run(asyncio.sleep(0.01))

    def test_no_loop():
        time.sleep(0.05)

    def test_bad():
        asyncio.run(hog())

    @pytest.mark.late_max(None)
    def test_exempt():
        asyncio.run(hog())
"""


# Where looplab is installed pytest finds the plugin by itself.
FOUND = {one.value for one in entry_points(group="pytest11")}
PLUGIN = [] if "looplab.diagnose.plugin" in FOUND else ["-p", "looplab.diagnose.plugin"]


def test_a_test_that_holds_its_loop_fails(tmp_path):
    path = write(tmp_path, TESTS, "test_it.py")
    words = ["-m", "pytest", "-q", *PLUGIN, path]
    assert run(tmp_path, *words).returncode == 0
    assert run(tmp_path, *words, "--late-max=1h").returncode == 0
    # No callback is as short as this, on any machine.
    done = run(tmp_path, *words, "--late-max=1us")
    assert done.returncode == 1
    assert "2 failed, 2 passed" in done.stdout
    assert "held longer than 0.001 ms" in done.stdout
    line = TESTS.split("\n").index("    async def hog():") + 1
    assert f"hog  {path}:" in done.stdout
    assert f"{path}:{line + 2}" in done.stdout


def test_a_limit_that_is_no_time(tmp_path):
    words = ["-m", "pytest", "-q", *PLUGIN, "--late-max=soon"]
    done = run(tmp_path, *words)
    assert done.returncode == 4
    assert "'soon' is not a time above 0" in done.stderr


def test_lag(tmp_path):
    path = write(
        tmp_path,
        """
        import asyncio, time

        async def main():
            other = asyncio.create_task(asyncio.sleep(0.05))
            await asyncio.sleep(0)
            time.sleep(0.05)
            await other

        asyncio.run(main())
        raise SystemExit(4)
        """,
    )
    done = run(tmp_path, "-m", "looplab", "lag", "--every", "1h", path)
    assert (done.returncode, done.stdout) == (4, "")
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


def test_uvloop(tmp_path):
    pytest.importorskip("uvloop")
    path = write(tmp_path, UVLOOP)
    done = run(tmp_path, "-m", "looplab", "trace", "-o", "t.jsonl", path)
    assert (done.returncode, done.stdout) == (0, "asyncio.unix_events\n")
    assert "uvloop is replaced" in done.stderr
    names = [one.code.name for one in load(tmp_path / "t.jsonl")[0]]
    assert names.count("hog") == 2  # up to its sleep, and the rest


def test_attaching_needs_a_newer_python(tmp_path):
    if hasattr(sys, "remote_exec"):
        pytest.skip("this Python can attach")
    done = run(tmp_path, "-m", "looplab", "attach", "1")
    assert done.returncode == 2
    assert "attaching needs Python 3.14 or newer" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.skipif(
    not hasattr(sys, "remote_exec"), reason="sys.remote_exec came with Python 3.14"
)
def test_attaching(tmp_path):
    path = write(
        tmp_path,
        """
        import asyncio, pathlib, time

        async def hog():
            time.sleep(0.05)

        async def main():
            pathlib.Path("ready").touch()
            while not pathlib.Path("stop").exists():
                await asyncio.gather(hog(), asyncio.sleep(0.01))

        asyncio.run(main())
        """,
    )
    program = subprocess.Popen([sys.executable, path], cwd=tmp_path, env=ENVIRON)
    try:
        while not (tmp_path / "ready").exists():
            assert program.poll() is None
        words = ["-m", "looplab", "attach", program.pid, "--for", "1s", "-o", "t.jsonl"]
        done = run(tmp_path, *words)
        assert done.returncode == 0, done.stderr
        (tmp_path / "stop").touch()
        assert program.wait(timeout=SLOW) == 0
    finally:
        program.kill()
        program.wait()
    recording = load(tmp_path / "t.jsonl")[0]
    assert recording.complete
    assert "hog" in {one.code.name for one in recording}
