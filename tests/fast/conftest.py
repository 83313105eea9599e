"""Every test below this folder runs with the doors to the world closed."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from tests import guard

HANG = 600  # seconds after which a test that goes on for ever is ended and named


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each test its limit; no test comes near."""
    for item in items:
        if item.path.is_relative_to(guard.FAST):
            item.add_marker(pytest.mark.timeout(HANG))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Close the doors before the first fixture is set up, until the last has gone."""
    if item.path.is_relative_to(guard.FAST):
        with guard.closed_doors(item.name):
            return (yield)
    return (yield)
