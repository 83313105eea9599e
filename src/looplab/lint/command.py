"""The command ``looplab lint``: flake8, with our rules alone.

All options but two are flake8's own, and so are its settings, comments and formats.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from .explain import about
from .rules import RULES

_HELP = """\
usage: looplab lint [option of flake8 ...] [PATH ...]

Find what makes an asyncio event loop late, in Python files and notebooks:
{rules}

  --explain CODE  print what LAG101, or lag101-lock, means, and what to do
  -h, --help      print this; 'flake8 --help' has all other options
  --version       print the versions of flake8 and looplab

It is flake8 with these rules alone, so its options and settings hold, such as
--extend-select=LAG100, per-file-ignores, --format and '# noqa: LAG101'.
Exit status: 0 nothing was found, 1 something was, or a file cannot be read.
"""


def lint(words: Sequence[str]) -> int:
    """Run the command.

    Args:
        words: the command line behind ``looplab lint``.

    Returns:
        The exit status: 0 clean, 1 findings, 2 bad usage.
    """
    parser = argparse.ArgumentParser("looplab lint", add_help=False, allow_abbrev=False)
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("--explain", nargs="?", const="")
    asked, given = parser.parse_known_args(words)
    if asked.help:
        rules = "\n".join(
            f"  {rule.code}  {rule.name}{'' if rule.default else ' (off)'}"
            for rule in RULES.values()
        )
        print(_HELP.format(rules=rules), end="")
        return 0
    if asked.explain is not None:
        try:
            print(about(asked.explain).rstrip())
        except ValueError as error:
            return _usage(str(error))
        return 0
    try:
        from flake8.main.application import Application
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "flake8":
            raise
        return _usage("it needs flake8: python -m pip install 'looplab[lint]'")

    class Ours(Application):  # type: ignore[misc]
        """flake8 without the rules of others, whose findings would be dropped."""

        plugins: Any

        def make_file_checker_manager(self, argv: Sequence[str]) -> None:
            every = self.plugins.checkers
            ours = [x for x in every.tree if x.obj.__module__.startswith(__package__)]
            every = every._replace(tree=ours, logical_line=[], physical_line=[])
            self.plugins = self.plugins._replace(checkers=every)
            super().make_file_checker_manager(argv)

    app = Ours()
    app.run(["--select=LAG,E9", "--filename=*.py,*.ipynb", *given])
    return int(app.exit_code())


def _usage(text: str) -> int:
    """Say what is wrong with the command line, and return its exit status."""
    print(f"looplab lint: error: {text}", file=sys.stderr)
    return 2
