"""Record the service under `looplab trace`, and make the recording fit to be shipped.

``python -m service.record OUT.jsonl.gz`` writes a compressed recording of the service
with the faults ``hash`` and ``storm``, in which no path says where it was made.  A
prediction needs a machine with a core to spare: on a busy one, put ``chrt -f 1`` first.
"""

from __future__ import annotations

import gzip
import re
import sys
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path

from .load import Answer
from .measure import HERE, Service

__all__ = ["FAULTY", "RATES", "record", "shorten"]

FAULTY = ("hash", "storm")
RATES = {"basket": 20, "login": 2, "report": 0.6, "order": 2}  # in a second


def record(
    path: Path,
    faults: Collection[str] = FAULTY,
    rates: Mapping[str, float] = RATES,
    seconds: float = 4.0,
) -> list[Answer]:
    """Record the service under a load into *path*, and return what its client saw."""
    before = ("-m", "looplab", "trace", "-o", str(path))
    with Service(faults, before, quiet=True) as service:
        return service.send(rates, seconds)


def shorten(text: str) -> str:
    """A recording whose paths say what is Python's or a library's, and not where it is.

    ``looplab who`` tells the program's own lines from others by their folders.
    """
    source = str(HERE.parents[2] / "src") + "/"
    text = text.replace(source + "looplab/", "src/looplab/").replace(source, "")
    text = text.replace(f"{HERE.parent}/", "")
    text = re.sub(r'"[^"]*/bin/', '"', text)
    text = re.sub(r'"[^"]*/(site-packages/)', r'"python/\1', text)
    return re.sub(r'"/[^"]*/(lib/python3\.\d+/)', r'"python/\1', text)


def main() -> None:
    """Write a recording that can be shipped."""
    if len(sys.argv) != 2:
        sys.exit("usage: python -m service.record OUT.jsonl.gz")
    with tempfile.TemporaryDirectory(prefix="service-") as folder:
        path = Path(folder) / "trace.jsonl"
        record(path)
        text = shorten(path.read_text(encoding="utf-8"))
    # No time stamp and no name: the same recording gives the same file.
    packed = gzip.compress(text.encode(), mtime=0)
    Path(sys.argv[1]).write_bytes(packed)


if __name__ == "__main__":
    main()
