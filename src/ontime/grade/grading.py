"""Grade one answer: its cell, and then its check, in a process of their own.

An answer is tried by itself first.  If it does not pass, it is tried once more with the
student's other cells above it and between it and its check, as the notebook ran.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ontime.grade.inside import PATIENCE
from ontime.grade.labs import Answer, Exercise, LabError
from ontime.measuring import processes

__all__ = ["STATUSES", "Grade", "Grader"]

#: What can become of an answer, and what that means.
STATUSES = {
    "passed": "its check passed",
    "not yet": "its check did not pass; the reason is what the check says",
    "no answer": "the cell is as it was in the lab, and no other cell has an answer",
    "missing": "the notebook has no cell for it",
    "error": "the answer's cell raised an error or is no Python",
    "time": "it took longer than it may",
    "memory": "it took more memory than it may have",
    "died": "it ended its process, or wrote where only the grader writes",
    "unreadable": "the file is no notebook",
}
_TRUSTED = 60.0  # seconds for what the lab itself holds
_START = 600.0  # seconds for an interpreter to be there, on a busy machine
_BOOT = "import sys; from ontime.grade.inside import main; main(sys.argv[1])"
_KEPT = ("SYSTEMROOT", "LANG", "LC_ALL", "LC_CTYPE")


@dataclass(frozen=True, slots=True)
class Grade:
    """What became of one answer."""

    status: str
    reason: str

    @property
    def passed(self) -> bool:
        return self.status == "passed"


class Grader:
    """Grades answers; tries the lab's own solution of each exercise first.

    Args:
        seconds: of CPU time that an answer may take; on the clock, 30 times that.
        memory: bytes that it may take.
    """

    def __init__(self, seconds: float = 20, memory: int = 2**30) -> None:
        self.seconds, self.memory = seconds, memory
        self._tried: set[str] = set()

    def prepare(self, exercise: Exercise) -> None:
        """See that it can be graded on this machine.

        Raises:
            LabError: the lab's own solution does not pass, or its stub does.
        """
        name = exercise.name
        if name in self._tried:
            return
        grade = self._run(exercise, Answer(exercise.solution))
        if not grade.passed:
            raise LabError(
                f"the lab's own solution of {name} does not pass here: "
                f"{grade.status}: {grade.reason}; is the lab of another version "
                "than the package ontime, or is there too little --memory?"
            )
        if self._run(exercise, Answer(exercise.stub)).passed:
            raise LabError(f"the untouched cell of {name} passes its check")
        self._tried.add(name)

    def grade(self, exercise: Exercise, answer: Answer) -> Grade:
        """Run the check of *exercise* on an answer; never raises for it.

        Raises:
            LabError: see :meth:`prepare`.
        """
        if answer.status:
            return Grade(answer.status, answer.reason)
        self.prepare(exercise)
        grade = self._run(exercise, replace(answer, before=(), after=()))
        others = answer.before or answer.after
        if others and grade.status in ("error", "not yet"):
            again = self._run(exercise, answer)
            if again.status in ("passed", "not yet"):
                grade = again
        return replace(grade, reason=answer.note + grade.reason)

    def _run(self, exercise: Exercise, answer: Answer) -> Grade:
        job = {
            "name": exercise.name,
            "setup": exercise.setup,
            "before": answer.before,
            "source": answer.source,
            "after": answer.after,
            "expression": answer.expression or exercise.expression,
        }
        trusted = answer.source in (exercise.solution, exercise.stub)
        seconds = max(_TRUSTED, self.seconds) if trusted else self.seconds
        status, reason = _reply(job | {"memory": self.memory, "seconds": seconds})
        if status == "not yet" and "it raised MemoryError" in reason:
            return Grade("memory", "it took more memory than it may have")
        return Grade(status, reason)


def _reply(job: dict[str, Any]) -> tuple[str, str]:
    """What a process says of an answer, see :mod:`.inside`; it is trusted with nothing.

    It replies in JSON and not with a pickle, which would run code of its own here.
    """
    word = secrets.token_hex()
    path = [str(Path(__file__).resolve().parents[2]), *filter(None, sys.path)]
    words = ("-S", "-P", "-s", "-B", "-X", "utf8", "-c", _BOOT)
    environ = {key: os.environ[key] for key in _KEPT if key in os.environ}
    environ |= {"PYTHONHASHSEED": "0", "PYTHONPATH": os.pathsep.join(path)}
    late = "time", f"it was not done after {job['seconds']:g} s"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        Path(folder, "job").write_text(json.dumps(job | {"word": word}))
        timeout = _START + PATIENCE * job["seconds"]
        try:
            done = processes.run([sys.executable, *words, folder], environ, timeout)
        except TimeoutError:
            return late
        except ChildProcessError as error:
            return "died", f"its process was killed, or did not start: {error}"
    for line in done.stdout.splitlines():
        with suppress(ValueError, RecursionError, TypeError, KeyError):
            reply = json.loads(line)
            if reply["word"] == word and reply["status"] in STATUSES:
                return reply["status"], str(reply["reason"])
    if os.name == "posix" and -done.returncode in (signal.SIGXCPU, signal.SIGKILL):
        return late
    return "died", f"its process ended with status {done.returncode}"
