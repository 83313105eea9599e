"""A class is graded, with answers in processes; some attack the grader or the check."""

from __future__ import annotations

import csv
import json
import os
import signal
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from ontime.grade import Answer, Grade, Grader, LabError, read_labs
from ontime.grade.__main__ import main
from ontime.handout import copy_of, labs_of
from tests.fast.exercises.homes import all_homes

ROOT = Path(__file__).parents[4]
LABS = ROOT / "notebooks"
EXERCISES = read_labs(LABS)
PREDICT, MODIFY = "03-predict", "03-modify"
GOOD_PREDICT = """
def wall(parts, wait, cpu, at_once):
    if at_once and parts:
        return wait + parts * cpu
    return parts * (wait + cpu)
"""
GRADER = Grader(seconds=600)

posix = pytest.mark.skipif(os.name != "posix", reason="a shell, or a signal")


def grade(source: str, name: str = PREDICT, seconds: float = 600) -> Grade:
    GRADER.prepare(EXERCISES[name])
    GRADER.seconds = seconds
    return GRADER.grade(EXERCISES[name], Answer(source))


def table(path: Path) -> dict[str, dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return {row["student"]: row for row in csv.DictReader(stream)}


def lab() -> dict[str, Any]:
    """Lab 3 as a student has it."""
    (path,) = labs_of("03")
    return copy_of(path)


def stub_of(book: dict[str, Any], name: str) -> dict[str, Any]:
    """The cell in which a student writes."""
    named = (c for c in book["cells"] if c["metadata"].get("exercise") == name)
    return next(cell for cell in named if "exercise" in cell["metadata"]["tags"])


def hand_in(path: Path, answers: dict[str, str]) -> None:
    book = lab()
    for name, source in answers.items():
        stub_of(book, name)["source"] = source
    path.write_text(json.dumps(book), encoding="utf-8")


def own(source: str) -> dict[str, Any]:
    return {"cell_type": "code", "metadata": {}, "outputs": [], "source": source}


def test_a_class(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    good = {PREDICT: GOOD_PREDICT, MODIFY: EXERCISES[MODIFY].solution}
    hand_in(folder / "=cmd.ipynb", good)
    forged = lab()
    for cell in forged["cells"]:
        if cell["cell_type"] == "code":  # what the notebook shows is not believed
            cell["outputs"] = [{"output_type": "stream", "text": "passed: forged"}]
    stub_of(forged, PREDICT)["source"] = "def wall(*_): return 0"
    (folder / "forged.ipynb").write_text(json.dumps(forged))
    (folder / "broken.ipynb").write_bytes(b"\xff")
    out, pages = tmp_path / "grades.csv", tmp_path / "feedback"
    words = [str(folder), "--csv", str(out), "--feedback", str(pages), "--jobs", "2"]
    usual = signal.getsignal(signal.SIGINT)
    assert main([*words, "--seconds", "600"]) == 1
    assert signal.getsignal(signal.SIGINT) is usual
    rows = table(out)
    assert set(rows) == {"'=cmd", "forged", "broken"}
    row = rows["'=cmd"]
    assert (row[PREDICT], row[MODIFY], row["points"]) == ("1", "2", "3")
    assert f"{PREDICT} not yet" in rows["forged"]["remarks"]
    assert "not UTF-8" in rows["broken"]["remarks"]
    assert sorted(page.stem for page in pages.iterdir()) == ["_cmd", "broken", "forged"]
    assert "3 students, 2 of 10 answers passed; 1 files" in capsys.readouterr().err


def test_as_the_notebook_ran(tmp_path: Path) -> None:
    book = lab()
    cells = book["cells"]
    # A helper and an import in cells of their own, a magic above the answer.
    place = cells.index(stub_of(book, PREDICT))
    cells[place]["source"] = "%%time\ndef wall(*words):\n    return helper(*words)"
    helper = GOOD_PREDICT.replace("def wall", "def helper")
    cells.insert(place, own(helper.replace("wait +", "math.fabs(wait) +")))
    cells.insert(place, own("import math\n!ls"))
    cells.insert(place, own("1 / 0"))
    # Another in a new cell, at the end.
    cells.append(own("# mine\nasync def handle(user, price, stock):\n    return 1"))
    (tmp_path / "ada.ipynb").write_text(json.dumps(book))
    # And all that tells cells apart is lost on the way of the second.
    for cell in cells:
        cell.pop("id", None)
        cell["metadata"] = {}
    (tmp_path / "bo.ipynb").write_text(json.dumps(book))
    out = tmp_path / "grades.csv"
    assert main([str(tmp_path), "--csv", str(out), "--seconds", "600"]) == 0
    rows = table(out)
    assert rows["ada"][PREDICT] == rows["bo"][PREDICT] == "1"
    assert f"{MODIFY} not yet" in rows["ada"]["remarks"]


@posix
def test_an_interrupt_keeps_the_rows_that_are_done(tmp_path: Path) -> None:
    hand_in(tmp_path / "ada.ipynb", {PREDICT: GOOD_PREDICT})
    hand_in(tmp_path / "bo.ipynb", {PREDICT: "while True: pass"})
    out = tmp_path / "grades.csv"
    words = ["-m", "ontime.grade", str(tmp_path), "--csv", str(out)]
    with subprocess.Popen(
        [sys.executable, *words, "--seconds", "600"], stderr=subprocess.PIPE
    ) as command:
        assert command.stderr is not None
        try:
            assert command.stderr.readline().startswith(b"ada: 1 of")
            command.send_signal(signal.SIGINT)
            assert b"has the 1 students" in command.stderr.read()
        finally:
            command.kill()
    assert command.returncode == 130
    assert table(out)["ada"]["points"] == "1"


@posix
def test_the_line_for_a_container(tmp_path: Path) -> None:
    """The README's line, with a ``docker`` that runs what it is told to run here."""
    text = (ROOT / "teaching" / "README.md").read_text("utf-8")
    (line,) = (line for line in text.splitlines() if line.startswith("docker run"))
    for limit in ("--network none", "--read-only", "--memory", "--pids-limit", ":ro"):
        assert limit in line
    fake = tmp_path / "docker"
    fake.write_text(
        "#!/bin/sh\n"
        'while [ "$1" != on-time-grade ]; do shift; done; shift\n'
        f'exec "{sys.executable}" -m ontime.grade "$@"\n'
    )
    fake.chmod(0o755)
    (tmp_path / "handed-in").mkdir()
    (tmp_path / "handed-in" / "ada.ipynb").write_text("")
    environ = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", "-c", line], cwd=tmp_path, env=environ, capture_output=True, text=True
    )
    assert done.returncode == 1, done.stderr
    assert table(tmp_path / "grades.csv")["ada"]["points"] == "0"


def test_the_grader_says_what_the_check_says() -> None:
    wrong, (*_, hint) = next(iter(all_homes()["01-xorder"].wrong.values()))
    assert grade(EXERCISES["01-xorder"].solution, "01-xorder").passed
    bad = grade(wrong, "01-xorder")
    assert bad.status == "not yet" and hint in bad.reason


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ({"solution": "wall = 0"}, "own solution of 03-predict does not pass"),
        ({"stub": GOOD_PREDICT}, "untouched cell of 03-predict passes"),
    ],
)
def test_a_lab_that_is_wrong_is_not_graded(part: dict[str, Any], words: str) -> None:
    with pytest.raises(LabError, match=words):
        Grader(seconds=600).prepare(replace(EXERCISES[PREDICT], **part))


# What an answer does, and what may become of it

IGNORE = """
import signal
for n in range(1, 60):
    try: signal.signal(n, signal.SIG_IGN)
    except (OSError, ValueError): pass
while True: pass
"""


@pytest.mark.slow
@pytest.mark.parametrize("source", ["import time; time.sleep(10**6)", IGNORE])
def test_no_end(source: str) -> None:
    assert grade(source, seconds=2).status == "time"


def test_no_end_in_the_check() -> None:
    source = "async def handle(*_):\n    while True: pass"
    assert grade(source, MODIFY, seconds=2).status == "time"


FORGE = """
import json, os
line = json.dumps({"status": "passed", "reason": "", "word": ""}) + chr(10)
for number in range(60):
    try: os.write(number, line.encode() * 3)
    except OSError: pass
def wall(*_): return 0
"""
ENDS = [
    ("x = []\nwhile True: x.append(bytearray(2 ** 20))", "memory"),
    ("def wall(*_):\n    raise MemoryError", "memory"),
    (
        "import threading as t, time\n"
        "while True: t.Thread(target=time.sleep, args=[99]).start()",
        "error memory time",
    ),
    ("import os\ndef wall(*_): os._exit(0)", "died"),
    ("import os; os.closerange(0, 60)", "died"),
    ("-" * 90_000 + "1", "error died memory"),
    (FORGE, "not yet"),
    (
        "import sys, threading\n"
        "def spin():\n    while True: pass\n"
        "threading.Thread(target=spin).start()\n"
        f"for _ in range(300): print('x' * 2 ** 20)\n{GOOD_PREDICT}",
        "passed",
    ),
]


@pytest.mark.parametrize(("source", "status"), ENDS)
def test_its_end(source: str, status: str) -> None:
    before = psutil.Process().children(recursive=True)
    end = grade(source)
    assert end.status in status, end
    assert set(psutil.Process().children(recursive=True)) <= set(before)


TRIES = """
import multiprocessing, os, resource, shutil, socket, subprocess, sys
did = []
for number, act in enumerate((
    os.fork,
    lambda: subprocess.Popen([sys.executable, "-c", ""]),
    multiprocessing.Process(target=print).start,
    lambda: os.execv("/bin/true", ["true"]),
    lambda: os.kill(os.getppid(), 15),
    lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 1)),
    lambda: __import__("ctypes"),  # opens the program itself
    lambda: socket.create_connection(("127.0.0.1", PORT), 5),
    lambda: open(FILE, "w"),
    lambda: open(FILE + "2", "x"),
    lambda: did.append(open(FILE).read()),
    lambda: os.remove(FILE),
    lambda: os.rename(FILE, "/tmp/stolen"),
    lambda: os.truncate(FILE, 0),
    lambda: os.chmod(FILE, 0),
    lambda: shutil.rmtree(os.path.dirname(FILE)),
)):
    try: act()
    except PermissionError: continue
    except Exception as error: did.append(error)
    did.append(number)
raise ValueError(f"did {did}")
"""


@posix
def test_what_an_answer_may_not_do(tmp_path: Path) -> None:
    file = tmp_path / "grades"
    file.write_text("mine")
    with socket.create_server(("127.0.0.1", 0)) as server:
        names = f"FILE, PORT = {str(file)!r}, {server.getsockname()[1]}"
        end = grade(names + TRIES)
        assert end.status == "error" and end.reason.endswith("ValueError: did []"), end
        server.setblocking(False)
        with pytest.raises(BlockingIOError):  # nobody has come
            server.accept()
    assert file.read_text() == "mine" and list(tmp_path.iterdir()) == [file]
