"""Run a command in a process of its own, and end it with all that it started.

Between this process and the command stands a :mod:`.supervisor`.  It leads a group of
processes and holds one end of a connection.  When the other end here is closed, on
purpose or because this process died, it ends the command and its descendants.  From
here the whole group is killed too, which finds those whose parents have died.

Windows has no groups of processes: there a process whose parent has died may stay.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

__all__ = ["last_line", "run"]

_SOURCE = str(Path(__file__).resolve().parents[2])
#: Run by the supervisor, which takes nothing from the environment but its path.
_BOOT = (
    "import sys; sys.path[:] = {path!r}; "
    "from ontime.measuring.supervisor import main; main({handle})"
)
#: Seconds between two looks: an interrupt is noticed then.
_STEP = 0.1


def run(
    command: Sequence[str], env: Mapping[str, str], timeout: float
) -> tuple[int, str]:
    """Run *command*; its exit status and what it printed.

    Whatever ends this call, the command and its descendants have ended then, and so has
    what is left in their group.

    Args:
        command: the program and its arguments.
        env: its environment.
        timeout: seconds that it may take.

    Raises:
        TimeoutError: it took longer than *timeout* seconds.
        ChildProcessError: it could not be started; the message says why.
    """
    with tempfile.TemporaryFile() as noise, _Supervised(env, noise) as supervised:
        answer = supervised.ask([*command], timeout)
        noise.seek(0)
        said = noise.read().decode(errors="replace")
    if isinstance(answer, int):
        return answer, said
    raise ChildProcessError(answer or last_line(said))


def last_line(said: str) -> str:
    """The last line of what a process has printed."""
    lines = said.strip().splitlines()
    return lines[-1].strip() if lines else "it said nothing"


class _Supervised:
    """A supervisor and the connection to it; leaving the block ends all there is."""

    def __init__(self, env: Mapping[str, str], noise: IO[bytes]) -> None:
        # Here: a page can neither start a process nor import this.
        from multiprocessing.connection import Pipe

        self._connection, theirs = Pipe()
        handle = theirs.fileno()
        boot = _BOOT.format(path=[_SOURCE, *sys.path], handle=handle)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", boot],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=noise,
                env=dict(env),
                **_inherited(handle),
            )
        except BaseException:
            self._connection.close()  # if it has been started, it ends by this
            raise
        finally:
            theirs.close()

    def __enter__(self) -> _Supervised:
        return self

    def ask(self, command: list[str], timeout: float) -> int | str:
        """Its exit status, or why it could not be started.

        Raises:
            TimeoutError: it took longer than *timeout* seconds.
        """
        limit = time.monotonic() + timeout
        try:
            self._connection.send(command)
            while not self._connection.poll(_STEP):
                if time.monotonic() > limit:
                    raise TimeoutError(f"not done after {timeout:g} s")
            answer: int | str = self._connection.recv()
        except (EOFError, BrokenPipeError, ConnectionResetError):
            return ""
        return answer

    def __exit__(self, *_: object) -> None:
        """An interrupt waits until everything has ended."""
        interrupted: BaseException | None = None
        while True:
            try:
                self._end()
                break
            except KeyboardInterrupt as error:  # one more: finish, then pass it on
                interrupted = error
        if interrupted is not None:
            raise interrupted

    def _end(self) -> None:
        from ontime.measuring.supervisor import GROUPS, end_descendants

        if self._process.returncode is None:
            # It is not reaped yet, so its number is still its own.
            end_descendants(self._process.pid)
            if GROUPS:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, signal.SIGKILL)
            self._process.kill()
            self._process.wait()
        self._connection.close()


def _inherited(handle: int) -> dict[str, Any]:
    """How a process inherits a handle and leads a group."""
    if os.name == "nt":
        vars(os)["set_handle_inheritable"](handle, True)
        info = vars(subprocess)["STARTUPINFO"]
        return {"startupinfo": info(lpAttributeList={"handle_list": [handle]})}
    return {"pass_fds": [handle], "process_group": 0}
