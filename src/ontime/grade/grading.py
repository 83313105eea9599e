"""Grade one answer, and find out first how its exercise can be graded.

apart
    The answer runs in one process and hands over plain data; the check runs in another,
    which never sees the answer's code.  Nothing that the code does can make the
    verdict.  So are exercises graded whose answer is data, or a function of data.
together
    An answer whose callbacks and tasks mix with those of the check has to share its
    process.  :mod:`.inside` looks for traces of deceit, and :mod:`.screen` for code
    that could deceive; one that passes with either is shown to a teacher, with the
    status ``look``.  That this finds all deceit is not proved.

Which of the two it is, the lab's own solution decides, never the submission.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from ontime.grade import walls
from ontime.grade.child import Child, ChildEnd, Limits
from ontime.grade.labs import Exercise, LabError

__all__ = ["STATUSES", "Grade", "Grader"]

#: What can become of an answer, and what that means.
STATUSES = {
    "passed": "its check passed",
    "not yet": "its check did not pass; the reason is what the check says",
    "no answer": "the cell is as it was in the lab, or empty",
    "missing": "the notebook has no cell for it",
    "ambiguous": "several different cells claim to be the answer",
    "error": "the answer's cell raised an error or is no Python",
    "time": "it took longer than it may",
    "memory": "it took more memory than it may have",
    "died": "it ended its process, or wrote where only the grader writes",
    "look": "its check passed, but it does what could deceive the check: read it",
    "unreadable": "the file is no notebook; there is one row for all of it",
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
        self._ways: dict[str, str] = {}
        try:
            with Child({"part": "probe"}, self.limits) as child:
                #: what this system takes away from answers, see :mod:`.walls`
                self.walls = child.walls
        except ChildEnd as error:
            raise LabError(
                f"cannot start a process for an answer: {error.reason}; "
                "try more with --memory or --seconds"
            ) from None

    @property
    def missing_walls(self) -> list[str]:
        """What this system does not take away from an answer."""
        return [word for word in walls.ALL if word not in self.walls]

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
                grade = self._run(exercise, exercise.solution, way)
                stub = self._run(exercise, exercise.stub, way)
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

    def grade(self, exercise: Exercise, source: str) -> Grade:
        """Run the check of *exercise* on the answer *source*; never raises for it.

        Raises:
            LabError: see :meth:`prepare`.
        """
        self.prepare([exercise])
        try:
            return self._run(exercise, source, self._ways[exercise.name])
        except _StuckError as error:
            return Grade("not yet", f"the check cannot ask it: {error}", "apart")

    def _run(self, exercise: Exercise, source: str, way: str) -> Grade:
        run = self._apart if way == "apart" else self._together
        try:
            return replace(run(exercise, source), graded=way)
        except ChildEnd as error:
            if error.status == "broken":
                raise LabError(
                    f"the cells above {exercise.name} do not run: {error.reason}"
                ) from None
            return Grade(error.status, error.reason, way)

    def _job(self, part: str, exercise: Exercise, source: str) -> dict[str, Any]:
        return {
            "part": part,
            "name": exercise.name,
            "setup": list(exercise.setup),
            "answer": source,
            "expression": exercise.expression,
        }

    def _apart(self, exercise: Exercise, source: str) -> Grade:
        job = self._job("answer", exercise, source)
        with Child(job, self.limits, self.walls) as answer:
            said = answer.hear()
            if "status" in said:
                return _grade(said)
            value, can_call = said.get("value"), bool(said.get("callable"))
            judging: dict[str, Any] = {"part": "judge", "name": exercise.name}
            judging |= {"value": value, "callable": can_call}
            begun = time.monotonic()
            with Child(judging, self.limits, self.walls) as judge:
                answer.extend(time.monotonic() - begun)
                while "call" in (said := judge.hear()):
                    answer.say(call=said["call"])
                    reply = answer.hear()
                    judge.say(**{k: reply.get(k) for k in _REPLY if k in reply})
                if "stuck" in said:
                    raise _StuckError(str(said["stuck"]))
                return _grade(said)

    def _together(self, exercise: Exercise, source: str) -> Grade:
        job = self._job("together", exercise, source)
        job |= {"stub": exercise.stub, "solution": exercise.solution}
        word = secrets.token_hex()
        with Child(job, self.limits, self.walls) as child:
            said = child.hear()
            if "status" in said:
                return _grade(said)
            if said != {"done": True}:
                raise ChildEnd("died", "it wrote where only the grader writes")
            child.say(word=word)
            said = child.hear()
            if said.get("word") != word:
                raise ChildEnd("died", "it wrote where only the grader writes")
            return _grade(said)


_REPLY = ("value", "raised", "text")


class _StuckError(Exception):
    """The check asks the answer for more than plain data."""


def _grade(said: dict[str, Any]) -> Grade:
    """The grade in a process's words."""
    if "status" in said:
        status = said["status"]
        known = status in ("died", "error", "memory")
        return Grade(status if known else "died", str(said.get("reason", "")))
    if not isinstance(said.get("passed"), bool):
        raise ChildEnd("died", "it wrote where only the grader writes")
    reason = str(said.get("reason", "")).strip()
    if not said["passed"] and "it raised MemoryError" in reason:
        return Grade("memory", "it took more memory than it may have")
    if said["passed"] and said.get("doubt"):
        return Grade("look", f"it passed, but {said['doubt']}: read it")
    return Grade("passed" if said["passed"] else "not yet", reason)
