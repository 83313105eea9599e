"""A measurement in a fresh process, of which nothing is left when it is over.

:func:`ontime.measuring.processes.run` keeps that promise; :func:`main` is what runs
there.  The request and the reply are files in a folder of their own.

The work itself goes by its name, in the way of ``multiprocessing``: a pool in the fresh
process has to send it once more, and cannot send a copy.
"""

from __future__ import annotations

import multiprocessing.process
import multiprocessing.spawn
import os
import pickle
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from ontime.measuring import processes
from ontime.measuring.sending import UnsendableError

from .measure import Measurement, measure
from .models import Model, ModelUnavailableError

__all__ = [
    "SOURCE",
    "MeasurementError",
    "UnpicklableError",
    "WorkError",
    "dump",
    "in_fresh_process",
    "main",
]

#: The folder from which a fresh interpreter imports this package.
SOURCE = str(Path(__file__).resolve().parents[2])
#: Run by the fresh interpreter.
_BOOT = (
    f"import sys; sys.path.insert(0, {SOURCE!r}); "
    "from ontime.cpu_models.fresh import main; main(sys.argv[1])"
)


class MeasurementError(RuntimeError):
    """The measuring process ended without a result."""


class WorkError(RuntimeError):
    """The function that was to be measured raised; ``__cause__`` is what it raised."""


class UnpicklableError(UnsendableError):
    """A function or an argument cannot be sent to another process by pickle."""


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
    with tempfile.TemporaryDirectory(prefix="ontime-") as name:
        folder = Path(name)
        (folder / "request").write_bytes(pickle.dumps((_preparation(), request)))
        try:
            status, printed = processes.run(
                [sys.executable, "-c", _BOOT, name], os.environ, timeout
            )
        except TimeoutError:
            raise TimeoutError(
                f"{model.name} was not done after {timeout:g} s: give it a smaller "
                "job, a lower count, or a longer timeout"
            ) from None
        except ChildProcessError as error:
            raise MeasurementError(
                f"{model.name}: the measuring process could not be started: {error}"
            ) from None
        reply = folder / "reply"
        if not reply.exists():
            raise MeasurementError(_last_words(model, status, printed))
        return _read(model, function, pickle.loads(reply.read_bytes()))


def _preparation() -> dict[str, Any]:
    """What ``multiprocessing`` tells a process that it spawns."""
    prepare: dict[str, Any] = multiprocessing.spawn.get_preparation_data("measuring")
    # The method is ours to choose in each measurement.
    prepare.pop("start_method", None)
    # This type refuses to be sent; the child makes one again.
    prepare["authkey"] = bytes(prepare["authkey"])
    if not _main_is_a_file():
        prepare.pop("init_main_from_path", None)
    return prepare


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


def _refuse_import_of_main() -> None:
    """A script that measures whenever it is imported would do so without an end."""
    if getattr(multiprocessing.process.current_process(), "_inheriting", False):
        raise RuntimeError(
            "the script measures while a measuring process imports it: put the call "
            'under if __name__ == "__main__":'
        )


def _last_words(model: Model, status: int, printed: str) -> str:
    """Why a process without a result may have ended."""
    last = f"; it said: {processes.last_line(printed)}" if printed.strip() else ""
    how = f"signal {-status}" if status < 0 else f"status {status}"
    return f"{model.name}: the measuring process ended with {how}{last}"


def _read(model: Model, function: Any, message: tuple[str, Any]) -> Measurement:
    kind, value = message
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


# -- what runs in the fresh interpreter ------------------------------------------------


def main(name: str) -> None:
    """Do what the request in the folder *name* says."""
    folder = Path(name)
    message: tuple[str, object]
    try:
        request = _unpacked((folder / "request").read_bytes())
    except BaseException as error:
        message = ("unprepared", _describe(error))
    else:
        try:
            message = ("result", measure(*request))
        except ModelUnavailableError as error:
            message = ("unavailable", (str(error), None))
        except BaseException as error:
            message = ("error", _describe(error))
    written = folder / "reply.part"
    written.write_bytes(pickle.dumps(message))
    written.replace(folder / "reply")  # a reply is whole or not there
    # Threads of a broken pool must not hold the result back.
    os._exit(0)


def _unpacked(packed: bytes) -> Any:
    """Import what the other side can import, and unpack the request."""
    prepare, request = pickle.loads(packed)
    current: Any = multiprocessing.process.current_process()
    current._inheriting = True
    try:
        multiprocessing.spawn.prepare(prepare)
        return pickle.loads(request)
    finally:
        del current._inheriting


def _describe(error: BaseException) -> tuple[str, bytes | None]:
    text = str(error)
    dumped = None
    with suppress(Exception):
        dumped = pickle.dumps(error)
    return type(error).__name__ + (f": {text}" if text else ""), dumped
