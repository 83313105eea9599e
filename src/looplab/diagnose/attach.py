"""Record a program that runs already, on Python 3.14 and newer.

``sys.remote_exec`` makes the other process run a file at its next bytecode.  A loop
that sleeps runs none, so an idle program attaches when it wakes.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
from pathlib import Path

from .launch import LaunchError
from .options import Options

__all__ = ["attach_here", "is_alive", "script_for", "send"]


def script_for(options: Options) -> str:
    """The source of what the other process runs."""
    root = str(Path(__file__).parents[2])
    return (
        "import sys\n"
        "def looplab_attach():\n"
        "    try:\n"
        f"        sys.path.insert(0, {root!r})\n"
        "        try:\n"
        "            from looplab.diagnose.attach import attach_here\n"
        "        finally:\n"
        f"            sys.path.remove({root!r})\n"
        f"        attach_here({options.to_json()!r})\n"
        "    except Exception as exc:\n"
        "        sys.stderr.write(f'looplab: cannot attach: {exc!r}\\n')\n"
        "looplab_attach()\n"
    )


def send(pid: int, script: Path) -> None:
    """Make the process *pid* run *script*.

    Raises:
        LaunchError: if it cannot be reached, with what to do about it.
    """
    execute = getattr(sys, "remote_exec", None)
    version = sys.version.split()[0]
    if execute is None:
        raise LaunchError(
            f"attaching needs Python 3.14 or newer, and this is {version}: "
            "start the program under `looplab trace` instead"
        )
    try:
        if not is_alive(pid):
            raise ProcessLookupError
        execute(pid, str(script))
    except ProcessLookupError:
        raise LaunchError(f"there is no process {pid}") from None
    except PermissionError:
        raise LaunchError(
            f"no permission to attach to process {pid}: it must be yours, and on Linux "
            "kernel.yama.ptrace_scope may ask for root"
        ) from None
    except (OSError, RuntimeError) as exc:
        raise LaunchError(
            f"cannot attach to process {pid}: {exc}; it must run the same Python as "
            f"this one, {version}"
        ) from None


def is_alive(pid: int) -> bool:
    """Whether there is a process *pid*; on Windows, where one cannot ask so, True."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def attach_here(text: str) -> None:
    """Record the loops of this process that run, and those that will."""
    import asyncio

    from . import hook

    session = hook.install(Options.from_json(text))
    if session is None:
        return
    here = asyncio.events._get_running_loop()
    # The loops of other threads are known to nobody but the collector.
    for loop in gc.get_objects():
        if not isinstance(loop, asyncio.BaseEventLoop) or not loop.is_running():
            continue
        if loop is here or loop._thread_id == threading.get_ident():  # type: ignore[attr-defined]
            session.loop_starts(loop)
        else:
            loop.call_soon_threadsafe(session.loop_starts, loop)
