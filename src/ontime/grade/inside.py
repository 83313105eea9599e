"""The process in which an answer, or its check, runs; started by :mod:`.child`.

It reads one line of JSON, its *job*, says in one line which walls are up, and then
plays one of these parts:

probe
    nothing more.
answer
    runs the answer's cell and hands its value over as plain data.  If it is a function,
    it calls it as often as it is asked, with plain data.
judge
    runs the check on a value that came as plain data, and asks for calls.  It never
    sees the answer's code.
together
    runs the answer and then its check.  Afterwards it looks whether the modules are as
    they were, and whether the check still refuses the lab's stub and takes the lab's
    solution.  Only then it reads the word that makes its verdict count.

Standard library and the course only.
"""

from __future__ import annotations

import asyncio
import builtins
import inspect
import json
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

from ontime.grade import plain, screen
from ontime.grade.cells import names_in, run_cell
from ontime.grade.snapshot import Snapshot
from ontime.grade.walls import raise_walls

__all__ = ["main"]

_Space = dict[str, Any]
_LONGEST_CALL = 20_000  # characters of packed arguments: less than a pipe holds


class _Line:
    """Lines of JSON to and from the parent, on descriptors that nothing prints to."""

    def __init__(self) -> None:
        self._source = os.fdopen(os.dup(0), "rb")
        self._sink = os.dup(1)
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nothing, number)
        os.close(nothing)

    def ask(self) -> Any:
        line = self._source.readline()
        if not line:
            os._exit(0)
        return json.loads(line)

    def say(self, **words: Any) -> None:
        data = json.dumps(words).encode() + b"\n"
        while data:
            data = data[os.write(self._sink, data) :]

    def end(self, **words: Any) -> NoReturn:
        self.say(**words)
        os._exit(0)


def main() -> None:
    """Do one job and end the process; nothing that is left in it runs any more."""
    line = _Line()
    job = line.ask()
    space: _Space = {"__name__": "__main__"}
    try:
        for source in _needed(job):
            run_cell(source, space)
        if job["part"] in ("judge", "together"):
            check = _checker(job["name"])  # before anything of the answer
        if job["part"] == "together":
            stub, solution = ({**space} for _ in range(2))
            snapshot = Snapshot()
    except Exception as error:
        line.end(broken=_words(error))
    if job["part"] != "probe":
        asyncio.run(asyncio.sleep(0))  # has everything for a loop imported
    up = raise_walls(job["memory"], job["seconds"])
    line.say(walls=up)
    if job["part"] == "answer":
        _answer(line, job, space)
    elif job["part"] == "judge":
        _judge(line, job, check)
    elif job["part"] == "together":
        value, doubt = _value(line, job, space), screen.look(job["answer"])
        try:
            verdict = check(job["name"], value)
            doubt = _doubts(job, check, snapshot, stub, solution) or doubt
        except BaseException as error:
            line.end(status="died", reason=f"it broke its check: {_words(error)}")
        said = {"passed": verdict.passed, "reason": f"{verdict.message} {verdict.hint}"}
        said |= {"doubt": doubt if verdict.passed else ""}
        line.say(done=True)
        line.end(**said, word=line.ask()["word"])
    os._exit(0)


def _checker(name: str) -> Callable[[str, Any], Any]:
    from ontime.check import check

    with suppress(Exception):
        check(name, None)  # has the chapter's checks imported
    return check


# Parts


def _value(line: _Line, job: dict[str, Any], space: _Space) -> Any:
    """The value of the answer, or the end of the process."""
    try:
        run_cell(job["answer"], space)
        return run_cell(job["expression"], space)
    except MemoryError:
        line.end(status="memory", reason="it took more memory than it may have")
    except BaseException as error:
        line.end(status="error", reason=_words(error))


def _answer(line: _Line, job: dict[str, Any], space: _Space) -> NoReturn:
    value = _value(line, job, space)
    line.say(value=_packed(value), callable=callable(value))
    while True:
        args, kwargs = plain.unpack(line.ask()["call"])
        try:
            result = value(*args, **kwargs)
        except BaseException as error:
            line.say(raised=type(error).__name__, text=str(error)[:200])
            continue
        line.say(value=_packed(result))
        if inspect.iscoroutine(result):
            result.close()


def _packed(value: Any) -> Any:
    """*value* for the judge; what a check would have made a list of, as a list."""
    if not isinstance(value, (dict, str)) and not callable(value):
        with suppress(Exception):
            return plain.pack(value)
        with suppress(Exception):
            some = [item for item, _ in zip(value, range(1000), strict=False)]
            return plain.pack(some)
    return plain.packed_or_opaque(value)


def _judge(
    line: _Line, job: dict[str, Any], check: Callable[[str, Any], Any]
) -> NoReturn:
    value = plain.unpack(job["value"])
    stuck = []

    def answer(*args: Any, **kwargs: Any) -> Any:
        try:
            call = plain.pack((args, kwargs))
            if len(json.dumps(call)) > _LONGEST_CALL:
                raise plain.NotPlainError("too much")
        except plain.NotPlainError as error:
            stuck.append(str(error))
            raise
        line.say(call=call)
        reply = line.ask()
        if "raised" in reply:
            raise _exception(str(reply["raised"]))(str(reply.get("text", "")))
        return plain.unpack(reply["value"])

    verdict = check(job["name"], answer if job["callable"] else value)
    if stuck:
        line.end(stuck=stuck[0])
    reason = f"{verdict.message} {verdict.hint}"
    line.end(passed=verdict.passed, reason=reason)


def _exception(name: str) -> type[Exception]:
    kind = getattr(builtins, name, None)
    if isinstance(kind, type) and issubclass(kind, Exception):
        try:
            kind("")
        except TypeError:
            return RuntimeError
        return kind
    return RuntimeError


def _doubts(
    job: dict[str, Any],
    check: Callable[[str, Any], Any],
    snapshot: Snapshot,
    stub: _Space,
    solution: _Space,
) -> str:
    """Why the verdict may not be the check's own, or nothing."""
    changed = snapshot.changed()
    if changed:
        return f"it changed {changed}"
    for source, space, good in (
        (job["stub"], stub, False),
        (job["solution"], solution, True),
    ):
        run_cell(source, space)
        if check(job["name"], run_cell(job["expression"], space)).passed is not good:
            return "after it the check is not what it was"
    return ""


def _needed(job: dict[str, Any]) -> list[str]:
    """The cells of the setup that define a name that is used, and what those use."""
    setup: list[str] = job.get("setup", [])
    wanted: set[str] = set()
    for key in ("answer", "stub", "solution"):
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            wanted |= names_in(job.get(key, ""))[1]
    cells = []
    for source in reversed(setup):
        binds, uses = names_in(source)
        if binds & wanted:
            wanted |= uses
            cells.append(source)
    return cells[::-1]


def _words(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return f"it is no Python: line {error.lineno}: {error.msg}"
    try:
        text = str(error)[:200]
    except Exception:
        text = ""
    line = ""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<cell>":
            line = f"line {trace.tb_lineno}: "
        trace = trace.tb_next
    hint = ""
    if isinstance(error, NameError):
        hint = "; an answer must stand in its own cell, with all that it defines"
    return f"{line}it raised {type(error).__name__}: {text}{hint}"
