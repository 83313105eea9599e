"""What ``looplab trace`` was asked for, as the traced processes are told it."""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, dataclass, field

#: The environment variable that carries the options to every child process.
VARIABLE = "LOOPLAB_TRACE"

_UNITS = {"us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "": 1.0}
_SIZES = {"k": 1e3, "m": 1e6, "g": 1e9, "": 1.0}


@dataclass(frozen=True, slots=True)
class Options:
    """How to record.

    Attributes:
        output: path of the file of the first process; others add their number.
        session: tells the files of one run from those of another.
        seconds: stop recording after so many; None for never.
        sample: seconds between two looks at where the loop's thread is; 0 for never.
        max_bytes: how much disk the files of one process may take.
        every: write no file, and say so often, in seconds, how late the loops are.
    """

    output: str
    session: str = field(default_factory=lambda: os.urandom(8).hex())
    seconds: float | None = None
    sample: float = 0.005
    max_bytes: int = 1_000_000_000
    every: float | None = None

    def to_json(self) -> str:
        """Return the options as the text of an environment variable."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Options:
        """Return the options that :meth:`to_json` wrote."""
        return cls(**json.loads(text))


def seconds_of(text: str) -> float:
    """Return a time such as ``200ms``, ``30s``, ``5m`` or ``0.2`` in seconds.

    Raises:
        ValueError: if *text* is not such a time, or not above 0.
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(us|µs|ms|s|m|h|)\s*", text)
    if not match or not float(match[1]) > 0:
        raise ValueError(
            f"{text!r} is not a time above 0: give one such as 200ms or 30s"
        )
    return float(match[1]) * _UNITS[match[2]]


def bytes_of(text: str) -> int:
    """Return a size such as ``500MB`` or ``2G`` in bytes.

    Raises:
        ValueError: if *text* is not such a size, or below 100 kB.
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([kmg]?)i?b?\s*", text.lower())
    size = float(match[1]) * _SIZES[match[2]] if match else 0.0
    if size < 100_000:
        raise ValueError(
            f"{text!r} is not a size of at least 100kB: give one such as 500MB"
        )
    return int(size)
