"""The command ``looplab who``."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import Any

from ..fileformat import NotATraceError, load
from ..latencies import endpoints
from ..ledger import Row
from ..recording import Recording
from ..report import described, report, sentence
from . import stop, uncollected

ABOUT = """\
Say what was waited for in a recording of `looplab trace`.

The first line says who waits most, and for what. The list ranks all that was waited
for: callbacks by their tag (an endpoint, or a name that the program gave with
looplab.tag), task or function, with the line; other threads, cores, the garbage
collector, executors, and what was awaited at a line.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    add = parser.add_argument
    add_file(parser)
    add(
        "--victim",
        default="*",
        metavar="PATTERN",
        help="count only those who waited and whose name matches",
    )
    add("--top", type=int, default=8, metavar="N", help="how many (default: 8)")
    add("--json", action="store_true", help="print all of it as JSON")


def add_file(parser: argparse.ArgumentParser) -> None:
    """A command that reads a recording takes these."""
    parser.add_argument("file", metavar="FILE", help="what `looplab trace` wrote")
    parser.add_argument(
        "--loop", type=int, metavar="N", help="the loop, by its number in the process"
    )


def read_recording(options: argparse.Namespace) -> tuple[Recording, list[Recording]]:
    """Return the recording that the options name, and all in that file.

    Raises:
        SystemExit: with status 2, after one line, if there is none.
    """
    try:
        recordings = load(options.file)
    except OSError as exc:
        stop(f"cannot read {options.file}: {exc.strerror}")
    except NotATraceError as exc:
        stop(exc)
    if options.loop is None:
        return recordings[0], recordings
    for recording in recordings:
        if recording.loop == options.loop:
            return recording, recordings
    numbers = ", ".join(map(str, sorted(recording.loop for recording in recordings)))
    return stop(f"there is no loop {options.loop} in {options.file}, but {numbers}")


def _fields(row: Row) -> dict[str, Any]:
    fields = {name: getattr(row, name) for name in Row.__slots__}
    return fields | {"threads": sorted(row.threads)}


@uncollected()
def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Print who made others late."""
    if options.top < 1:
        parser.error(f"--top is {options.top}: give 1 or more")
    recording, recordings = read_recording(options)
    if options.json:
        ledger = recording.ledger
        rows = ledger.rows_of(options.victim)
        made = {
            "sentence": sentence(recording, options.victim, options.file),
            "rows": [_fields(row) | {"text": described(row)} for row in rows],
            "callbacks": list(map(_fields, ledger.blame(options.victim))),
            "endpoints": list(map(asdict, endpoints(recording.requests()))),
        }
        print(json.dumps(made, indent=1))
        return 0
    print(report(recording, victim=options.victim, top=options.top, file=options.file))
    if len(recordings) > 1 and options.loop is None:
        others = ", ".join(f"{r.loop} ({len(r):,} callbacks)" for r in recordings[1:])
        print(f"\nThis is loop {recording.loop}; --loop shows others: {others}")
    return 0
