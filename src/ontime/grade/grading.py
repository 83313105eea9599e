"""Grade one answer, and find out first how its exercise can be graded.

apart
    The answer runs in one process and hands over plain data; the check runs in another,
    which never sees the answer's code.  Nothing that the code does can make the
    verdict.  So are exercises graded whose answer is data, or a function of data.
together
    An answer whose callbacks and tasks mix with those of the check has to share its
    process.  Code that means to deceive can reach the check there.

An answer is tried by itself first.  If it does not pass, it is tried once more with the
student's other cells above it and between it and its check, as the notebook ran.

Which of the two it is, the lab's own solution decides, never the submission.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from ontime.grade.child import Child, ChildEnd, Limits
from ontime.grade.labs import Exercise, LabError
from ontime.grade.notebook import Answer

__all__ = ["STATUSES", "Grade", "Grader", "StoppedError"]

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


@dataclass(frozen=True, slots=True)
class Grade:
    """What became of one answer."""

    status: str
    reason: str
    graded: str = ""  # "apart" or "together"; empty if nothing was run

    @property
    def passed(self) -> bool:
        return self.status == "passed"


class Grader:
    """Grades answers; learns once for each exercise how that is done.

    Args:
        limits: what an answer may take.

    Raises:
        LabError: this system cannot even start a process for an answer.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        #: set it, from any thread, to end the processes of answers
        self.stopped = threading.Event()
        self._ways: dict[str, str] = {}
        try:
            with Child({"part": "probe"}, self.limits):
                pass
        except ChildEnd as error:
            raise LabError(
                f"cannot start a process for an answer: {error.reason}; "
                "try more with --memory or --seconds"
            ) from None

    def prepare(self, exercises: Iterable[Exercise]) -> None:
        """Learn how to grade them.

        Raises:
            LabError: a lab's own solution does not pass, or its stub does.
        """
        for exercise in exercises:
            if exercise.name not in self._ways:
                self._ways[exercise.name] = self._learn(exercise)

    def _learn(self, exercise: Exercise) -> str:
        for way in ("apart", "together"):
            try:
                grade = self._run(exercise, Answer(exercise.solution), way)
                stub = self._run(exercise, Answer(exercise.stub), way)
            except _StuckError:
                continue
            if grade.passed and stub.passed:
                raise LabError(
                    f"the untouched cell of {exercise.name} passes its check"
                )
            if grade.passed:
                return way
        raise LabError(
            f"the lab's own solution of {exercise.name} does not pass here: "
            f"{grade.status}: {grade.reason}; is the lab of another version than the "
            "package ontime?"
        )

    def grade(self, exercise: Exercise, answer: Answer) -> Grade:
        """Run the check of *exercise* on an answer; never raises for it.

        Raises:
            LabError: see :meth:`prepare`.
        """
        if answer.status:
            return Grade(answer.status, answer.reason)
        self.prepare([exercise])
        way = self._ways[exercise.name]
        alone = replace(answer, before=(), after=())
        grade = self._try(exercise, alone, way)
        others = answer.before or answer.after
        if others and grade.status in ("error", "not yet"):
            again = self._try(exercise, answer, way)
            if again.status in ("passed", "not yet"):
                grade = again
        return replace(grade, reason=answer.note + grade.reason)

    def _try(self, exercise: Exercise, answer: Answer, way: str) -> Grade:
        try:
            return self._run(exercise, answer, way)
        except _StuckError as error:
            return Grade("not yet", f"the check cannot ask it: {error}", "apart")

    def _run(self, exercise: Exercise, answer: Answer, way: str) -> Grade:
        run = self._apart if way == "apart" else self._together
        try:
            return replace(run(exercise, answer), graded=way)
        except ChildEnd as error:
            if error.status == "stopped":
                raise StoppedError from None
            if error.status == "broken":
                raise LabError(
                    f"the cells above {exercise.name} do not run: {error.reason}"
                ) from None
            return Grade(error.status, error.reason, way)

    def _child(self, part: str, exercise: Exercise, answer: Answer) -> Child:
        ours = answer.source in (exercise.solution, exercise.stub)
        limits = self._trusted() if ours else self.limits
        job = {
            "part": part,
            "name": exercise.name,
            "setup": list(exercise.setup),
            "before": list(answer.before),
            "answer": answer.source,
            "after": list(answer.after),
            "expression": answer.expression or exercise.expression,
        }
        return Child(job, limits, self.stopped)

    def _trusted(self) -> Limits:
        return replace(self.limits, seconds=max(_TRUSTED, self.limits.seconds))

    def _apart(self, exercise: Exercise, source: Answer) -> Grade:
        with self._child("answer", exercise, source) as answer:
            words = answer.hear()
            if "status" in words:
                return _grade(words)
            judging: dict[str, Any] = {"part": "judge", "name": exercise.name}
            judging |= {"value": words.get("value")}
            judging |= {"callable": bool(words.get("callable"))}
            with Child(judging, self._trusted(), self.stopped) as judge:
                while "call" in (words := judge.hear()):
                    answer.renew()
                    answer.say(call=words["call"])
                    reply = answer.hear()
                    judge.say(**{k: reply.get(k) for k in _REPLY if k in reply})
                if "stuck" in words:
                    raise _StuckError(str(words["stuck"]))
                return _grade(words)

    def _together(self, exercise: Exercise, answer: Answer) -> Grade:
        word = secrets.token_hex()
        with self._child("together", exercise, answer) as child:
            words = child.hear()
            if "status" in words:
                return _grade(words)
            if words != {"done": True}:
                raise ChildEnd("died", "it wrote where only the grader writes")
            child.say(word=word)
            words = child.hear()
            if words.get("word") != word:
                raise ChildEnd("died", "it wrote where only the grader writes")
            return _grade(words)


class StoppedError(Exception):
    """The grading was interrupted while an answer ran."""


_TRUSTED = 60.0  # seconds for what the lab itself holds
_REPLY = ("value", "raised", "text")


class _StuckError(Exception):
    """The check asks the answer for more than plain data."""


def _grade(words: dict[str, Any]) -> Grade:
    """The grade in a process's words."""
    if "status" in words:
        status = words["status"]
        known = status in ("died", "error", "memory")
        return Grade(status if known else "died", str(words.get("reason", "")))
    if not isinstance(words.get("passed"), bool):
        raise ChildEnd("died", "it wrote where only the grader writes")
    reason = str(words.get("reason", "")).strip()
    if not words["passed"] and "it raised MemoryError" in reason:
        return Grade("memory", "it took more memory than it may have")
    return Grade("passed" if words["passed"] else "not yet", reason)
