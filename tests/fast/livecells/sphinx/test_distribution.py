"""The distribution: what is in it, and a book built with nothing else of ours."""

from __future__ import annotations

import json
import re
import tomllib

import livecells
from livecells.options import OPTIONS
from tools.common import ROOT

SOURCE = ROOT / "src" / "livecells"
PROJECT = tomllib.loads((SOURCE / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_version_is_said_once() -> None:
    assert PROJECT["version"] == livecells.__version__
    assert f"## {PROJECT['version']}\n" in (SOURCE / "CHANGELOG.md").read_text("utf-8")


def test_the_readme_names_every_option_and_what_npm_installs() -> None:
    readme = (SOURCE / "README.md").read_text("utf-8")
    for option in OPTIONS:
        assert f"| `{option.name}` |" in readme
    package = json.loads((ROOT / "package.json").read_text("utf-8"))["dependencies"]
    for name in package.keys() - {"reveal.js"}:  # that one is for the slides
        assert re.search(rf"[ \n]{re.escape(name)}(@|\s)", readme), name
    assert f"pyodide@{package['pyodide']}" in readme


def test_it_knows_neither_the_tools_nor_the_course() -> None:
    for path in SOURCE.rglob("*"):
        if path.suffix in (".py", ".js", ".mjs", ".css", ".md"):
            text = path.read_text("utf-8")
            assert not re.search(r"\b(looplab|ontime)\b", text), path
