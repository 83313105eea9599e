"""The recipes of *In your own tests* run as a reader copies them."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.contract.looplab.fresh import python

PAGE = Path(__file__).parents[3] / "book/in_your_own_tests.md"
RECIPES = dict(re.findall(r"```python\n# (\S+)\n(.*?)```", PAGE.read_text(), re.S))
BESIDE = {
    "alone": ["-p", "no:asyncio", "-p", "no:anyio"],
    "pytest-asyncio": ["-o", "asyncio_mode=auto", "-p", "no:anyio"],
    "anyio": ["-o", "anyio_mode=auto", "-p", "no:asyncio"],
}


def test_in_a_project_of_their_own(tmp_path: Path) -> None:
    assert len(RECIPES) >= 8
    for name, text in RECIPES.items():
        (tmp_path / name).write_text(text)
    for beside, options in BESIDE.items():
        done = run_pytest(tmp_path, *options)
        assert done.returncode == 0, f"{beside}: {done.stdout}{done.stderr}"
        assert re.search(r"\b14 passed", done.stdout), done.stdout


def test_unittest_alone(tmp_path: Path) -> None:
    for name in RECIPES:
        if name.endswith("with_unittest.py"):
            (tmp_path / name).write_text(RECIPES[name])
    done = python("-m", "unittest", "-v", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Ran 6 tests" in done.stderr


FIXTURES = """
import asyncio, time, unittest
import anyio, pytest

@pytest.fixture
async def before():
    await asyncio.sleep(3)
    yield asyncio.get_running_loop()
    await asyncio.sleep(3)

@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_anyio(virtual_time, anyio_backend, before):
    assert before is asyncio.get_running_loop()
    with anyio.move_on_after(7):
        await anyio.sleep_forever()
    assert virtual_time.elapsed == 10

@pytest.mark.virtual_time(start=5, patch_time=True)
def test_start_and_time(virtual_time):
    async def main():
        await asyncio.sleep(7)
        return time.monotonic(), time.time_ns()
    assert asyncio.run(main()) == (12, 12_000_000_000)
    assert (virtual_time.now, virtual_time.elapsed) == (12, 7)

@pytest.mark.virtual_time
class Case(unittest.IsolatedAsyncioTestCase):
    async def test_unittest(self):
        await asyncio.sleep(10)
        assert asyncio.get_running_loop().time() == 10

def test_what_comes_after_has_its_own_loop():
    loop = asyncio.new_event_loop()
    loop.close()
    assert "Virtual" not in type(loop).__name__
"""


def test_fixtures_classes_and_what_comes_after(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(FIXTURES)
    done = run_pytest(tmp_path)
    assert done.returncode == 0, done.stdout
    assert "4 passed" in done.stdout


@pytest.mark.parametrize(
    ("marker", "value", "fix"),
    [
        ("virtual_time(begin=1)", "'begin'", "start"),
        ("virtual_time(5)", "5", "by name"),
        ("virtual_time(jitter=-1)", "-1", "0 or more"),
    ],
)
def test_a_wrong_option_is_an_error_of_the_test(
    tmp_path: Path, marker: str, value: str, fix: str
) -> None:
    text = f"import pytest\n@pytest.mark.{marker}\nasync def test(): pass\n"
    (tmp_path / "test_it.py").write_text(text)
    done = run_pytest(tmp_path)
    assert done.returncode == 1
    assert value in done.stdout
    assert fix in done.stdout


def run_pytest(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    alone = ["-W", "ignore", "--rootdir", ".", "-c", "/dev/null"]
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *alone, *options]
    return python(*words, cwd=folder, env=os.environ)
