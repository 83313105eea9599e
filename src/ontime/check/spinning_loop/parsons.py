"""``06-parsons``: a guard against polling, out of shuffled lines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ontime.check.parsons import Shuffled
from ontime.check.registry import exercise
from ontime.check.verdict import NotYet

__all__ = ["PARSONS_LINES", "parsons_program"]

#: The shuffled lines.  An answer names them by position, from 1.  Three are not needed.
PARSONS_LINES: tuple[str, ...] = (
    "        assert turns.most <= 10",
    "            sleep(0.3)",
    "    with open_session() as session:",
    "        assert turns.seconds <= 0.3",
    "def test_idle_session_stays_idle():",
    "            session.ask('hello')",
    "        with count_turns() as turns:",
    "        assert turns.most > 10",
)


_SHUFFLED = Shuffled(PARSONS_LINES)
parsons_program = _SHUFFLED.program


class _Stage:
    """What the guard of the exercise calls, with a program that polls or waits."""

    def __init__(self, polls: bool) -> None:
        self.polls = polls
        self.is_open = self.counting = False
        self.most = 0.0
        self.asked_while_counting = self.asserted = False
        self.counted_open = True

    @contextmanager
    def open_session(self) -> Iterator[_Stage]:
        self.is_open = True
        try:
            yield self
        finally:
            self.is_open = False

    @contextmanager
    def count_turns(self) -> Iterator[_Turns]:
        self.counting, self.counted_open = True, self.is_open
        turns = _Turns(self)
        try:
            yield turns
        finally:
            self.counting = False

    def ask(self, message: object) -> object:
        self.asked_while_counting = self.asked_while_counting or self.counting
        self.most += 2
        return message

    def sleep(self, seconds: float) -> None:
        if self.counting and self.polls and self.is_open:
            self.most += seconds * 40_000


class _Turns:
    def __init__(self, stage: _Stage) -> None:
        self._stage = stage
        self.seconds = 0.3004  # never less than was slept

    @property
    def most(self) -> float:
        self._stage.asserted = True
        return self._stage.most


@exercise("06-parsons")
def check_parsons(answer: Any) -> str:
    """The answer is a list of line numbers (from 1) of :data:`PARSONS_LINES`.

    In that order the lines must make a test that passes with a session that waits and
    fails with one that polls.  Five lines are needed, three are not.
    """
    _, code = _SHUFFLED.read(answer, "[5, 3, 7]")
    failed = {}
    for polls in False, True:
        stage = _Stage(polls)
        namespace: dict[str, Any] = {
            "open_session": stage.open_session,
            "count_turns": stage.count_turns,
            "sleep": stage.sleep,
        }
        try:
            exec(code, namespace)
            namespace["test_idle_session_stays_idle"]()
            failed[polls] = False
        except AssertionError:
            failed[polls] = True
        except NameError as error:
            raise NotYet(f"{error}.", "a line stands before the one it needs") from None
        if stage.asked_while_counting:
            raise NotYet(
                "it asks the session something while it counts.",
                "a session is idle while nobody asks it anything",
            )
        if not stage.counted_open:
            raise NotYet(
                "it counts while no session is open.", "open the session first"
            )
        if not stage.asserted:
            raise NotYet(
                "it never judges the turns, so they cannot make it fail.",
                "one line asserts how many turns are allowed",
            )
    if failed[False]:
        raise NotYet(
            "the test fails with a session that waits.",
            "turns.seconds is a time, and 0.3 s of sleep last a little longer; and is "
            "the assert the right way round?",
        )
    return "it passes with a session that waits and fails with one that polls."
