"""The fixtures of the fast tests of this room."""

from tests.fast.livecells.runtime.conftest import page

__all__ = [
    "page",
]
