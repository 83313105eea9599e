"""The fixtures of the fast tests of this room."""

from tests.fast.looplab.clock.conftest import loop

__all__ = [
    "loop",
]
