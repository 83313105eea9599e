"""Functions and arguments as bytes, for a process that measures.

``cloudpickle`` sends a function of a module by its name, and one of a notebook, of a
script or inside another function as a copy, together with what it uses.
"""

from __future__ import annotations

import pickle
from typing import Any

__all__ = ["UnsendableError", "pack", "unpack"]


class UnsendableError(TypeError):
    """Something cannot be sent to another process; the message says why."""


def pack(value: object, what: str) -> bytes:
    """*value* as bytes.

    Args:
        value: what is to be sent.
        what: its name, for the error.

    Raises:
        UnsendableError: it, or something that it uses, cannot be copied.
    """
    # Here: a page sends nothing and has no such package.
    import cloudpickle

    try:
        packed: bytes = cloudpickle.dumps(value)
    except Exception as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UnsendableError(
            f"{what} cannot be sent to another process ({reason}): use values that "
            "pickle can copy, and make locks, files and connections inside the function"
        ) from error
    return packed


def unpack(packed: bytes) -> Any:
    """What :func:`pack` was given.

    Raises:
        Exception: whatever the import of something that it uses raises.
    """
    return pickle.loads(packed)
