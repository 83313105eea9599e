"""The clean interpreter: its environment, and the errors that come out of it.

:func:`ontime.measuring.processes.run` runs it, and leaves no process behind.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from ontime.measuring import processes

__all__ = ["SPEC", "CostError", "WorkFailedError", "environ", "run"]

#: The variable that names the file in which the clean interpreter finds its orders.
SPEC = "ON_TIME_COST_SPEC"

# Settings that make every task slower, or the interpreter another one.
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


class CostError(RuntimeError):
    """A measurement ended without a result."""


class WorkFailedError(CostError):
    """The function to be measured raised, or could not be imported.

    Its traceback is in :attr:`traceback`, as text.
    """

    def __init__(self, message: str, traceback: str = "") -> None:
        super().__init__(message)
        self.traceback = traceback


def environ(**added: str) -> dict[str, str]:
    """The variables of a clean interpreter: ours without those that change asyncio."""
    kept = {key: value for key, value in os.environ.items() if key not in _DROPPED}
    return kept | {"PYTHONHASHSEED": "0"} | added


def run(command: Sequence[str], env: dict[str, str], timeout: float) -> tuple[int, str]:
    """Run *command*; its exit status and what it printed.

    Raises:
        TimeoutError: it took longer than *timeout* seconds.
        CostError: it could not be started.
    """
    try:
        return processes.run(command, env, timeout)
    except ChildProcessError as error:
        raise CostError(
            f"the clean interpreter could not be started: {error}"
        ) from None
