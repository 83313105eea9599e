"""The checks by the names of their exercises, and the promise that none raises."""

from __future__ import annotations

import asyncio
import gc
import importlib
import inspect
import re
import warnings
from collections.abc import Callable
from functools import wraps
from pkgutil import iter_modules
from traceback import walk_tb
from typing import Any

from looplab.clock import ClockError, DeadlockError, OutsideCallError
from ontime.check.tools import cause
from ontime.check.verdict import NotYet, Verdict

__all__ = ["CHAPTERS", "check", "exercise", "exercises", "extra_exercises"]

Check = Callable[[Any], str]

#: The modules with the exercises of each chapter, by its number.
CHAPTERS = {
    "01": "callbacks",
    "02": "cpu_models",
    "03": "task_cost",
    "04": "late_heartbeat",
    "05": "backpressure",
    "06": "spinning_loop",
    "07": "priority",
    "08": "your_program",
}

#: An extra exercise of the bank, such as ``"01-xorder"``; those of the labs have no x.
_EXTRA = re.compile(r"\d\d-x")

_checks: dict[str, Check] = {}
_elsewhere: dict[str, str] = {}


def exercise(
    name: str,
    need: Callable[[object, str], object] = lambda answer, called: None,
    called: str = "",
    *,
    elsewhere: str = "",
) -> Callable[[Check], Check]:
    """Register a check under *name*, such as ``"04-predict"``.

    The name of an extra exercise has an x behind the hyphen, as in ``"04-xslices"``.

    The check takes the answer, returns the sentence of a pass and raises
    :class:`NotYet` otherwise.  Whatever else it raises is taken for the answer's fault.

    Args:
        name: of the exercise.
        need: refuses an answer that is not of its kind, such as
            :func:`~.tools.need_async_function`.
        called: the name that the task gives the answer.
        elsewhere: the hint for an answer that starts a thread or a process.
    """

    def register(function: Check) -> Check:
        @wraps(function)
        def checked(answer: Any) -> str:
            need(answer, called)
            return function(answer)

        if name in _checks:
            raise ValueError(f"there is a check for exercise {name!r} already")
        _checks[name] = checked
        _elsewhere[name] = elsewhere
        return function

    return register


def exercises() -> list[str]:
    """The names of the exercises of all labs, in order."""
    for number in CHAPTERS:
        _import_chapter(f"{number}-")
    return sorted(name for name in _checks if not _EXTRA.match(name))


def extra_exercises() -> list[str]:
    """The names of the extra exercises in the bank, in order."""
    for number in CHAPTERS:
        _import_chapter(f"{number}-x")
    return sorted(name for name in _checks if _EXTRA.match(name))


def _import_chapter(name: str) -> None:
    """Have the exercises registered that belong to the chapter of *name*.

    A page needs those of one chapter, and does not wait for the others.
    """
    if name[:2] not in CHAPTERS:
        return
    folder = "ontime.check.bank" if _EXTRA.match(name) else "ontime.check"
    chapter = importlib.import_module(f"{folder}.{CHAPTERS[name[:2]]}")
    for module in iter_modules(chapter.__path__, f"{chapter.__name__}."):
        importlib.import_module(module.name)


def check(name: str, answer: object) -> Verdict:
    """Check *answer* to the exercise called *name*; never raises for a wrong answer.

    Raises:
        LookupError: there is no exercise of that name.
    """
    _import_chapter(str(name))
    try:
        function = _checks[name]
    except (KeyError, TypeError):
        extra = _EXTRA.match(str(name))
        known = extra_exercises() if extra else exercises()
        raise LookupError(
            f"there is no exercise {name!r}; there are {', '.join(known)}"
        ) from None
    with warnings.catch_warnings():
        # A forgotten await is told in our words.
        warnings.simplefilter("ignore", RuntimeWarning)
        verdict = _verdict(function, answer, _elsewhere[name])
        if not verdict:
            # Coroutines that hang on the error's traceback must go while we are quiet.
            gc.collect()
    # Where an object lies in memory differs from run to run.
    message = re.sub(r" at 0x[0-9A-Fa-f]+", "", verdict.message)
    return Verdict(verdict.passed, message, verdict.hint)


def _verdict(function: Check, answer: object, elsewhere: str) -> Verdict:
    try:
        _refuse_leftovers(answer)
        return Verdict(True, function(answer))
    except KeyboardInterrupt:
        raise
    except NotYet as verdict:
        return Verdict(False, verdict.message, verdict.hint)
    except BaseException as error:
        return _explain(error, elsewhere)


def _refuse_leftovers(answer: object) -> None:
    """Answers that are wrong in every exercise."""
    if answer is ... or answer is None:
        raise NotYet(
            "there is no answer yet.",
            "replace the three dots in the cell above and run it, then this one",
        )
    if inspect.iscoroutine(answer):
        answer.close()
        raise NotYet(
            "the answer is a coroutine: the async function has been called.",
            "hand over the function itself, without parentheses",
        )


def _explain(error: BaseException, elsewhere: str) -> Verdict:
    error = cause(error)
    if isinstance(error, NotYet):
        return Verdict(False, error.message, error.hint)
    if isinstance(error, DeadlockError):
        return Verdict(
            False,
            "it waits for ever: nothing is ready and no timer is set.",
            "look for an await whose counterpart never comes: a get() without a put(), "
            "a join() without task_done(), a queue that nobody empties",
        )
    if isinstance(error, OutsideCallError):
        return Verdict(
            False,
            f"it leaves the virtual clock: {str(error).partition(': ')[0]}.",
            elsewhere or "this exercise needs no thread, process or socket",
        )
    if isinstance(error, ClockError):
        return Verdict(
            False,
            "it does not come to an end: the loop ran very many callbacks.",
            "look for a loop that never stops, or that polls with sleep(0)",
        )
    if isinstance(error, asyncio.CancelledError):
        return Verdict(
            False,
            "it ended with CancelledError, though nobody cancelled it.",
            "only worker tasks need cancelling, once all jobs are done",
        )
    text = str(error).rstrip(".")
    words = f"{type(error).__name__}: {text}." if text else f"{type(error).__name__}."
    hint = ""
    if isinstance(error, TypeError) and "argument" in text:
        hint = "compare the parameters of your function with those of the exercise"
    elif isinstance(error, TypeError) and "await" in text:
        hint = "look for an await too many or too few"
    elif isinstance(error, NameError):
        hint = "a name is used before it has a value, or is misspelt"
    elif isinstance(error, RecursionError):
        hint = "a function calls itself for ever"
    else:
        lines = [
            f"look at line {line} of the cell that defines {frame.f_code.co_name}"
            for frame, line in walk_tb(error.__traceback__)
            if frame.f_globals.get("__name__") == "__main__"  # the reader's own
        ]
        hint = lines[-1] if lines else ""
    return Verdict(False, f"it raised {words}", hint)
