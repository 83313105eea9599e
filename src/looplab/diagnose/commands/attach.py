"""The command ``looplab attach``: record a program that is already running.

``sys.remote_exec`` makes the other process run a file at its next bytecode.  A loop
that sleeps runs none, so an idle program attaches when it wakes.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from ..options import Options
from . import stop
from .launch import check_output, files_of
from .trace import add_output, has_end

ABOUT = """\
Record a program that runs already, for a while. Both need the same Python, 3.14 or
newer.

A loop that sleeps is attached when it wakes. Endpoints are told apart where a framework
asks for its handler anew each time, as aiohttp and tornado do and uvicorn does not.
"""
_LOOK = 0.1  # seconds between two looks at the file
_SCRIPT = """\
import sys
def looplab_attach():
    try:
        sys.path.insert(0, {root!r})
        try:
            from looplab.diagnose.hook import attach_here
        finally:
            sys.path.remove({root!r})
        attach_here({options!r})
    except Exception as exc:
        sys.stderr.write(f'looplab: cannot attach: {{exc!r}}\\n')
looplab_attach()
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("pid", type=int, metavar="PID", help="the process")
    add_output(parser, "how long (default: 30s)", 30.0)


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Attach, wait, and say where the recording is."""
    asked = Options(str(check_output(options.output)), seconds=options.seconds)
    root = str(Path(__file__).parents[3])
    with tempfile.TemporaryDirectory(prefix="looplab-") as folder:
        Path(folder).chmod(0o755)  # it may be another user's process
        script = Path(folder, "attach.py")
        text = _SCRIPT.format(root=root, options=asked.to_json())
        script.write_text(text, encoding="utf-8")
        script.chmod(0o644)
        send(options.pid, script)
        ended = _wait(options.pid, asked)
    if not files_of(asked):
        stop("no asyncio loop seen, nothing recorded: it did not wake, or has none", 1)
    how = "" if ended else " (the program ended first)"
    print(
        f"looplab: recorded{how}; next: looplab who {options.output}", file=sys.stderr
    )
    return 0


def _wait(pid: int, asked: Options) -> bool:
    """Wait until the recording has its end; False if the process ended first."""
    path = Path(asked.output)
    # An idle loop begins late: it has as much time again to begin.
    patience = time.monotonic() + 2 * (asked.seconds or 0) + 5
    while time.monotonic() < patience:
        with suppress(FileNotFoundError):  # it is not there yet, or moves aside
            if has_end(path):
                return True
        try:
            _require(pid)
        except ProcessLookupError:
            return False
        time.sleep(_LOOK)
    return path.exists()


def send(pid: int, script: Path) -> None:
    """Make the process *pid* run *script*; say what to do if it cannot be reached."""
    execute = getattr(sys, "remote_exec", None)
    version = sys.version.split()[0]
    if execute is None:
        stop(
            f"attaching needs Python 3.14 or newer, and this is {version}: "
            "start the program under `looplab trace` instead"
        )
    try:
        _require(pid)
        execute(pid, str(script))
    except ProcessLookupError:
        stop(f"there is no process {pid}")
    except PermissionError:
        stop(
            f"no permission to attach to process {pid}: it must be yours, and on Linux "
            "kernel.yama.ptrace_scope may ask for root"
        )
    except (OSError, RuntimeError) as exc:
        stop(
            f"cannot attach to process {pid}: {exc}; it must run the same Python as "
            f"this one, {version}"
        )


def _require(pid: int) -> None:
    """Raise ProcessLookupError if there is no process *pid*; Windows cannot tell."""
    if sys.platform != "win32":
        with suppress(PermissionError):
            os.kill(pid, 0)
