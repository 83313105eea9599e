"""Measure one way of waiting in a terminal: ``python -m ontime.crossthread poll``.

Prints ``ready`` and the number of the process first, so that a tool can be attached.
Exit status: 0 measured; 1 a package is missing or a loop does not answer; 2 wrong
usage; 130 interrupted.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence

from looplab._numbers import count_of

from .causes import stays
from .conditions import on_cores
from .inboxes import WAYS
from .measure import measure_hops, measure_idle, measure_messages
from .session import sessions

__all__ = ["main"]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m ontime.crossthread",
        description="Event loops in threads, and a caller that hops from one to the "
        "next: how long a hop takes, how long a message, and what idle loops cost.",
        epilog="Exit status: 0 measured, 1 cannot run here, 2 wrong usage.",
    )
    parser.add_argument(
        "way", choices=WAYS, help="how the task of each loop waits for messages"
    )
    parser.add_argument(
        "--sessions", type=int, default=2, metavar="N", help="how many loops (2)"
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=1.0,
        metavar="S",
        help="seconds for each of the three measurements (1.0)",
    )
    parser.add_argument(
        "--cores",
        type=int,
        metavar="C",
        help="how many cores the loops and the caller may use (all)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status is that of the module."""
    parser = _parser()
    options = parser.parse_args(arguments)
    print("ready", os.getpid(), file=sys.stderr, flush=True)
    many = 1_000_000
    try:
        count_of(options.sessions, "--sessions", most=64)
        with (
            on_cores(options.cores),
            sessions(options.way, options.sessions) as opened,
        ):
            with stays(opened) as where:
                hops = measure_hops(opened, seconds=options.seconds, hops=many)
            asked = measure_messages(opened, seconds=options.seconds, messages=many)
            idle = measure_idle(opened, options.seconds)
    except ValueError as error:
        parser.error(str(error))
    except (ModuleNotFoundError, NotImplementedError, TimeoutError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    if not options.json:
        print(f"hops      {hops}\nmessages  {asked}\nidle      {idle}")
        return 0
    found = {
        "way": options.way,
        "sessions": options.sessions,
        "loops_that_wait": {"for_lock": where.for_lock, "for_core": where.for_core},
        **{
            name: {
                "count": len(waits.taken),
                "median_s": waits.median,
                "mean_s": waits.total / len(waits.taken),
                "worst_s": waits.worst,
                "voluntary_switches_each": None
                if waits.voluntary is None
                else waits.voluntary_each,
            }
            for name, waits in (("hops", hops), ("messages", asked))
        },
        "idle": {
            "seconds": idle.seconds,
            "turns": list(idle.turns),
            "share_of_a_core": idle.share,
        },
    }
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
