"""The fixtures of the fast tests of this room."""

from tests.fast.looplab.lint.command.conftest import lint, project, stdin

__all__ = [
    "lint",
    "project",
    "stdin",
]
