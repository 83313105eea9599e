"""The bus in a file: what is wrong with the path, the file, the disk or the lock."""

from __future__ import annotations

from typing import Any

import pytest

from ontime.bus import (
    SQLiteBus,
)

# -- the path ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "error", "says"),
    [
        (3, TypeError, "path is 3, a int: give a string or a Path"),
        (None, TypeError, "path is None, a NoneType"),
        (b"bus.db", TypeError, "path is b'bus.db', a bytes"),
        ("", ValueError, "path is '': give the path of a file"),
        (":memory:", ValueError, "path is ':memory:'"),
        ("a\0b", ValueError, r"path is 'a\\x00b'"),
    ],
)
def test_paths_that_are_none(path: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        SQLiteBus(path, lease=60)


# -- the file ------------------------------------------------------------------------


# -- the disk ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "error", "says"),
    [
        (0, ValueError, "max_bytes is 0: give 65536 or more"),
        (-1, ValueError, "max_bytes is -1"),
        (1e6, TypeError, "max_bytes as a whole number, .* got 1000000.0, a float"),
        (True, TypeError, "max_bytes as .* got True"),
    ],
)
def test_a_bad_bound(value: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        SQLiteBus("bus.db", lease=60, max_bytes=value)


# -- the lock ------------------------------------------------------------------------


# -- time, and the log ---------------------------------------------------------------
