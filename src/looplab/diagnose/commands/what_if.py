"""The command ``looplab what-if``."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import Any

from ..changes import Change, chunk, faster, first, move, workers, yields
from ..options import seconds_of
from ..prediction import DisagreementError, predict
from ..replaying import NothingMatchesError
from . import argument, stop
from .who import add_file, read_recording

__all__ = ["ABOUT", "add_arguments", "run"]

ABOUT = """\
Say what a change would bring before you make it.

The recording is replayed on the virtual clock, first unchanged, then with the change.
The answer is a range. Where the unchanged replay disagrees with the recording, because
cores were short for example, there is none for that row. A replay keeps the arrivals: a
client that waits for its answer before it asks again would ask sooner after a fix.
"""
_EPILOG = """\
A pattern is a tag, a function, a task or file.py:12, as `looplab who` shows them; *
and ? stand for anything. Several changes are made together.

examples:
  looplab what-if slow.jsonl --move 'POST /login'
  looplab what-if slow.jsonl --chunk '*export*:10ms' --workers resize:4

exit status: 0; 2 for bad usage; 3 if nothing can be predicted.
"""
_REFUSED = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.epilog = _EPILOG
    add_file(parser)
    for name, metavar, parse, text in (
        ("move", "P[:THREADS]", _move, "its work runs in threads (default: 1)"),
        ("chunk", "P:TIME", _chunk, "it gives way after each piece, such as 10ms"),
        ("faster", "P:TIMES", _faster, "it takes a part of the time"),
        ("first", "P", first, "it goes before all else"),
        ("workers", "P:N", _workers, "at most so many are begun at a time"),
        ("yield", "P", yields, "one by one, with a turn for others between"),
    ):
        how: Any = {"dest": "changes", "action": "append", "metavar": metavar}
        parser.add_argument(f"--{name}", type=argument(parse), help=text, **how)
    parser.add_argument("--json", action="store_true", help="print all of it as JSON")


def _parted(text: str, what: str) -> tuple[str, str]:
    """The pattern and what stands after its last colon."""
    pattern, _, amount = text.rpartition(":")
    if not pattern:
        raise ValueError(f"{text!r} lacks {what}: write PATTERN:{what.upper()}")
    return pattern, amount


def _move(text: str) -> Change:
    pattern, _, amount = text.rpartition(":")
    # The last part of file.py:12 is a line, not a number of threads.
    if pattern and amount.isdecimal() and not pattern.endswith(".py"):
        return move(pattern, int(amount))
    return move(text)


def _chunk(text: str) -> Change:
    pattern, amount = _parted(text, "time")
    return chunk(pattern, seconds_of(amount))


def _faster(text: str) -> Change:
    pattern, amount = _parted(text, "times")
    try:
        return faster(pattern, float(amount))
    except ValueError:
        raise ValueError(f"{amount!r} is not a number above 0") from None


def _workers(text: str) -> Change:
    pattern, amount = _parted(text, "workers")
    if not amount.isdecimal():
        raise ValueError(f"{amount!r} is not a number of workers")
    return workers(pattern, int(amount))


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Print what the changes would bring."""
    if not options.changes:
        parser.error(
            "name a change: --move, --chunk, --faster, --first, --workers, --yield"
        )
    recording, _ = read_recording(options)
    try:
        prediction = predict(recording, *options.changes)
    except NothingMatchesError as exc:
        stop(exc)
    except DisagreementError as exc:
        stop(exc, _REFUSED)
    if options.json:
        figures = [asdict(figure) for figure in prediction.figures]
        print(json.dumps(figures, indent=1))
    else:
        print(prediction)
    return 0
