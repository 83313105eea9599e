"""Answers that attack the grader, the machine or the check."""

from __future__ import annotations

import os
import signal
import socket
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
    def run(source: str, seconds: float = 600) -> Grade:
        grader.prepare([exercises[APART]])
        grader.limits = Limits(seconds)
        return grader.grade(exercises[APART], Answer(source))

    return run


@pytest.fixture
def together(grader: Grader, exercises: Exercises):
    def run(source: str, seconds: float = 600) -> Grade:
        grader.prepare([exercises[TOGETHER]])
        grader.limits = Limits(seconds)
        return grader.grade(exercises[TOGETHER], Answer(source))

    return run


def test_honest_answers(apart, together) -> None:
    assert apart(GOOD_APART).passed
    assert together(GOOD_TOGETHER).passed
    bad = together(WRONG_TOGETHER)
    assert bad.status == "not yet"
    assert bad.reason
    assert apart("def wall(parts, wait, cpu, at_once): return 0").status == "not yet"


@pytest.mark.slow
@pytest.mark.parametrize(
    "source",
    [
        "import time; time.sleep(10**6)",
        "def wall(*_):\n    while True: pass",
        "print(10 ** 10 ** 10)",
        "import signal\n"
        "for n in range(1, 60):\n"
        "    try: signal.signal(n, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\n"
        "while True: pass",
    ],
    ids=["sleep", "in-the-call", "big-power", "ignores-signals"],
)
def test_no_end(apart, source: str) -> None:
    assert apart(source, 3).status == "time"


def test_no_end_beside_the_check(together) -> None:
    source = "async def handle(*_):\n    while True: pass"
    assert together(source, 4).status == "time"


#: What an answer does, and what may become of it.
ENDS = [
    ("x = bytearray(10 * 2 ** 30)", "memory"),
    ("x = []\nwhile True: x.append(bytearray(2 ** 20))", "memory"),
    ("def wall(*_):\n    raise MemoryError", "memory not yet"),
    ("import os\nwhile True: os.fork()", "error"),
    ("import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', ''])", "error"),
    ("import multiprocessing as m\nm.Process(target=print).start()", "error"),
    ("import os\nos.execv('/bin/true', ['true'])", "error"),
    (f"import os\nos.kill(os.getppid(), {int(signal.SIGTERM)})", "error"),
    ("import resource as r\nr.setrlimit(r.RLIMIT_CPU, (1, 1))", "error"),
    (
        "import threading as t, time\n"
        "while True: t.Thread(target=time.sleep, args=[99]).start()",
        "error memory time",
    ),
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
    ("(" * 50_000, "error died memory"),
    ("-" * 90_000 + "1", "error died memory"),
]


@pytest.mark.parametrize(("source", "status"), ENDS)
def test_its_end(apart, source: str, status: str) -> None:
    grade = apart(source)
    assert grade.status in status, grade


def test_a_stack_without_end(apart) -> None:
    source = "import sys\nsys.setrecursionlimit(10**9)\ndef f(): f()\nf()"
    # Which it is differs from one Python to the next.
    assert apart(source, 3).status in ("died", "error", "memory", "time")


def test_what_does_not_matter(apart) -> None:
    flood = "import sys, os\nfor _ in range(300): print('x' * 2 ** 20)\n"
    flood += "os.write(2, b'x' * 2 ** 20)\n"
    left = "import threading\ndef spin():\n    while True: pass\n"
    left += "threading.Thread(target=spin).start()\n"
    for source in flood, left:
        assert apart(source + GOOD_APART).passed


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
        port = server.getsockname()[1]
        source = f"import socket\nsocket.create_connection(('127.0.0.1', {port}), 5)"
        assert apart(source).status == "error"
        server.setblocking(False)
        with pytest.raises(BlockingIOError):  # nobody has come
            server.accept()


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
def wall(*_): return Liar(3)
"""
PATCH = """
import ontime.check, ontime.check.registry as registry
from ontime.check import Verdict
yes = lambda *_: Verdict(True, "well done")
ontime.check.check = registry.check = registry._verdict = yes
registry._checks = dict.fromkeys(registry._checks, lambda _: "well done")
def wall(*_): return 0
"""
OBJECT = "__name__ = 'x'\nclass V:\n    passed = True\nwall = V()"


@pytest.mark.parametrize("source", [LIAR, PATCH, OBJECT], ids=["liar", "patch", "it"])
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


def test_nothing_is_left(apart) -> None:
    psutil = pytest.importorskip("psutil")
    here = psutil.Process(os.getpid())
    before = {child.pid for child in here.children(recursive=True)}
    apart("import os; os._exit(3)")
    apart(GOOD_APART)
    assert {child.pid for child in here.children(recursive=True)} <= before
