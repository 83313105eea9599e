"""The command ``looplab``: one command for each thing that is of use in a terminal.

``looplab lint`` checks Python files (chapter 5).  ``looplab --help`` lists them all.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import sys
from collections.abc import Sequence

from looplab.lint import command as lint

__all__ = ["main"]


class _Version(argparse.Action):
    """Prints the version; it is looked up only then."""

    def __call__(
        self, parser: argparse.ArgumentParser, *args: object, **kwargs: object
    ) -> None:
        try:
            version = importlib.metadata.version("looplab")
        except importlib.metadata.PackageNotFoundError:
            version = "not installed, run from its source"
        print(f"looplab {version}")
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    """The command line: a command says what it takes, and what runs it."""
    top = argparse.ArgumentParser(
        prog="looplab", description="Measure and mend latency in asyncio programs."
    )
    top.add_argument(
        "--version", action=_Version, nargs=0, help="print the version and stop"
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    parser = commands.add_parser(
        "lint", help="find unbounded channels and misused sleep(0) in Python files"
    )
    lint.add_arguments(parser)
    parser.set_defaults(run=lint.run, parser=parser)
    return top


def main(words: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status.

    Args:
        words: the command line without its first word; None for that of the process.

    Returns:
        The status of the command; 2 for a command line that means nothing, 130 when it
        was interrupted.
    """
    try:
        options = _parser().parse_args(words)
        status = options.run(options, options.parser)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Who reads has seen enough (`| head`).  Python must not complain at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
