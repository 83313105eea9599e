"""The front door of the package: every name is there, and nothing comes unasked."""

from __future__ import annotations

import pkgutil

import pytest

import looplab


def test_every_name_is_there() -> None:
    for name in looplab.__all__:
        assert getattr(looplab, name).__module__.startswith("looplab."), name
    assert set(looplab.__all__) <= set(dir(looplab))


def test_every_room_is_there() -> None:
    commands = {"__main__", "cli", "pytest_plugin"}
    modules = {module.name for module in pkgutil.iter_modules(looplab.__path__)}
    for name in modules - commands:
        if not name.startswith("_"):
            assert name in dir(looplab)
            assert looplab.__getattr__(name).__name__ == f"looplab.{name}"


def test_what_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'heart_beat'"):
        looplab.heart_beat  # noqa: B018
