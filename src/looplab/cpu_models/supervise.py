"""A fresh process for each measurement, and the promise that nothing outlives it.

The measuring process leads a session of its own.  Whatever ends the measurement (a
result, an error, a timeout, an interrupt) ends with killing that whole group.  If this
process itself is killed, it cannot do so; then a watchdog in the group does, which
reads from a pipe whose other end lives here and dies with us.

Standard library only.
"""

from __future__ import annotations

import multiprocessing.process
import multiprocessing.spawn
import os
import pickle
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from looplab import processes

from .measure import Measurement, measure
from .models import Model, ModelUnavailableError

__all__ = ["MeasurementError", "UnpicklableError", "WorkError", "in_fresh_process"]

_SOURCE = str(Path(__file__).resolve().parents[2])
#: Run by the fresh interpreter.
_BOOT = (
    "import sys; sys.path.insert(0, {source!r}); "
    "from looplab.cpu_models.supervise import _child; _child()"
)


class MeasurementError(RuntimeError):
    """The measuring process ended without a result."""


class WorkError(RuntimeError):
    """The function that was to be measured raised; ``__cause__`` is what it raised."""


class UnpicklableError(TypeError):
    """A function or an argument cannot be sent to another process."""


def in_fresh_process(
    model: Model,
    function: Any,
    args: tuple[Any, ...],
    count: int,
    interval: float,
    timeout: float,
) -> Measurement:
    """Measure in a fresh interpreter, and leave no process behind.

    Raises:
        UnpicklableError: if the function or its arguments cannot be sent.
        WorkError: if the function raised.
        ModelUnavailableError: if the model cannot run in that interpreter.
        TimeoutError: if it took longer than *timeout* seconds.
        MeasurementError: if the process died.
    """
    _refuse_import_of_main()
    request = dump(function, (model, function, args, count, interval))
    prepare = multiprocessing.spawn.get_preparation_data("looplab.cpu_models")
    # The method is ours to choose in each measurement.
    prepare.pop("start_method", None)
    # This type refuses to be sent; the child makes one again.
    prepare["authkey"] = bytes(prepare["authkey"])
    if not _main_is_a_file():
        prepare.pop("init_main_from_path", None)
    with tempfile.TemporaryFile() as noise:
        process = subprocess.Popen(
            [sys.executable, "-c", _BOOT.format(source=_SOURCE)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=noise,
            bufsize=0,
            start_new_session=processes.GROUPS,
        )
        try:
            reply = _Reply(process)
            with suppress(BrokenPipeError):
                assert process.stdin is not None
                _send(process.stdin, pickle.dumps(prepare))
                _send(process.stdin, request)
            message = reply.wait(model, timeout)
        finally:
            processes.end(process)
        if message is None:
            raise MeasurementError(_last_words(model, process.returncode, noise))
    return _read(model, function, message)


def dump(function: Any, request: object) -> bytes:
    """The request as bytes, or an error that says what to do.

    Raises:
        UnpicklableError: if that is not possible.
    """
    name = getattr(function, "__qualname__", repr(function))
    inner = getattr(function, "func", function)  # that of a functools.partial
    if getattr(inner, "__module__", None) == "__main__" and not _main_is_a_file():
        raise UnpicklableError(
            f"{name} was defined in a notebook or at a prompt, where another process "
            "cannot import it: write it to a module (in a notebook with %%writefile "
            "jobs.py) and import it from there"
        )
    try:
        return pickle.dumps(request)
    except Exception as error:
        raise UnpicklableError(
            f"{name} or its arguments cannot be sent to another process ({error}): use "
            "a function defined at the top level of a module, and arguments that "
            "pickle can copy"
        ) from error


def _main_is_a_file() -> bool:
    """Whether another process can import what is the main program here."""
    path = getattr(sys.modules.get("__main__"), "__file__", None)
    return path is not None and Path(path).exists()


class _Reply:
    """The message of the measuring process, read in a thread."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._message: bytes | None = None
        self._done = threading.Event()
        threading.Thread(target=self._receive, daemon=True).start()

    def _receive(self) -> None:
        assert self._process.stdout is not None
        with suppress(OSError, ValueError):  # closed at the end
            self._message = _receive(self._process.stdout)
        self._done.set()

    def wait(self, model: Model, timeout: float) -> bytes | None:
        limit = time.monotonic() + timeout
        # In small steps: an interrupt is noticed between two of them.
        while not self._done.wait(0.1):
            if time.monotonic() > limit:
                raise TimeoutError(
                    f"{model.name} was not done after {timeout:g} s: give it a smaller "
                    "job, a lower count, or a longer timeout"
                )
            if _has_ended(self._process):
                # Workers that it has left behind may hold the pipe open.
                self._done.wait(0.5)
                break
        return self._message


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether it has ended, without reaping it: its number must not be given anew."""
    try:
        return os.waitid(os.P_PID, process.pid, _PEEK) is not None
    except (AttributeError, ChildProcessError):
        return process.poll() is not None


_PEEK = (
    getattr(os, "WEXITED", 0) | getattr(os, "WNOHANG", 0) | getattr(os, "WNOWAIT", 0)
)


def _last_words(model: Model, code: int | None, noise: IO[bytes]) -> str:
    """Why a process without a result may have ended."""
    noise.seek(0)
    lines = noise.read().decode(errors="replace").strip().splitlines()
    said = f"; it said: {lines[-1].strip()}" if lines else ""
    how = f"signal {-code}" if code is not None and code < 0 else f"status {code}"
    return f"{model.name}: the measuring process ended with {how}{said}"


def _refuse_import_of_main() -> None:
    """A script that measures whenever it is imported would do so without an end."""
    if getattr(multiprocessing.process.current_process(), "_inheriting", False):
        raise RuntimeError(
            "the script measures while a measuring process imports it: put the call "
            'under if __name__ == "__main__":'
        )


def _read(model: Model, function: Any, message: bytes) -> Measurement:
    kind, value = pickle.loads(message)
    if kind == "result":
        assert isinstance(value, Measurement)
        return value
    name = getattr(function, "__qualname__", repr(function))
    text, dumped = value
    if kind == "unavailable":
        raise ModelUnavailableError(text)
    if kind == "unprepared":
        raise MeasurementError(
            f"the measuring process could not import the work ({text}): what it needs "
            "must be defined in a module, and a script must measure only under "
            'if __name__ == "__main__":'
        )
    cause: BaseException | None = None
    if dumped is not None:
        with suppress(Exception):  # an exception of the reader's own may not load
            cause = pickle.loads(dumped)
    raise WorkError(f"{name} failed in the model {model.name}: {text}") from cause


# ----------------------------------------------------------- the other side


def _child() -> None:
    """The fresh interpreter: read the request, measure, write the result."""
    request, answer = _take_pipes()
    prepare = pickle.loads(_expect(request))
    data = _expect(request)
    _start_watchdog(request)
    message: tuple[str, object]
    try:
        request_of = _load(prepare, data)
    except BaseException as error:
        message = ("unprepared", _describe(error))
    else:
        try:
            message = ("result", measure(*request_of))
        except ModelUnavailableError as error:
            message = ("unavailable", (str(error), None))
        except BaseException as error:
            message = ("error", _describe(error))
    _send(answer, pickle.dumps(message))
    # Threads of a broken pool must not hold the result back.
    os._exit(0)


def _load(prepare: dict[str, Any], data: bytes) -> Any:
    """Import what the parent can import, and unpack the request."""
    current: Any = multiprocessing.process.current_process()
    current._inheriting = True
    try:
        multiprocessing.spawn.prepare(prepare)
        return pickle.loads(data)
    finally:
        del current._inheriting


def _take_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Take the two pipes to the parent, so that no job reads or prints there."""
    request = os.fdopen(os.dup(0), "rb", buffering=0)
    answer = os.fdopen(os.dup(1), "wb", buffering=0)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.close(nowhere)
    os.dup2(2, 1)
    return request, answer


def _start_watchdog(request: IO[bytes]) -> None:
    """Kill this group when the parent is gone.

    A process and not a thread, which a job in C could keep from running.
    """
    if not processes.GROUPS:
        threading.Thread(
            target=lambda: (request.read(1), os._exit(1)), daemon=True
        ).start()
        return
    group = os.getpgrp()
    if os.fork() == 0:
        pipe = request.fileno()
        os.closerange(0, pipe)
        os.closerange(pipe + 1, 256)
        while True:
            try:
                os.read(pipe, 1)
            finally:
                os.killpg(group, signal.SIGKILL)


def _describe(error: BaseException) -> tuple[str, bytes | None]:
    said = str(error)
    dumped = None
    with suppress(Exception):
        dumped = pickle.dumps(error)
    return type(error).__name__ + (f": {said}" if said else ""), dumped


# ---------------------------------------------------------------- the wire

_LENGTH = struct.Struct("!Q")


def _send(pipe: IO[bytes], data: bytes) -> None:
    view = memoryview(_LENGTH.pack(len(data)) + data)
    while view:
        view = view[pipe.write(view) :]


def _receive(pipe: IO[bytes]) -> bytes | None:
    """The next message, or None at the end."""
    head = _exactly(pipe, _LENGTH.size)
    return None if head is None else _exactly(pipe, _LENGTH.unpack(head)[0])


def _expect(pipe: IO[bytes]) -> bytes:
    data = _receive(pipe)
    if data is None:
        os._exit(1)  # nobody is there to hear more
    return data


def _exactly(pipe: IO[bytes], size: int) -> bytes | None:
    parts: list[bytes] = []
    while size:
        part = pipe.read(size)
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
