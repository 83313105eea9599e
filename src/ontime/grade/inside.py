"""The process in which an answer and its check run; :mod:`.grading` starts it.

It reads its *job* from a file, puts up the limits, runs the cells of the student and
the check, and prints what became of them.  Its line has the job's word, which no line
has that the answer prints.

Standard library and the course only, and psutil where the system limits no memory.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Thread
from time import monotonic, process_time, sleep
from typing import Any, NoReturn

from ontime.check import check
from ontime.grade.cells import needed, run_cell

__all__ = ["PATIENCE", "main"]

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
#: Events of Python's audit table: processes, the network, and changes to files.
_REFUSED = re.compile(
    r"os\.(exec|fork|forkpty|kill|killpg|posix_spawn|spawn|startfile|system|chmod|chown"
    r"|link|mkdir|remove|rename|rmdir|symlink|truncate|utime)|shutil\..*|ctypes\.dlopen"
    r"|subprocess\.Popen|socket\.(getaddrinfo|bind|sendto)|signal\.pthread_kill"
    r"|resource\.setrlimit"
)
PATIENCE = 30  # times its CPU time on the clock: on a busy machine turns are few
_STEP = 0.05  # seconds between two looks at what it has taken


def main(folder: str) -> None:
    """Do the job in a folder and end; what is left in the process runs no more."""
    try:
        os.chdir(folder)
        job = json.loads(Path("job").read_bytes())
        # What the answer prints goes nowhere, and what it reads is empty.
        line = os.dup(1)
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nothing, number)

        def end(status: str, reason: str) -> NoReturn:
            words = {"status": status, "reason": reason, "word": job["word"]}
            os.write(line, f"\n{json.dumps(words)}\n".encode())
            os._exit(0)

        space = _prepared(job)
        _limit(job["memory"], job["seconds"], end)
        sys.addaudithook(_guard())
        end(*_judged(job, space))
    finally:
        os._exit(1)


def _prepared(job: dict[str, Any]) -> dict[str, Any]:
    """The names that the lab gives an answer; what it will need is imported."""
    space = {"__name__": "__main__", "display": lambda *_, **__: None}
    used = *job["before"], job["source"], *job["after"], job["expression"]
    for source in needed(job["setup"], used):
        run_cell(source, space)
    with suppress(Exception):
        check(job["name"], None)  # has the chapter's checks imported
    asyncio.run(asyncio.sleep(0))  # has everything for a loop imported
    return space


def _limit(memory: int, seconds: float, end: Callable[[str, str], NoReturn]) -> None:
    """Have the limits kept, from now on: by the system where it can, and by a thread.

    What counts is CPU time; the clock allows for a busy machine.
    """
    spent, began = process_time(), monotonic()
    if sys.platform != "linux":  # which keeps RLIMIT_AS
        import psutil

    def watch() -> None:
        while True:
            sleep(_STEP)
            clock = (monotonic() - began) / PATIENCE
            if max(process_time() - spent, clock) > seconds:
                end("time", f"it was not done after {seconds:g} s")
            if sys.platform != "linux" and psutil.Process().memory_info().rss > memory:
                end("memory", "it took more memory than it may have")

    Thread(target=watch, daemon=True).start()
    if sys.platform == "win32":
        return
    import resource

    for what, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, int(spent + seconds) + 2),  # where no thread can run
        (resource.RLIMIT_FSIZE, 2**20),  # a disk cannot be filled
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


def _judged(job: dict[str, Any], space: dict[str, Any]) -> tuple[str, str]:
    """What becomes of the answer: a status and a reason."""
    try:
        _run_others(job["before"], space)
        run_cell(job["source"], space)
        _run_others(job["after"], space)
        value = run_cell(job["expression"], space)
    except MemoryError:
        return "memory", "it took more memory than it may have"
    except BaseException as error:
        return "error", _words(error)
    try:
        verdict = check(job["name"], value)
    except BaseException as error:
        return "died", f"it broke its check: {_words(error)}"
    status = "passed" if verdict.passed else "not yet"
    return status, f"{verdict.message} {verdict.hint}".strip()


def _run_others(cells: list[str], space: dict[str, Any]) -> None:
    for source in cells:
        with suppress(BaseException):  # an error in one is not the answer's
            run_cell(source, space)


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
