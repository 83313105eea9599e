"""A page for each test."""

from __future__ import annotations

import pytest

from tests.fast.livecells.runtime.pages import Page


@pytest.fixture
def page() -> Page:
    return Page()
