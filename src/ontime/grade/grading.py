"""Grade one answer, and find out first how its exercise can be graded.

apart
    The answer runs in one process and hands over plain data; the check runs in another,
    which never sees the answer's code.  Nothing that the code does can make the
    verdict.  So are exercises graded whose answer is data, or a function of data.
together
    An answer whose callbacks and tasks mix with those of the check has to share its
    process.  Code that means to deceive can reach the check there.

Which of the two it is, the lab's own solution decides, never the submission.

An answer is tried by itself first.  If it does not pass, it is tried once more with the
student's other cells above it and between it and its check, as the notebook ran.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any

from ontime.grade.child import Child, ChildEnd, Limits
from ontime.grade.labs import Answer, Exercise, LabError

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
_FAILED = ("died", "error", "memory")
_ALL = ("passed", "not yet", *_FAILED)
_TRUSTED = 60.0  # seconds for what the lab itself holds


class StoppedError(Exception):
    """The grading was interrupted while an answer ran."""


@dataclass(frozen=True, slots=True)
class Grade:
    """What became of one answer."""

    status: str
    reason: str

    @property
    def passed(self) -> bool:
        return self.status == "passed"


class Grader:
    """Grades answers; learns once for each exercise how that is done.

    Args:
        limits: what an answer may take.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        #: set it, from any thread, to end the processes of answers
        self.stopped = threading.Event()
        #: "apart" or "together", for each exercise that was prepared
        self.ways: dict[str, str] = {}

    def prepare(self, exercises: Iterable[Exercise]) -> None:
        """Learn how to grade them.

        Raises:
            LabError: a lab's own solution does not pass, or its stub does.
        """
        for exercise in exercises:
            if exercise.name not in self.ways:
                self.ways[exercise.name] = self._learn(exercise)

    def _learn(self, exercise: Exercise) -> str:
        for way in ("apart", "together"):
            grade = self._run(exercise, Answer(exercise.solution), way)
            if not grade.passed:
                continue
            if self._run(exercise, Answer(exercise.stub), way).passed:
                raise LabError(
                    f"the untouched cell of {exercise.name} passes its check"
                )
            return way
        raise LabError(
            f"the lab's own solution of {exercise.name} does not pass here: "
            f"{grade.status}: {grade.reason}; is the lab of another version than the "
            "package ontime, or is there too little --memory?"
        )

    def grade(self, exercise: Exercise, answer: Answer) -> Grade:
        """Run the check of *exercise* on an answer; never raises for it.

        Raises:
            LabError: see :meth:`prepare`.
        """
        if answer.status:
            return Grade(answer.status, answer.reason)
        self.prepare([exercise])
        way = self.ways[exercise.name]
        grade = self._run(exercise, replace(answer, before=(), after=()), way)
        others = answer.before or answer.after
        if others and grade.status in ("error", "not yet"):
            again = self._run(exercise, answer, way)
            if again.status in ("passed", "not yet"):
                grade = again
        return replace(grade, reason=answer.note + grade.reason)

    def _run(self, exercise: Exercise, answer: Answer, way: str) -> Grade:
        run = self._apart if way == "apart" else self._together
        try:
            return run(exercise, answer)
        except ChildEnd as error:
            status, reason = error.args
            if status == "stopped":
                raise StoppedError from None
            return Grade(status, reason)

    def _apart(self, exercise: Exercise, source: Answer) -> Grade:
        with self._child("answer", exercise, source) as answer:
            words = answer.hear()
            if "status" in words:
                return _grade(words, _FAILED)
            with self._child("judge", exercise, source, words=words) as judge:
                while "call" in (words := judge.hear()):
                    answer.renew()
                    answer.say(words)
                    judge.say(answer.hear())
                return _grade(words)

    def _together(self, exercise: Exercise, answer: Answer) -> Grade:
        word = secrets.token_hex()
        with self._child("together", exercise, answer) as child:
            words = child.hear()
            if "status" in words:
                return _grade(words, _FAILED)
            child.say({"word": word})
            words = child.hear()
            # What came before the word was known is no verdict.
            return _grade(words, _ALL if words.get("word") == word else ())

    def _child(
        self, part: str, exercise: Exercise, answer: Answer, **more: Any
    ) -> Child:
        job = {
            "part": part,
            "name": exercise.name,
            "setup": exercise.setup,
            "cells": [answer.before, [answer.source], answer.after],
            "expression": answer.expression or exercise.expression,
        }
        ours = part == "judge" or answer.source in (exercise.solution, exercise.stub)
        trusted = replace(self.limits, seconds=max(_TRUSTED, self.limits.seconds))
        return Child(job | more, trusted if ours else self.limits, self.stopped)


def _grade(words: dict[str, Any], allowed: Collection[str] = _ALL) -> Grade:
    """The grade in a process's words."""
    status, reason = str(words.get("status")), str(words.get("reason", "")).strip()
    if status not in allowed:
        return Grade("died", "it wrote where only the grader writes")
    if status == "not yet" and "it raised MemoryError" in reason:
        return Grade("memory", "it took more memory than it may have")
    return Grade(status, reason)
