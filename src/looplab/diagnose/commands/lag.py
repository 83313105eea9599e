"""The command ``looplab lag``: how late the loops of a program are, live."""

from __future__ import annotations

import argparse

from ..options import Options, seconds_of
from . import argument
from .launch import leave_as, run_recorded
from .trace import add_program, program_of

ABOUT = """\
Show how late the event loops of a program are, live: a line for each period, from each
process that runs one.

The program runs as under `looplab trace`, and its exit status is kept. Lateness is that
of timers, of data and of what threads hand over. The lines go to standard error.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument(
        "--every",
        type=argument(seconds_of),
        default=1.0,
        metavar="TIME",
        help="the period (default: 1s)",
    )
    add_program(parser, "lag")


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Run the program, which shows its lateness; return its exit status."""
    command = program_of(options, parser)
    return leave_as(run_recorded(command, Options("", every=options.every)))
