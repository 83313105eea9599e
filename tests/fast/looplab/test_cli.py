"""The command `looplab`: its words, its help, how it ends."""

from __future__ import annotations

import importlib.metadata
import tomllib
from importlib import import_module

import pytest

from looplab import cli
from tools.common import ROOT


def test_the_entry_points_lead_somewhere():
    project = tomllib.loads(
        (ROOT / "src/looplab/pyproject.toml").read_text(encoding="utf-8")
    )
    module, name = project["project"]["scripts"]["looplab"].split(":")
    assert getattr(import_module(module), name) is cli.main
    plugins = project["project"]["entry-points"]["flake8.extension"]
    assert list(plugins) == ["LAG"]
    module, name = plugins["LAG"].split(":")
    assert isinstance(getattr(import_module(module), name), type)


def test_help(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as ended:
        cli.main(["--help"])
    assert ended.value.code == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80
    assert cli.main(["lint", "--help"]) == 0
    out, _ = capsys.readouterr()
    assert max(map(len, out.splitlines())) <= 80
    for word in ("LAG101", "Exit status", "--explain"):
        assert word in out


def test_the_version(capsys, monkeypatch):
    monkeypatch.setattr(importlib.metadata, "version", lambda name: f"1.2 of {name}")
    with pytest.raises(SystemExit) as ended:
        cli.main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == "looplab 1.2 of looplab\n"


def test_the_version_of_what_is_not_installed(capsys, monkeypatch):
    def fail(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", fail)
    with pytest.raises(SystemExit):
        cli.main(["--version"])
    assert "not installed" in capsys.readouterr().out


@pytest.mark.parametrize("words", [[], ["nonsense"], ["who", "--nonsense"]])
def test_bad_usage(words, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(words)
    assert ended.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("usage: looplab")


def test_an_interrupt(monkeypatch):
    def stop(words):
        raise KeyboardInterrupt

    monkeypatch.setattr("looplab.lint.command.lint", stop)
    assert cli.main(["lint"]) == 130
