"""Answers that attack the grader, the machine or the check."""

from __future__ import annotations

import os
import signal
import socket
import threading
from pathlib import Path

import pytest

from ontime.grade import Answer, Exercise, Grade, Grader, Limits
from tests.fast.ontime.grade.handed_in import APART, GOOD_APART, GOOD_TOGETHER, TOGETHER

Exercises = dict[str, Exercise]

WRONG_TOGETHER = """
async def handle(user, price, stock):
    return await user(), await price(), await stock()
"""


@pytest.fixture
def apart(grader: Grader, exercises: Exercises):
    def run(source: str) -> Grade:
        return grader.grade(exercises[APART], Answer(source))

    return run


@pytest.fixture
def together(grader: Grader, exercises: Exercises):
    def run(source: str) -> Grade:
        return grader.grade(exercises[TOGETHER], Answer(source))

    return run


def test_honest_answers(apart, together, exercises: Exercises) -> None:
    assert apart(GOOD_APART).passed
    assert together(GOOD_TOGETHER).passed
    bad = together(WRONG_TOGETHER)
    assert bad.status == "not yet"
    assert bad.reason
    assert apart("def wall(parts, wait, cpu, at_once): return 0").status == "not yet"


# What keeps it busy


@pytest.mark.slow
@pytest.mark.parametrize(
    "source",
    [
        "while True: pass",
        "import time; time.sleep(10**6)",
        "def wall(*_):\n    while True: pass",
        "print(10 ** 10 ** 10)",
        "import signal\n"
        "for n in range(1, 60):\n"
        "    try: signal.signal(n, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\n"
        "while True: pass",
    ],
    ids=["loop", "sleep", "in-the-call", "big-power", "ignores-signals"],
)
def test_no_end(grader: Grader, exercises: Exercises, apart, source: str) -> None:
    grader.prepare([exercises[APART]])
    grader.limits = Limits(seconds=3)
    assert apart(source).status == "time"


def test_no_end_beside_the_check(
    grader: Grader, exercises: Exercises, together
) -> None:
    grader.prepare([exercises[TOGETHER]])
    grader.limits = Limits(seconds=4)
    assert together("async def handle(*_):\n    while True: pass").status == "time"


@pytest.mark.parametrize(
    "source",
    [
        "x = bytearray(10 * 2 ** 30)",
        "x = []\nwhile True: x.append(bytearray(2 ** 20))",
        "def wall(*_):\n    raise MemoryError",
    ],
)
def test_ten_gigabytes(apart, source: str) -> None:
    assert apart(source).status in ("memory", "not yet")
    if "wall" not in source:
        assert apart(source).status == "memory"


def test_ten_gigabytes_beside_the_check(together) -> None:
    source = "async def handle(*_):\n    return bytearray(10 * 2 ** 30)"
    assert together(source).status == "memory"


def test_a_flood_of_output(apart) -> None:
    flood = "import sys, os\nfor _ in range(300): print('x' * 2 ** 20)\n"
    flood += "os.write(2, b'x' * 2 ** 20)\n"
    assert apart(flood + GOOD_APART).passed


@pytest.mark.parametrize(
    "source",
    [
        "import os\nwhile True: os.fork()",
        "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', ''])",
        "import multiprocessing as m\nm.Process(target=print).start()",
        "import os\nos.system('true') and 1 / 0",
        "import os\nos.execv('/bin/true', ['true'])",
        f"import os\nos.kill(os.getppid(), {int(signal.SIGTERM)})",
        "import resource as r\nr.setrlimit(r.RLIMIT_CPU, (1, 1))",
    ],
)
def test_other_processes(apart, source: str) -> None:
    grade = apart(source)
    assert grade.status == "error", grade


def test_many_threads(apart) -> None:
    source = "import threading, time\n"
    source += "while True: threading.Thread(target=time.sleep, args=[99]).start()"
    assert apart(source).status in ("error", "memory", "time")


def test_threads_that_are_left(apart) -> None:
    source = "import threading\ndef spin():\n    while True: pass\n"
    source += "threading.Thread(target=spin).start()\n"
    assert apart(source + GOOD_APART).passed


# What ends it


@pytest.mark.parametrize(
    ("source", "status"),
    [
        ("import os; os._exit(0)", "died"),
        ("import os\ndef wall(*_): os._exit(0)", "died"),
        ("import ctypes; ctypes.string_at(0)", "error"),
        ("import os; os.closerange(0, 60)", "died"),
        ("raise SystemExit", "error"),
        ("raise KeyboardInterrupt", "error"),
        ("def f(): f()\nf()", "error"),
        ("class E(Exception):\n    def __str__(self): 1 / 0\nraise E", "error"),
        ("del wall", "error"),
        ("input()", "error"),
        ("wall = '\0'\0", "error"),
        ("wall = '\ud800'\n1 / 0", "error"),
        ("return 1", "error"),
    ],
)
def test_its_end(apart, source: str, status: str) -> None:
    grade = apart(source)
    assert grade.status == status, grade


def test_a_stack_without_end(grader: Grader, exercises: Exercises, apart) -> None:
    grader.prepare([exercises[APART]])
    grader.limits = Limits(seconds=3)
    source = "import sys\nsys.setrecursionlimit(10**9)\ndef f(): f()\nf()"
    # Which it is differs from one Python to the next.
    assert apart(source).status in ("died", "error", "memory", "time")


@pytest.mark.parametrize("source", ["(" * 50_000, "-" * 90_000 + "1", "x" * 90_000])
def test_sources_that_upset_a_parser(apart, together, source: str) -> None:
    assert apart(source).status in ("error", "died", "memory")
    assert together(source).status in ("error", "died", "memory")


# What reaches outside


def test_files(apart, tmp_path: Path) -> None:
    file = tmp_path / "grades"
    file.write_text("mine")
    for source in (
        f"open({str(file)!r}, 'w')",
        f"open({str(tmp_path / 'new')!r}, 'x')",
        f"import os; os.remove({str(file)!r})",
        f"import os; os.rename({str(file)!r}, '/tmp/stolen')",
        f"import os; os.truncate({str(file)!r}, 0)",
        f"import os; os.chmod({str(file)!r}, 0)",
        f"import shutil; shutil.rmtree({str(tmp_path)!r})",
        f"raise ValueError(open({str(file)!r}).read())",
    ):
        grade = apart(source)
        assert grade.status == "error", source
        assert "mine" not in grade.reason, "what it could read is told to nobody"
        assert file.read_text() == "mine"
        assert list(tmp_path.iterdir()) == [file]


def test_network(apart) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        came = []
        ended = threading.Event()

        def serve() -> None:
            server.settimeout(0.1)
            while not ended.is_set():
                try:
                    came.append(server.accept())
                except TimeoutError:
                    continue

        thread = threading.Thread(target=serve)
        thread.start()
        port = server.getsockname()[1]
        source = f"import socket\nsocket.create_connection(('127.0.0.1', {port}), 5)"
        try:
            grade = apart(source)
        finally:
            ended.set()
            thread.join()
    assert grade.status == "error"
    assert not came


# What lies to the check

LIAR = """
class Liar(float):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __sub__(self, other): return Liar(0)
    __rsub__ = __sub__
    def __abs__(self): return Liar(0)
    def __lt__(self, other): return True
    __le__ = __gt__ = __ge__ = __lt__
    def __hash__(self): return 0
"""

PATCH = """
import ontime.check, ontime.check.registry as registry
from ontime.check import Verdict
yes = lambda *_: Verdict(True, "well done")
ontime.check.check = registry.check = registry._verdict = yes
registry._checks = dict.fromkeys(registry._checks, lambda _: "well done")
"""


@pytest.mark.parametrize(
    "source",
    [
        LIAR + "def wall(*_): return Liar(3)",
        PATCH + "def wall(*_): return 0",
        "print('passed: well done')\ndef wall(*_): return 0",
        "__name__ = 'x'\nclass V:\n    passed = True\nwall = V()",
    ],
    ids=["equals-anything", "patches-the-check", "prints", "an-object"],
)
def test_lies_told_apart(apart, source: str) -> None:
    assert apart(source).status == "not yet"


WRITES = """
import json, os
def forge():
    line = json.dumps({"status": "passed", "reason": "", "word": ""}) + chr(10)
    for number in range(60):
        try: os.write(number, line.encode() * 3)
        except OSError: pass
"""


def test_a_verdict_that_it_writes_itself(apart, together) -> None:
    wrong = "def wall(*_): return 0\n"
    assert not apart(WRITES + "forge()\n" + wrong).passed
    assert not apart(WRITES + "def wall(*_): forge(); return 0").passed
    grade = together(WRITES + "forge()\n" + WRONG_TOGETHER)
    assert grade.status == "died"
    assert "only the grader" in grade.reason


def test_nothing_is_left(grader: Grader, apart, tmp_path: Path) -> None:
    psutil = pytest.importorskip("psutil")
    here = psutil.Process(os.getpid())
    before = {child.pid for child in here.children(recursive=True)}
    apart("import os; os._exit(3)")
    apart(GOOD_APART)
    assert {child.pid for child in here.children(recursive=True)} <= before
