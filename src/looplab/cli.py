"""The command ``looplab``: one command for each thing that is of use in a terminal.

``looplab lint`` checks Python files (chapter 5).  ``looplab --help`` lists them all.

A command is a module with ``ABOUT``, ``add_arguments(parser)`` and ``run(options,
parser)``, which returns the exit status.  Only the module of the command that was given
is imported.
``lint`` is flake8's command line, and has it to itself.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

__all__ = ["COMMANDS", "main"]

#: For each command its module and what it does, in the order of the help.
COMMANDS = {
    "trace": (
        "looplab.diagnose.commands.trace",
        "run a program and record every callback of its event loops",
    ),
    "who": (
        "looplab.diagnose.commands.who",
        "name what makes others late in a recording",
    ),
    "what-if": (
        "looplab.diagnose.commands.what_if",
        "say what a change would bring before it is made",
    ),
    "show": (
        "looplab.diagnose.commands.show",
        "show a recording as a page",
    ),
    "lag": (
        "looplab.diagnose.commands.lag",
        "show how late the loops of a program are, live",
    ),
    "attach": (
        "looplab.diagnose.commands.attach",
        "record a program that is already running (Python 3.14)",
    ),
    "lint": (
        "looplab.lint.command",
        "find unbounded channels and misused sleep(0) in Python files",
    ),
}


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


class _Parser(argparse.ArgumentParser):
    """Says so when its help cannot be written; argparse passes that over."""

    def print_help(self, file: Any = None) -> None:
        stream = sys.stdout if file is None else file
        if stream is None:
            raise OSError("it is closed")
        stream.write(self.format_help())
        stream.flush()


def _parser(given: str | None) -> argparse.ArgumentParser:
    """The command line, with the arguments of the command *given*."""
    top = _Parser(
        prog="looplab", description="Measure and fix latency in asyncio programs."
    )
    top.add_argument(
        "--version", action=_Version, nargs=0, help="print the version and stop"
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (module, text) in COMMANDS.items():
        if name != given or name == "lint":
            commands.add_parser(name, help=text)
            continue
        command = import_module(module)
        kind = argparse.RawDescriptionHelpFormatter
        parser = commands.add_parser(
            name, help=text, description=command.ABOUT, formatter_class=kind
        )
        command.add_arguments(parser)
        parser.set_defaults(run=command.run, parser=parser)
    return top


def main(words: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status.

    Args:
        words: the command line without its first word; None for that of the process.

    Returns:
        The status of the command; 2 for a command line that means nothing, or when the
        output cannot be written; 130 when it was interrupted.
    """
    words = sys.argv[1:] if words is None else words
    given = next((word for word in words if not word.startswith("-")), None)
    if sys.stderr is None:
        # It is closed, and argparse would write to the standard output instead.
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    try:
        if sys.stdout is None and given == "lint":
            raise OSError("it is closed")
        if given == "lint" and words[0] == given:
            status = import_module(COMMANDS[given][0]).lint(words[1:])
        else:
            options = _parser(given).parse_args(words)
            if sys.stdout is None:
                raise OSError("it is closed")
            status = options.run(options, options.parser)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Who reads has seen enough (`| head`).
        _drop_output()
        return 141
    except OSError as error:
        # A full device, say: what a command reads itself it answers for itself.
        _drop_output()
        if sys.stderr is not None:
            why = error.strerror or error
            print(
                f"looplab: error: the output cannot be written: {why}", file=sys.stderr
            )
        return 2
    return int(status)


def _drop_output() -> None:
    """Send what is left nowhere, so that Python does not complain at its exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, AttributeError):
            if stream is not None:
                os.dup2(nowhere, stream.fileno())


if __name__ == "__main__":
    sys.exit(main())
