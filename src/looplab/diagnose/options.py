"""What ``looplab trace`` was asked for, as the traced processes are told it."""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, dataclass, field

#: The environment variable that carries the options to every child process.
VARIABLE = "LOOPLAB_TRACE"

_TIMES = {"us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "": 1.0}
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
    if time := _amount(text, _TIMES):
        return time
    raise ValueError(f"{text!r} is not a time above 0: give one such as 200ms or 30s")


def bytes_of(text: str) -> int:
    """Return a size such as ``500MB`` or ``2G`` in bytes.

    Raises:
        ValueError: if *text* is not such a size, or below 100 kB.
    """
    size = _amount(text.lower().strip().removesuffix("b").removesuffix("i"), _SIZES)
    if size >= 100_000:
        return int(size)
    raise ValueError(
        f"{text!r} is not a size of at least 100kB: give one such as 500MB"
    )


def _amount(text: str, units: dict[str, float]) -> float:
    """A number with its unit; 0 if *text* is none."""
    match = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*(\D*?)\s*", text)
    return float(match[1]) * units.get(match[2], 0) if match else 0
