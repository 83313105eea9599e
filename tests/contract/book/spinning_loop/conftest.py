"""The fixtures of the fast tests of this room."""

from tests.fast.book.spinning_loop.conftest import bin_folder

__all__ = [
    "bin_folder",
]
