"""``python -m ontime.crossthread``."""

from __future__ import annotations

import pytest


def test_command_without_the_package(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from ontime.crossthread.__main__ import main

    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["janus"]) == 1
    assert "pip install janus" in capsys.readouterr().err
