"""The command ``looplab lint``: flake8, with our rules alone.

All options but three are flake8's own, and so are its settings, comments and formats.
"""

from __future__ import annotations

import importlib.metadata
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
  --version       print the versions of looplab and flake8
  -h, --help      print this; 'flake8 --help' has all other options

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
    if {"-h", "--help"} & set(words):
        rules = "\n".join(
            f"  {rule.code}  {rule.name}{'' if rule.default else ' (off)'}"
            for rule in RULES.values()
        )
        print(_HELP.format(rules=rules), end="")
        return 0
    for place, word in enumerate(words):
        option, equals, value = word.partition("=")
        if option == "--explain":
            try:
                asked = value if equals else [*words, ""][place + 1]
                print(about(asked).rstrip())
            except ValueError as error:
                print(f"looplab lint: error: {error}", file=sys.stderr)
                return 2
            return 0
    if "--version" in words:
        for name in ("looplab", "flake8"):
            try:
                print(name, importlib.metadata.version(name))
            except importlib.metadata.PackageNotFoundError:
                print(name, "is not installed")
        return 0
    try:
        from flake8.main.application import Application
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "flake8":
            raise
        print(
            "looplab lint: error: it needs flake8: "
            "python -m pip install 'looplab[lint]'",
            file=sys.stderr,
        )
        return 2

    class Ours(Application):  # type: ignore[misc]
        """flake8 without the rules of others, whose findings would be dropped."""

        plugins: Any

        def make_file_checker_manager(self, argv: Sequence[str]) -> None:
            checkers = self.plugins.checkers
            self.plugins = self.plugins._replace(
                checkers=checkers._replace(
                    tree=[
                        plugin
                        for plugin in checkers.tree
                        if plugin.obj.__module__ == "looplab.lint.plugin"
                    ],
                    logical_line=[],
                    physical_line=[],
                )
            )
            super().make_file_checker_manager(argv)

    given = list(words)
    for option, default in (("--select", "LAG,E9"), ("--filename", "*.py,*.ipynb")):
        if not any(word.partition("=")[0] == option for word in words):
            given.insert(0, f"{option}={default}")
    app = Ours()
    app.run(given)
    return int(app.exit_code())
