"""The jobs that chapter 2 gives to every model.

They are plain functions of a module, so that another process can import them.  Two of
them let go of the interpreter's lock (the GIL) while they compute, one does not.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import threading
import time
import zlib
from collections.abc import Callable
from typing import TypeVar

__all__ = ["compress", "digest", "product"]

T = TypeVar("T")


def product(limit: int) -> int:
    """Multiply the integers 1 to *limit* - 1.

    It is the CPU work of the experiments C3 to C6.  Each multiplication is a short call
    into C, and the GIL is held during all of them.

    Args:
        limit: a whole number.  The time grows with about its square.

    Returns:
        The factorial of *limit* - 1; 1 if *limit* is below 3.

    Introduced in the chapter *Move CPU work off the loop*.
    """
    result = 1
    for factor in range(2, limit):
        result *= factor
    return result


def digest(size: int) -> str:
    """Hash *size* zero bytes with SHA-256, and return the digest in hexadecimal.

    ``hashlib`` releases the GIL while it hashes, from 2 KiB on.

    Introduced in the chapter *Move CPU work off the loop*.
    """
    return hashlib.sha256(bytes(size)).hexdigest()


def compress(size: int) -> int:
    """Compress *size* bytes with ``zlib`` and return the length of the result.

    The bytes are neither random nor all equal.  ``zlib`` releases the GIL while it
    compresses.

    Introduced in the chapter *Move CPU work off the loop*.
    """
    pattern = bytes(number * number % 251 for number in range(997))
    data = (pattern * (size // len(pattern) + 1))[:size]
    return len(zlib.compress(data, 9))


def hello(wait: float) -> tuple[int, int]:
    """Wait a little and say which worker answers: its process and its thread."""
    time.sleep(wait)
    return os.getpid(), threading.get_ident()


def with_an_error_that_travels(job: Callable[[], T]) -> T:
    """Run *job* in a worker process; what it raises can be sent home.

    An exception that pickle cannot make again would break the pool, or hang it.
    """
    try:
        return job()
    except Exception as error:
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            raise RuntimeError(f"{type(error).__name__}: {error}") from None
        raise
