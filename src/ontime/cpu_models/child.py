"""What runs in the fresh interpreter: read the request, measure, write the reply."""

from __future__ import annotations

import multiprocessing.process
import multiprocessing.spawn
import os
import pickle
from contextlib import suppress
from pathlib import Path
from typing import Any

from .measure import measure
from .models import ModelUnavailableError

__all__ = ["main"]


def main(name: str) -> None:
    """Do what the request in the folder *name* says."""
    folder = Path(name)
    message: tuple[str, object]
    try:
        request = _request((folder / "request").read_bytes())
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


def _request(packed: bytes) -> Any:
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
    said = str(error)
    dumped = None
    with suppress(Exception):
        dumped = pickle.dumps(error)
    return type(error).__name__ + (f": {said}" if said else ""), dumped
