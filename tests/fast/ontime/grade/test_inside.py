"""What becomes of an answer, and what it may do, without its process."""

from __future__ import annotations

import os
import sys
from typing import Any

import pytest

from ontime.check import check
from ontime.grade import read_labs
from ontime.grade.inside import _guard, _judged
from ontime.grade.labs import default_folder

FOLDER = default_folder()
assert FOLDER is not None
EXERCISE = read_labs(FOLDER)["03-predict"]


def judged(source: str, before: tuple[str, ...] = ()) -> tuple[str, str]:
    job: dict[str, Any] = {
        "name": EXERCISE.name, "before": before, "source": source,
        "after": ["late = 1"], "expression": EXERCISE.expression,
    }  # fmt: skip
    return _judged(job, {"__name__": "__main__", "check": check})


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("raise SystemExit", "line 1: it raised SystemExit: "),
        ("\nraise KeyboardInterrupt", "line 2: it raised KeyboardInterrupt: "),
        ("def f(): f()\nf()", "it raised RecursionError"),
        ("class E(Exception):\n    def __str__(self): 1 / 0\nraise E", "raised E: "),
        ("del wall", "no cell above the answer defines it"),
        ("raise EOFError", "nobody is there to answer input()"),
        ("return 1", "it is no Python: line 1: 'return' outside function"),
        ("wall = '\0'\0", "null bytes"),
        ("wall = '\ud800'\n1 / 0", "surrogates not allowed"),
        ("(" * 50_000, "it "),
    ],
)
def test_an_answer_that_fails(source: str, words: str) -> None:
    status, reason = judged(source)
    assert status in ("error", "memory") and words in reason


def test_an_answer_is_judged_by_its_check() -> None:
    assert judged(EXERCISE.solution)[0] == "passed"
    assert judged(EXERCISE.solution, ("1 / 0", "(")) == judged(EXERCISE.solution)
    status, reason = judged("def wall(*_): return 0")
    assert status == "not yet" and reason
    fake = "__name__ = 'x'\nclass V:\n    passed = True\nwall = V()"
    assert judged(fake)[0] == "not yet"


@pytest.mark.parametrize(
    ("event", "words", "refused"),
    [
        ("os.fork", (), True),
        ("subprocess.Popen", ("ls",), True),
        ("socket.connect", (), sys.platform != "win32"),
        ("shutil.rmtree", ("x",), True),
        ("compile", ("x",), False),
        ("open", (os.__file__, "r", os.O_RDONLY), False),
        ("open", (os.__file__, "w", os.O_WRONLY), True),
        ("open", ("/etc/passwd", "r", os.O_RDONLY), True),
        ("open", (3, "r", os.O_RDONLY), False),
    ],
)
def test_what_is_refused(event: str, words: tuple[Any, ...], refused: bool) -> None:
    refuse = _guard()
    if refused:
        with pytest.raises(PermissionError, match=event):
            refuse(event, words)
    else:
        refuse(event, words)
