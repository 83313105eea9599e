"""The command ``looplab what-if``."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from ..changes import Change, chunk, faster, move, workers, yields
from ..options import seconds_of
from ..prediction import DisagreementError, predict
from ..replaying import NothingMatchesError
from . import argument, stop, uncollected
from .who import add_file, read_recording

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
        ("chunk", "P:TIME", _with(chunk, seconds_of), "it gives way after each piece"),
        ("faster", "P:TIMES", _with(faster, _number), "it takes a part of the time"),
        ("workers", "P:N", _with(workers, _whole), "so many are begun at a time"),
        ("yield", "P", yields, "one by one, with a turn for others between"),
    ):
        how: Any = {"dest": "changes", "action": "append", "metavar": metavar}
        parser.add_argument(f"--{name}", type=argument(parse), help=text, **how)
    parser.add_argument("--json", action="store_true", help="print all of it as JSON")


def _with(
    make: Callable[[str, Any], Change], read: Callable[[str], float]
) -> Callable[[str], Change]:
    """What *make* makes of a pattern and of what stands after its last colon."""

    def parse(text: str) -> Change:
        pattern, _, amount = text.rpartition(":")
        if not pattern:
            raise ValueError(f"{text!r} has no amount: write PATTERN:AMOUNT")
        return make(pattern, read(amount))

    return parse


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a number above 0") from None


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise ValueError(f"{text!r} is not a whole number above 0")
    return int(text)


def _move(text: str) -> Change:
    pattern, _, amount = text.rpartition(":")
    # The last part of file.py:12 is a line, not a number of threads.
    if pattern and amount.isdecimal() and not pattern.endswith(".py"):
        return move(pattern, int(amount))
    return move(text)


@uncollected()
def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Print what the changes would bring."""
    if not options.changes:
        parser.error("name a change: --move, --chunk, --faster, --workers or --yield")
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
