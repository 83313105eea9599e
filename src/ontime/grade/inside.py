"""The process in which an answer, or its check, runs; started by :mod:`.child`.

It reads one line of JSON, its *job*, puts up the limits, says that it is ready, and
then plays one of these parts:

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

import ast
import asyncio
import builtins
import inspect
import json
import os
import re
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn

from ontime.grade.cells import names_in, run_cell

__all__ = ["NotPlainError", "main", "pack", "unpack"]

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
#: Events of Python's audit table: processes, the network, and changes to files.
_REFUSED = re.compile(
    r"os\.(exec|fork|forkpty|kill|killpg|posix_spawn|spawn|startfile|system|chmod|chown"
    r"|link|mkdir|remove|rename|rmdir|symlink|truncate|utime)|shutil\..*|ctypes\.dlopen"
    r"|subprocess\.Popen|socket\.(getaddrinfo|bind|sendto)|signal\.pthread_kill"
    r"|resource\.setrlimit"
)
_LONGEST = 200_000  # characters of a value
_LONGEST_CALL = 20_000  # of the arguments of a call: less than a pipe holds
_UNREADABLE = (ValueError, TypeError, SyntaxError, MemoryError, RecursionError)
_Job = dict[str, Any]


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

    def end(self, status: str, reason: str, word: str = "") -> NoReturn:
        self.say(status=status, reason=reason, word=word)
        os._exit(0)


def main() -> None:
    """Do one job and end the process; nothing that is left in it runs any more."""
    from ontime.check import check

    line = _Line()
    job = line.ask()
    space = {"__name__": "__main__", "display": lambda *_, **__: None}
    for source in _needed(job):
        run_cell(source, space)
    with suppress(Exception):
        check(job["name"], None)  # has the chapter's checks imported
    asyncio.run(asyncio.sleep(0))  # has everything for a loop imported
    _limit(job["memory"], job["seconds"])
    sys.addaudithook(_guard())
    line.say(ready=True)
    if job["part"] == "judge":
        value: Any = _answer(line, job["words"])
    else:
        value = _value(line, job, space)
    if job["part"] == "answer":
        _serve(line, value)
    try:
        verdict = check(job["name"], value)
        reason = f"{verdict.message} {verdict.hint}"
        status = "passed" if verdict.passed else "not yet"
    except BaseException as error:
        line.end("died", f"it broke its check: {_words(error)}")
    word = ""
    if job["part"] == "together":
        line.say(done=True)
        word = line.ask()["word"]
    line.end(status, reason, word)


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
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_AS, memory),
    ):
        _, top = resource.getrlimit(what)
        most = most if top == resource.RLIM_INFINITY else min(most, top)
        with suppress(OSError, ValueError):
            resource.setrlimit(what, (most, most))


def _guard() -> Callable[[str, tuple[Any, ...]], None]:
    """An audit hook: no processes, no network, no files but Python's own to read.

    It keeps careless code from doing harm, on every system, and a hand-in from telling
    what stands in files beside it, solutions too.  Code that means harm needs a
    container around the grading.
    """
    roots = (*filter(None, sys.path), sys.prefix, sys.base_prefix, os.devnull)
    places = [Path(root).resolve() for root in (*roots, "/usr/share/zoneinfo")]

    def refuse(event: str, words: tuple[Any, ...]) -> None:
        refused = _REFUSED.fullmatch(event) is not None
        if event == "open" and not isinstance(words[0], int):
            path = Path(os.fsdecode(words[0])).resolve()
            ours = any(path.is_relative_to(place) for place in places)
            refused = bool((words[2] or 0) & _WRITES) or not ours
        elif event == "socket.connect":
            refused = sys.platform != "win32"  # there a loop connects to itself
        if refused:
            raise PermissionError(f"an answer may not do this: {event} {words[:1]}")

    return refuse


def _value(line: _Line, job: _Job, space: dict[str, Any]) -> Any:
    """The value of the answer, or the end of the process."""
    before, (answer,), after = job["cells"]

    def others(cells: list[str]) -> None:
        for source in cells:
            with suppress(BaseException):  # an error in one is not the answer's
                run_cell(source, space)

    others(before)
    try:
        run_cell(answer, space)
        others(after)
        return run_cell(job["expression"], space)
    except MemoryError:
        line.end("memory", "it took more memory than it may have")
    except BaseException as error:
        line.end("error", _words(error))


def _serve(line: _Line, value: Any) -> NoReturn:
    """Hand a value over, and call it as often as the judge asks."""
    line.say(value=_packed(value), callable=callable(value))
    while True:
        args, kwargs = unpack(line.ask()["call"])
        try:
            result = value(*args, **kwargs)
        except BaseException as error:
            line.say(raised=type(error).__name__, text=str(error)[:200])
            continue
        line.say(value=_packed(result))
        if inspect.iscoroutine(result):
            result.close()


def _answer(line: _Line, words: dict[str, Any]) -> Any:
    """What stands for the answer in the judge."""

    def call(*args: Any, **kwargs: Any) -> Any:
        packed = pack((args, kwargs))
        if len(packed) > _LONGEST_CALL:
            line.end("not yet", "the check asks it for too much")
        line.say(call=packed)
        reply = line.ask()
        if "raised" in reply:
            raise _exception(str(reply["raised"]), str(reply.get("text", "")))
        return unpack(reply.get("value"))

    return call if words.get("callable") else unpack(words.get("value"))


def _exception(name: str, text: str) -> Exception:
    """An error of the answer, as far as Python itself has such a class."""
    kind = getattr(builtins, name, None)
    if isinstance(kind, type) and issubclass(kind, Exception):
        with suppress(TypeError):
            return kind(text)
    return RuntimeError(text)


# Plain data between the processes, as text: numbers, texts and containers of them. No
# object passes, and so no code.


class NotPlainError(ValueError):
    """A value is more than plain data, or too large."""


class _Opaque:
    """What is known of a value that is no plain data: how it printed."""

    def __init__(self, text: str) -> None:
        self._text = text[:200]

    def __repr__(self) -> str:
        return self._text


def pack(value: object) -> str:
    """*value* as text, from which :func:`unpack` makes it again.

    Raises:
        NotPlainError: it is no plain data, or too large.
    """
    try:
        text = repr(_plain(value))
        ast.literal_eval(text)
    except _UNREADABLE:
        text = "x" * _LONGEST
    if len(text) >= _LONGEST:
        raise NotPlainError(f"a {type(value).__name__} is no plain data")
    return text


def _plain(value: object) -> object:
    """*value*, its containers without the classes of their own that they may have."""
    if isinstance(value, dict):
        return {_plain(key): _plain(item) for key, item in dict.items(value)}
    if isinstance(value, list | range):
        return [_plain(item) for item in value]
    if isinstance(value, tuple):
        return tuple(_plain(item) for item in value)
    if isinstance(value, set | frozenset):
        return {_plain(item) for item in value}
    return value


def _packed(value: Any) -> str | list[str]:
    """*value* for the judge; what a check would have made a list of, as a list."""
    with suppress(Exception):
        return pack(value)
    if not isinstance(value, dict | str) and not callable(value):
        with suppress(Exception):
            return pack([item for item, _ in zip(value, range(1000), strict=False)])
    with suppress(Exception):
        return [repr(value)[:200]]
    return ["a value that cannot be printed"]


def unpack(packed: Any) -> Any:
    """The value that was packed, or what it prints as.

    Raises:
        NotPlainError: nothing of ours has packed it.
    """
    match packed:
        case [str(text)]:
            return _Opaque(text)
        case str(text) if len(text) < _LONGEST:
            with suppress(*_UNREADABLE):
                return ast.literal_eval(text)
    raise NotPlainError("not packed by us")


def _needed(job: _Job) -> list[str]:
    """The cells of the setup that define a name that is used, and what those use."""
    wanted: set[str] = set()
    for source in (*chain(*job["cells"]), job["expression"]):
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            wanted |= names_in(source)[1]
    cells = []
    for source in reversed(job["setup"] if job["part"] != "judge" else ()):
        binds, uses = names_in(source)
        if binds & wanted:
            wanted |= uses
            cells.append(source)
    return cells[::-1]


def _words(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return f"it is no Python: line {error.lineno}: {error.msg}"
    text = line = ""
    with suppress(Exception):
        text = str(error)[:200]
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<cell>":
            line = f"line {trace.tb_lineno}: "
        trace = trace.tb_next
    if isinstance(error, NameError):
        text += "; no cell above the answer defines it"
    elif isinstance(error, EOFError):
        text += "; nobody is there to answer input()"
    return f"{line}it raised {type(error).__name__}: {text}"
