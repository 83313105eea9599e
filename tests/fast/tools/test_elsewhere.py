"""Binder: what it is given, as far as it can be tried without it."""

from __future__ import annotations

import os
import re

from tools.common import ROOT

BINDER = ROOT / ".binder"


def test_binder_gets_the_environment_of_make_lab() -> None:
    text = (BINDER / "requirements.txt").read_text("utf-8")
    named = re.findall(r"^-r (\S+)$", text, re.MULTILINE)
    files = [(BINDER / name).resolve() for name in named]
    assert files == [ROOT / "requirements.txt", ROOT / "tools/lab_requirements.txt"]
    assert all(file.is_file() for file in files)
    runtime = (BINDER / "runtime.txt").read_text("utf-8")
    assert re.fullmatch(r"python-3\.1[1-4]\n", runtime)


def test_binder_installs_every_package() -> None:
    script = BINDER / "postBuild"
    text = script.read_text("utf-8")
    assert text.startswith("#!/usr/bin/env bash\n")
    assert os.name == "nt" or os.access(script, os.X_OK)
    packages = {path.parent.name for path in ROOT.glob("src/*/pyproject.toml")}
    assert set(re.findall(r"-e src/(\w+)", text)) == packages
