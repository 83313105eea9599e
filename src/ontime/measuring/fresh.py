"""Call a function in a fresh interpreter, of which nothing is left when it is over.

Request and reply are files in a folder of their own, so that nothing the work prints
can be taken for a result.
"""

from __future__ import annotations

import importlib
import os
import pickle
import sys
import tempfile
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from . import processes

__all__ = [
    "MeasurementError", "UnpicklableError", "WorkFailedError", "call", "environ",
    "pack",
]  # fmt: skip

#: Set in every fresh interpreter: whoever measures there would do so without an end.
_MARK = "ON_TIME_FRESH"
_SOURCE = str(Path(__file__).resolve().parents[2])
_BOOT = (
    f"import sys; sys.path.insert(0, {_SOURCE!r}); "
    "from ontime.measuring.fresh import main; main(sys.argv[1])"
)
#: Settings that make every task slower, or the interpreter another one.
_DROPPED = (
    "PYTHONASYNCIODEBUG",
    "PYTHONBREAKPOINT",
    "PYTHONDEVMODE",
    "PYTHONFAULTHANDLER",
    "PYTHONINSPECT",
    "PYTHONPROFILEIMPORTTIME",
    "PYTHONSTARTUP",
    "PYTHONTRACEMALLOC",
    "PYTHONWARNINGS",
)


class MeasurementError(RuntimeError):
    """A fresh interpreter ended without a result."""


class WorkFailedError(MeasurementError):
    """The function to be measured raised, or could not be imported.

    Its traceback is in :attr:`traceback`, as text; ``__cause__`` is what it raised, if
    that can be copied.
    """

    def __init__(self, message: str, traceback: str = "") -> None:
        super().__init__(message)
        self.traceback = traceback


class UnpicklableError(TypeError):
    """Something cannot be sent to another process; the message says why."""


def pack(value: object, what: str) -> bytes:
    """*value* as bytes; what is of no module that can be imported goes as a copy.

    Raises:
        UnpicklableError: it, or something that it uses, cannot be copied.
    """
    import cloudpickle  # only where something is sent, which no page does

    try:
        packed: bytes = cloudpickle.dumps(value)
    except Exception as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UnpicklableError(
            f"{what} cannot be sent to another process ({reason}): use values that "
            "pickle can copy, and make locks, files and connections inside the function"
        ) from error
    return packed


def environ() -> dict[str, str]:
    """The variables of a clean interpreter: ours without those that change asyncio."""
    kept = {key: value for key, value in os.environ.items() if key not in _DROPPED}
    return kept | {"PYTHONHASHSEED": "0", _MARK: "1"}


def call(
    target: str,
    request: object,
    *,
    name: str,
    timeout: float,
    before: Sequence[str] = (),
) -> tuple[Any, str]:
    """Call *target* with *request* in a fresh interpreter.

    Args:
        target: the function, as ``"module:name"``.
        request: its argument, of types that pickle sends without any import of the
            user's.
        name: what is measured, for messages.
        timeout: seconds that it may take, its start included.
        before: the words of a tool that runs the interpreter.

    Returns:
        What it returned, and what was printed meanwhile.

    Raises:
        WorkFailedError: it raised.
        TimeoutError: it took longer than *timeout* seconds.
        MeasurementError: it ended without a result.
        RuntimeError: this is such an interpreter.
    """
    if os.environ.get(_MARK):
        raise RuntimeError(
            "the script measures while it is being imported for a measurement: put the "
            'call under if __name__ == "__main__":'
        )
    with tempfile.TemporaryDirectory(prefix="ontime-") as folder:
        # An empty entry is the current directory, which is the same there.
        sent = ([str(entry) for entry in sys.path], target, request)
        Path(folder, "request").write_bytes(pickle.dumps(sent))
        command = [*before, sys.executable, "-c", _BOOT, folder]
        try:
            done = processes.run(command, environ(), timeout)
        except TimeoutError:
            raise TimeoutError(
                f"{name} was not done after {timeout:g} s: give it less to do, or a "
                "longer timeout"
            ) from None
        except ChildProcessError as error:
            raise MeasurementError(
                f"{name}: the fresh interpreter could not be started: {error}"
            ) from None
        printed, reply = done.stdout + done.stderr, Path(folder, "reply")
        if not reply.exists():
            last = printed.strip() and f"; it said: {processes.last_line(printed)}"
            status = done.returncode
            how = f"signal {-status}" if status < 0 else f"status {status}"
            raise MeasurementError(
                f"{name}: the fresh interpreter ended with {how}{last}"
            )
        result, failure = pickle.loads(reply.read_bytes())
    if failure is not None:
        line, lines, dumped = failure
        failed = WorkFailedError(f"{name} raised {line}", lines)
        failed.add_note(f"In the fresh interpreter:\n{lines}")
        cause = None
        with suppress(Exception):  # an exception of the reader's own may not load
            cause = pickle.loads(dumped)
        raise failed from cause
    return result, printed


def main(folder: str) -> None:
    """Do what the request in *folder* says: this runs in the fresh interpreter."""
    path, target, request = pickle.loads(Path(folder, "request").read_bytes())
    sys.path[:] = path
    try:
        module, _, name = target.partition(":")
        result = getattr(importlib.import_module(module), name)(request)
        reply = pickle.dumps((result, None))
    except BaseException as error:
        text = str(error).splitlines()
        line = type(error).__name__ + (f": {text[0]}" if text else "")
        dumped = b""
        with suppress(Exception):
            dumped = pickle.dumps(error)
        failure = (line, "".join(traceback.format_exception(error)), dumped)
        reply = pickle.dumps((None, failure))
    part = Path(folder, "reply.part")
    part.write_bytes(reply)
    part.replace(Path(folder, "reply"))  # a reply is whole or not there
    # What the work has left behind must not hold the result back, nor be counted.
    os._exit(0)
