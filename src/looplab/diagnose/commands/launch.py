"""Start a program under a recording, wait for it, and end as it ended.

What cannot be started, or recorded, is one line and the end of the command.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..events import FORMAT
from ..options import VARIABLE, Options
from . import stop

_SHIM = Path(__file__).parents[1] / "shim"
_FORWARDED = ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGWINCH")


def command_of(words: Sequence[str], *, module: bool) -> list[str]:
    """Return the command that runs a module, a script or a command of the path."""
    if module:
        return [sys.executable, "-m", *words]
    name, rest = words[0], list(words[1:])
    path = Path(name)
    if path.exists():
        # A command has an interpreter of its own; a plain script has not.
        is_command = path.is_file() and os.access(path, os.X_OK)
        if is_command and path.suffix not in (".py", ".pyw", ".pyz"):
            return [str(path.absolute()), *rest]
        return [sys.executable, name, *rest]
    command = shutil.which(name)
    # One beside this Python is of the same environment, also if that is not active.
    beside = Path(sys.executable).parent / name
    if os.sep not in name and beside.is_file():
        command = str(beside)
    if command is None:
        stop(
            f"there is no script and no command {name!r}: give the path of a script, "
            "-m MODULE, or a command such as uvicorn"
        )
    return [command, *rest]


def check_output(output: Path) -> Path:
    """Return the absolute path of *output*, if a recording can be written there.

    An older recording there is removed, with what belongs to it.
    """
    path = output.absolute()
    for file in (path, path.with_name(path.name + ".1")):
        if file.exists() and _header(file) is None:
            stop(
                f"{file.name} exists and is not a recording: give another name with -o"
            )
        try:
            file.unlink(missing_ok=True)
            file.touch()
            file.unlink()
        except OSError as exc:
            stop(f"cannot write {output}: {exc.strerror}")
    return path


def _header(path: Path) -> dict[str, Any] | None:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            about = json.loads(file.readline(100_000))
    except (OSError, ValueError):
        return None
    is_ours = isinstance(about, dict) and about.get("format") == FORMAT
    return about if is_ours else None


def files_of(options: Options) -> list[Path]:
    """The files that the processes of a run have written, the first process first."""
    path = Path(options.output)
    files = [path, *sorted(path.parent.glob(f"{path.stem}-*{path.suffix}"))]
    return [
        file
        for file in files
        if (about := _header(file)) and about.get("session") == options.session
    ]


def run_recorded(command: Sequence[str], options: Options) -> int:
    """Run *command* under a recording; return how it ended, as ``Popen.wait`` does.

    An interrupt of the terminal goes to the program itself, and what is sent to this
    process is passed on.
    """
    paths = filter(None, (str(_SHIM), os.environ.get("PYTHONPATH")))
    environment = os.environ | {
        VARIABLE: options.to_json(),
        "PYTHONPATH": os.pathsep.join(paths),
    }
    running: list[subprocess.Popen[bytes]] = []
    early: list[int] = []

    def pass_on(number: int, frame: object) -> None:
        if not running:
            early.append(number)
        # The terminal sends it to all processes in its foreground, the program too.
        elif number != signal.SIGINT or not _in_foreground(running[0].pid):
            running[0].send_signal(number)

    before: dict[int, Any] = {}
    for name in (*_FORWARDED, "SIGINT"):
        number = getattr(signal, name, None)
        if number is None or signal.getsignal(number) is signal.SIG_IGN:
            continue  # the program inherits that it is ignored
        before[number] = signal.signal(number, pass_on)
    try:
        try:
            process = subprocess.Popen(command, env=environment)
        except OSError as exc:
            stop(f"cannot start {command[0]}: {exc.strerror}")
        running.append(process)
        for number in early:
            process.send_signal(number)
        return process.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _in_foreground(pid: int) -> bool:
    """Whether the process *pid* gets the interrupts of this terminal by itself."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY)
    except OSError:
        return sys.platform == "win32"  # where a console sends it to all
    try:
        return os.tcgetpgrp(terminal) == os.getpgid(pid)
    except OSError:
        return False
    finally:
        os.close(terminal)


def leave_as(status: int) -> int:
    """Return the exit status of a program that ended with *status*.

    A program that a signal ended is followed by the same signal, so that who waits for
    this process sees what it would have seen.
    """
    if status >= 0 or sys.platform == "win32":
        return status
    number = -status
    sys.stdout.flush()
    sys.stderr.flush()
    with suppress(OSError, ValueError):
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    return 128 + number
