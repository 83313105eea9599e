"""The process in which an answer, or its check, runs; started by :mod:`.child`.

It reads one line of JSON, its *job*, puts up the limits, says that it is ready, and
then plays one of these parts:

probe
    nothing more.
answer
    runs the answer's cells and hands its value over as plain data.  If it is a
    function, it calls it as often as it is asked, with plain data.
judge
    runs the check on a value that came as plain data, and asks for calls.  It never
    sees the answer's code.
together
    runs the answer and then its check.  Only then it reads the word that makes its
    verdict count.

Standard library and the course only.
"""

from __future__ import annotations

import asyncio
import builtins
import inspect
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, NoReturn

from ontime.grade import plain
from ontime.grade.cells import names_in, run_cell

__all__ = ["main"]

_Space = dict[str, Any]
_OPEN_FILES = 64
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
#: Events of Python's audit table: processes, the network, and changes to files.
_REFUSED = re.compile(
    r"os\.(exec|fork|forkpty|kill|killpg|posix_spawn|spawn|startfile|system|chmod|chown"
    r"|link|mkdir|remove|rename|rmdir|symlink|truncate|utime)|shutil\..*|ctypes\.dlopen"
    r"|subprocess\.Popen|socket\.(getaddrinfo|bind|sendto)|signal\.pthread_kill"
    r"|resource\.setrlimit"
)
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
    space: _Space = {"__name__": "__main__", "display": lambda *_, **__: None}
    try:
        for source in _needed(job):
            run_cell(source, space)
        if job["part"] in ("judge", "together"):
            check = _checker(job["name"])  # before anything of the answer
    except Exception as error:
        line.end(broken=_words(error))
    if job["part"] != "probe":
        asyncio.run(asyncio.sleep(0))  # has everything for a loop imported
    _limit(job["memory"], job["seconds"])
    sys.addaudithook(_refuse)
    line.say(ready=True)
    if job["part"] == "answer":
        _answer(line, job, space)
    elif job["part"] == "judge":
        _judge(line, job, check)
    elif job["part"] == "together":
        value = _value(line, job, space)
        try:
            verdict = check(job["name"], value)
        except BaseException as error:
            line.end(status="died", reason=f"it broke its check: {_words(error)}")
        line.say(done=True)
        word = line.ask()["word"]
        reason = f"{verdict.message} {verdict.hint}"
        line.end(passed=verdict.passed, reason=reason, word=word)
    os._exit(0)


def _checker(name: str) -> Callable[[str, Any], Any]:
    from ontime.check import check

    with suppress(Exception):
        check(name, None)  # has the chapter's checks imported
    return check


def _limit(memory: int, seconds: float) -> None:
    """Have the system keep the limits, where it can; the parent looks as well."""
    if sys.platform == "win32":
        return
    import resource

    for what, most in (
        (resource.RLIMIT_CORE, 0),
        # The start of the process is not the answer's time.
        (resource.RLIMIT_CPU, int(time.process_time() + seconds) + 1),
        (resource.RLIMIT_FSIZE, 0),  # no file grows; a disk cannot be filled
        (resource.RLIMIT_NOFILE, _OPEN_FILES),
        (resource.RLIMIT_AS, memory),
    ):
        _, top = resource.getrlimit(what)
        if top != resource.RLIM_INFINITY:
            most = min(most, top)
        with suppress(OSError, ValueError):
            resource.setrlimit(what, (most, most))


def _refuse(event: str, words: tuple[Any, ...]) -> None:
    """An audit hook: no processes, no files but to read, no network.

    It keeps careless code from doing harm, on every system.  Code that means harm needs
    a container around the grading.
    """
    writes = event == "open" and bool((words[2] or 0) & _WRITES)
    away = event == "socket.connect" and sys.platform != "win32"  # a loop's own pair
    if writes or away or _REFUSED.fullmatch(event):
        raise PermissionError(f"an answer may not do this: {event} {words[:1]}")


# Parts


def _value(line: _Line, job: dict[str, Any], space: _Space) -> Any:
    """The value of the answer, or the end of the process."""
    _others(job.get("before", ()), space)
    try:
        run_cell(job["answer"], space)
        _others(job.get("after", ()), space)
        return run_cell(job["expression"], space)
    except MemoryError:
        line.end(status="memory", reason="it took more memory than it may have")
    except BaseException as error:
        line.end(status="error", reason=_words(error))


def _others(cells: Iterable[str], space: _Space) -> None:
    """Run the student's other cells; an error in one is not the answer's."""
    for source in cells:
        with suppress(BaseException):
            run_cell(source, space)


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


def _needed(job: dict[str, Any]) -> list[str]:
    """The cells of the setup that define a name that is used, and what those use."""
    setup: list[str] = job.get("setup", [])
    wanted: set[str] = set()
    own = [*job.get("before", ()), job.get("answer", ""), *job.get("after", ())]
    for source in [*own, job.get("expression", "")]:
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            wanted |= names_in(source)[1]
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
        hint = "; no cell above the answer defines it"
    elif isinstance(error, EOFError):
        hint = "; nobody is there to answer input()"
    return f"{line}it raised {type(error).__name__}: {text}{hint}"
