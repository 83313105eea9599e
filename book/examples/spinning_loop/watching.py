"""Look at a program from outside: what ``strace``, a dump and ``gdb`` print, read.

Each of these tools needs a right or a package that a machine may lack; then a
:class:`SkippedError` says what is missing.
"""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from spinning_loop.environments import quiet_environ
from spinning_loop.programs import CaptureError, SkippedError, find, run, started

APT = "on Debian and Ubuntu: apt install {}"
PTRACE = (
    "tracing another process is not allowed here: run as root, give the container "
    "CAP_SYS_PTRACE, or set kernel.yama.ptrace_scope to 0"
)


@contextlib.contextmanager
def tracing(command: list[str]) -> Iterator[None]:
    """A tracer that has attached to a program of ours; it ends with that program."""
    try:
        with started(command, ready="attached") as tracer:
            yield
            tracer.wait(30)
    except CaptureError as error:
        if re.search("not permitted|EPERM|denied", str(error), re.IGNORECASE):
            raise SkippedError(PTRACE) from None
        raise


def strace_rows(text: str) -> dict[str, dict[str, float]]:
    """Share, seconds and calls of each call in the table that ``strace -c`` prints.

    Raises:
        CaptureError: There is no such table in the text.
    """
    calls = {}
    for line in text.splitlines():
        parts = line.split()
        if (
            len(parts) >= 5
            and re.fullmatch(r"[\d.]+", parts[0])
            and parts[-1] != "total"
        ):
            calls[parts[-1]] = {
                "percent": float(parts[0]),
                "seconds": float(parts[1]),
                "calls": int(parts[3]),
            }
    if not calls:
        raise CaptureError("strace printed no table of calls")
    return calls


def innermost(text: str) -> list[str]:
    """The innermost function of each thread of a dump, the newest thread first."""
    names = []
    for part in re.split(r"^(?:Current )?[Tt]hread 0x", text, flags=re.MULTILINE)[1:]:
        first = part.splitlines()[1].strip() if len(part.splitlines()) > 1 else ""
        match = re.search(r" in (.+)$", first)
        names.append(match.group(1) if match else "no Python frame")
    return names


def gdb_script() -> Path:
    """The file that teaches gdb about Python's frames, for this interpreter.

    Raises:
        SkippedError: It is not there.
    """
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    real = Path(sys.executable).resolve()
    places = [
        Path(sys.base_prefix) / "bin" / f"{name}-gdb.py",
        real.with_name(f"{real.name}-gdb.py"),
        Path("/usr/share/gdb/auto-load/usr/bin") / f"{name}-gdb.py",
        Path(f"/usr/share/gdb/auto-load{real}-gdb.py"),
    ]
    for place in places:
        if place.is_file():
            return place
    raise SkippedError(
        f"gdb's script for this interpreter ({name}-gdb.py) was not found: it comes "
        f"with a Python built from source, or with Debian's {name}-dbg"
    )


def gdb_command(*parts: str, core: tuple[Path, Path] | None = None) -> list[str]:
    """``gdb`` that runs some commands and ends."""
    gdb = find("gdb", APT.format("gdb"))
    command = [gdb, "-q", "-batch", "-nx", "-iex", "set auto-load no"]
    command += ["-iex", "set debuginfod enabled off", "-iex", "set pagination off"]
    command += ["-iex", "set width 0"]
    for part in parts:
        command += ["-ex", part]
    if core is not None:
        command += [str(core[0]), str(core[1])]
    return command


def gdb_run(command: list[str]) -> str:
    done = run(command, quiet_environ())
    words = done.stdout + done.stderr
    if re.search(r"ptrace: (Operation not permitted|Permission denied)", words):
        raise SkippedError(PTRACE)
    if 'Undefined command: "py-bt"' in words or "Python scripting is not" in words:
        raise SkippedError("this gdb was built without Python: install the full gdb")
    return done.stdout


def _parts(text: str) -> list[str]:
    """What gdb printed of each thread."""
    parts = re.split(r"^(?=Thread \d+ \()", text, flags=re.MULTILINE)
    return [part for part in parts if part.startswith("Thread ")]


def part_of(text: str, thread: int) -> str:
    """What gdb printed of one thread, by the number that the system gave it."""
    number = re.compile(rf"Thread \d+ \(.*LWP {thread}\b")
    return next(filter(number.match, _parts(text)), "")


def waiting(text: str) -> dict[str, bool]:
    """Whether each thread waits for the lock, by gdb's number, says ``py-bt``."""
    return {part.split()[1]: "Waiting for the GIL" in part for part in _parts(text)}


def called_by(part: str) -> list[str]:
    """The C functions of one thread, innermost first, in what ``bt`` printed of it."""
    return re.findall(r"^#\d+ +(?:0x[0-9a-f]+ in )?([\w.@]+)", part, re.MULTILINE)
