"""The check behind each exercise.

A reader hands an answer to :func:`check` and gets a :class:`Verdict`::

    check("04-predict", lateness)
    # not yet: for 20 jobs your function says -0.3 s. Hint: ...

A wrong answer never raises: an exception in it, a deadlock, a loop without an end on
the virtual clock, a forgotten ``await`` or an untouched stub all become a "not yet"
that says what was seen and where to look.  Answers are run on the virtual clock, so a
verdict is the same on every machine.  (One thing cannot be caught: a loop that never
awaits, such as ``while True: pass``, holds the interpreter; stop the cell.)

The exercises of a chapter live in a module of their own beside this one and register
themselves with :func:`exercise`.  Standard library only.
"""

from __future__ import annotations

import asyncio
import gc
import inspect
import re
import warnings
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from looplab.clock import ClockError, DeadlockError, OutsideCallError, run

__all__ = ["NotYet", "Verdict", "check", "exercise", "exercises"]

T = TypeVar("T")
Check = Callable[[Any], str]

_checks: dict[str, Check] = {}

#: Callbacks that one simulated run of an answer may take.
MAX_STEPS = 200_000
#: Seconds of virtual time after which an answer is said not to end.
MAX_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check found.  Prints as ``passed: ...`` or ``not yet: ... Hint: ...``."""

    passed: bool
    message: str
    hint: str = ""

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        text = f"{'passed' if self.passed else 'not yet'}: {self.message}"
        return f"{text} Hint: {self.hint}" if self.hint else text


class NotYet(Exception):  # noqa: N818 (the word that the reader sees)
    """Raised inside a check when the answer is not right yet."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def exercise(name: str) -> Callable[[Check], Check]:
    """Register a check under *name*, such as ``"04-predict"``.

    The check takes the answer, returns the sentence of a pass and raises
    :class:`NotYet` otherwise.  Whatever else it raises is taken for the answer's fault.
    """

    def register(function: Check) -> Check:
        if name in _checks:
            raise ValueError(f"there is a check for exercise {name!r} already")
        _checks[name] = function
        return function

    return register


def exercises() -> list[str]:
    """The names of all exercises, in order."""
    return sorted(_checks)


def check(name: str, answer: object) -> Verdict:
    """Check *answer* to the exercise called *name*; never raises for a wrong answer.

    Raises:
        LookupError: there is no exercise of that name.
    """
    try:
        function = _checks[name]
    except (KeyError, TypeError):
        raise LookupError(
            f"there is no exercise {name!r}; there are {', '.join(exercises())}"
        ) from None
    with warnings.catch_warnings():
        # A forgotten await is told in our words.
        warnings.simplefilter("ignore", RuntimeWarning)
        verdict = _verdict(function, answer)
        if not verdict:
            # Coroutines that hang on the error's traceback must go while we are quiet.
            gc.collect()
    # Where an object lies in memory differs from run to run.
    message = re.sub(r" at 0x[0-9A-Fa-f]+", "", verdict.message)
    return Verdict(verdict.passed, message, verdict.hint)


def _verdict(function: Check, answer: object) -> Verdict:
    try:
        _refuse_leftovers(answer)
        return Verdict(True, function(answer))
    except KeyboardInterrupt:
        raise
    except NotYet as verdict:
        return Verdict(False, verdict.message, verdict.hint)
    except BaseException as error:
        return _explain(error)


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


def _explain(error: BaseException) -> Verdict:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
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
            f"it leaves the virtual clock: {error}.",
            "this exercise needs no thread, process or socket",
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
    said = f"{type(error).__name__}: {text}." if text else f"{type(error).__name__}."
    hint = ""
    if isinstance(error, TypeError) and "argument" in text:
        hint = "compare the parameters of your function with those of the exercise"
    elif isinstance(error, TypeError) and "await" in text:
        hint = "look for an await too many or too few"
    elif isinstance(error, NameError):
        hint = "a name is used before it has a value, or is misspelt"
    elif isinstance(error, RecursionError):
        hint = "a function calls itself without an end"
    return Verdict(False, f"it raised {said}", hint)


# Tools for checks


def simulate(
    main: Coroutine[Any, Any, T], *, max_steps: int = MAX_STEPS, **settings: Any
) -> T:
    """Run one scenario on the virtual clock, with limits and without noise.

    The *settings* are those of :func:`looplab.run`.
    """

    async def quietly() -> T:
        # What an answer leaves behind is the check's to report, not the logger's.
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
        return await main

    try:
        return run(quietly(), max_steps=max_steps, **settings)
    finally:
        main.close()


async def finished(work: Coroutine[Any, Any, T]) -> T:
    """Await *work*, and say so if it does not end.

    A heartbeat beside it keeps a timer set, so the loop itself sees no deadlock.
    """
    task = asyncio.ensure_future(work)
    await asyncio.wait([task], timeout=MAX_SECONDS)
    if not task.done():
        raise DeadlockError("the answer does not end")
    return task.result()


def need_async_function(answer: object, name: str) -> None:
    """Refuse anything but an async function."""
    if inspect.isfunction(answer) and not inspect.iscoroutinefunction(answer):
        raise NotYet(f"{name} is a plain function.", "define it with 'async def'")
    if not callable(answer):
        raise NotYet(
            f"the answer is {answer!r}, not a function.",
            f"hand over {name} itself, without parentheses",
        )


def need_awaitable(value: object, name: str) -> None:
    """Refuse what an answer returned if it cannot be awaited."""
    if not inspect.isawaitable(value):
        raise NotYet(
            f"{name}() returned {value!r}, which cannot be awaited.",
            "define it with 'async def'",
        )


from looplab.check import backpressure as backpressure  # noqa: E402 (registers)
from looplab.check import callbacks as callbacks  # noqa: E402 (registers)
from looplab.check import cpu_models as cpu_models  # noqa: E402 (registers)
from looplab.check import late_heartbeat as late_heartbeat  # noqa: E402 (registers)
from looplab.check import priority as priority  # noqa: E402 (registers)
from looplab.check import spinning_loop as spinning_loop  # noqa: E402 (registers)
from looplab.check import task_cost as task_cost  # noqa: E402 (registers)
